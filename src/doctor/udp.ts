import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { attention, blocking, type Finding, good } from './finding.ts';

/** The time limit of the first DNS query over UDP; the second query gets twice as long. */
const ANSWER_DEADLINE_MS = 1_000;
const TRIES = 2;
const NAME = 'discord.com';
/** An address of Discord, for finding if this machine has a route to the internet; nothing is sent there. */
const IPV4_ADDRESS = '162.159.128.233';

/**
 * A DNS query to a name server of discord.com shows that UDP leaves this network and an answer returns. Voice servers
 * cannot be checked: only members of a call learn their addresses. `nameServer` may name a port.
 */
export async function checkUdp(nameServer?: string, findRoute = findIpv4Route): Promise<Finding> {
  const startedAtMs = performance.now();
  try {
    await findRoute();
  } catch (error) {
    return blocking(
      'UDP',
      `this machine has no IPv4 route (${(error as NodeJS.ErrnoException).code})`,
      "Discord's voice servers have only IPv4 addresses: the bot answers commands but cannot speak.",
      'Give this machine an IPv4 address (one behind NAT is enough), or 464XLAT if its network is IPv6 only.',
    );
  }
  try {
    const resolver = new Resolver({ timeout: ANSWER_DEADLINE_MS, tries: TRIES });
    resolver.setServers([nameServer ?? (await addressOfNameServer(resolver))]);
    await resolver.resolve4(NAME);
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    const found = `leaves this network, and the answer comes back in ${elapsedMs} ms`;
    return good('UDP', `${found}; only a join can test the ports of voice servers`);
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    return attention(
      'UDP',
      `the name server of ${NAME} gave no answer (${code})`,
      'Voice is sent over UDP. Without it the bot enters a channel and cannot speak: “join timeout ip-discovery”.',
      'Let this machine send UDP to any address and port, and receive the answers.',
    );
  }
}

async function findIpv4Route(): Promise<void> {
  const socket = createSocket('udp4');
  socket.connect(53, IPV4_ADDRESS);
  try {
    await once(socket, 'connect');
  } finally {
    socket.close();
  }
}

async function addressOfNameServer(resolver: Resolver): Promise<string> {
  const [first] = await resolver.resolveNs(NAME);
  if (first === undefined) throw new Error(`${NAME} has no name server`);
  const { address } = await lookup(first, { family: 4 });
  return address;
}
