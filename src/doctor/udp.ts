import { lookup, Resolver } from 'node:dns/promises';
import { attention, type Finding, good } from './finding.ts';

/** Of the first try; the second one is waited for twice as long. */
const ANSWER_DEADLINE_MS = 1_000;
const TRIES = 2;
const NAME = 'discord.com';

/**
 * Whether a datagram leaves this network and an answer comes back: asks a name server of discord.com itself. The voice servers
 * are named to members of a call alone, and a firewall may treat their ports otherwise. Changes nothing.
 * `nameServer`: address, with a port if not 53; by default it is looked up.
 */
export async function checkUdp(nameServer?: string): Promise<Finding> {
  const startedAtMs = performance.now();
  try {
    const address = nameServer ?? (await addressOfNameServer());
    const resolver = createResolver();
    resolver.setServers([address]);
    await resolver.resolve4(NAME);
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    return good(
      'UDP',
      `leaves this network, and the answer comes back in ${elapsedMs} ms; only a join can test the ports of voice servers`,
    );
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    return attention('UDP', {
      found: `the name server of ${NAME} gave no answer (${code})`,
      means:
        'Voice is sent over UDP. Without it the bot enters a channel and cannot speak: “join timeout ip-discovery”.',
      remedy: 'Let this machine send UDP to any address and port, and receive the answers.',
    });
  }
}

const createResolver = () => new Resolver({ timeout: ANSWER_DEADLINE_MS, tries: TRIES });

async function addressOfNameServer(): Promise<string> {
  const [first] = await createResolver().resolveNs(NAME);
  if (first === undefined) throw new Error(`${NAME} has no name server`);
  const { address } = await lookup(first, { family: 4 });
  return address;
}
