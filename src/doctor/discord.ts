import { once } from 'node:events';
import * as z from 'zod';
import type { Config } from '../config/config.ts';
import { commandOf, version } from '../process/package.ts';
import { attention, blocking, type Finding, good, reason } from './finding.ts';
import { allServers, checkServers } from './servers.ts';

/** Each request, and the gateway's first message. */
const ANSWER_DEADLINE_MS = 10_000;
/** Members press a button 3 s after it was shown at the latest; a clock this far off misdates what they see. */
const CLOCK_TOLERANCE_MS = 5_000;
/** https://discord.com/developers/docs/reference#user-agent */
const USER_AGENT = `DiscordBot (crier, ${version})`;

/** https://discord.com/developers/docs/resources/application#application-object-application-flags */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

const userSchema = z.object({ username: z.string() });
const applicationSchema = z.object({
  id: z.string(),
  flags: z.number().default(0),
  interactions_endpoint_url: z.string().nullish(),
});
const gatewaySchema = z.object({
  url: z.string(),
  shards: z.number(),
  session_start_limit: z.object({ total: z.number(), remaining: z.number(), reset_after: z.number() }),
});
const commandsSchema = z.array(z.object({ name: z.string() }));
const helloSchema = z.object({ op: z.literal(10), d: z.object({ heartbeat_interval: z.number() }) });

interface Answer<T> {
  readonly value: T;
  readonly elapsedMs: number;
  /** Discord's clock minus this machine's; NaN without a Date in the answer. */
  readonly clockAheadMs: number;
}

type Ask = <T>(path: string, schema: z.ZodType<T>) => Promise<Answer<T>>;

/** Discord refused the token itself: every further request would be refused, and be counted as an invalid one. */
class RefusedToken extends Error {
  override readonly name = 'RefusedToken';
}

/** Cloudflare answered in Discord's place, which it does not in JSON: every further request prolongs its refusal. */
class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

function throwIfRefused({ status, headers }: Response): void {
  if ((status === 403 || status === 429) && !headers.get('content-type')?.startsWith('application/json'))
    throw new RefusedAddress(`Cloudflare, in front of Discord, refuses this machine's address (${status})`);
}

/** The used settings of the bot. */
export type LiveSettings = Pick<Config['discord'], 'token' | 'apiUrl' | 'readsMessages'> &
  Pick<Config['access'], 'allowedServers'>;

/** Whether Discord answers at all: without the token, by the one address that needs none. */
export async function checkReach({ apiUrl }: Pick<LiveSettings, 'apiUrl'>, signal: AbortSignal): Promise<Finding> {
  const startedAtMs = performance.now();
  try {
    const response = await fetch(`${baseOf(apiUrl)}/v10/gateway`, {
      headers: { 'user-agent': USER_AGENT },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]),
    });
    await response.body?.cancel();
    throwIfRefused(response);
    if (response.status >= 500) throw new Error(`GET /gateway was answered ${response.status}`);
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    return good('Discord', `answers in ${elapsedMs} ms; ${commandOf('doctor', '--live')} asks it about the token`);
  } catch (error) {
    return refusal('Discord', error);
  }
}

const baseOf = (apiUrl: URL | undefined): string => apiUrl?.href.replace(/\/$/, '') ?? 'https://discord.com/api';

/** Everything that the token allows to look at: reads only, and a gateway connection that never logs in. */
export async function checkDiscord(settings: LiveSettings, signal: AbortSignal): Promise<Finding[]> {
  const ask = createAsk(settings, signal);
  const findings: Finding[] = [];
  try {
    const me = await ask('/users/@me', userSchema);
    findings.push(
      good('Discord', `accepts the token, as ${me.value.username}; answers in ${me.elapsedMs} ms`),
      ...checkClock(me.clockAheadMs),
    );
  } catch (error) {
    return [refusal('Discord', error)];
  }
  let applicationId: string | undefined;
  const checks: [subject: string, check: () => Promise<Finding[]>][] = [
    [
      'application',
      async () => {
        const { value: application } = await ask('/applications/@me', applicationSchema);
        applicationId = application.id;
        return checkApplication(application, settings);
      },
    ],
    [
      'gateway',
      async () => {
        const { value } = await ask('/gateway/bot', gatewaySchema);
        return [checkSessions(value), await checkGateway(value.url, signal)];
      },
    ],
    ['commands', async () => (applicationId === undefined ? [] : [await checkCommands(ask, applicationId)])],
    ['servers', async () => checkServers(await allServers(ask), settings)],
  ];
  // One request that fails leaves the findings of the others.
  for (const [subject, check] of checks) {
    try {
      findings.push(...(await check()));
    } catch (error) {
      findings.push(refusal(subject, error));
      if (error instanceof RefusedToken || error instanceof RefusedAddress) return findings;
    }
  }
  return findings;
}

function refusal(subject: string, error: unknown): Finding {
  if (error instanceof RefusedToken) {
    return blocking(subject, {
      found: 'refuses the token (401)',
      means: 'The bot cannot log in.',
      remedy: 'Copy it again: https://discord.com/developers/applications → your application → Bot → Reset Token.',
    });
  }
  if (error instanceof RefusedAddress) {
    return blocking(subject, {
      found: error.message,
      means: 'The bot waits until it is let in, with growing pauses, and no start helps.',
      remedy:
        'End what else sends many requests from this address, and wait: minutes to hours. On a shared address, of a VPN or a small host say, use another one.',
    });
  }
  return blocking(subject, {
    found: reason(error),
    means: 'The bot would fail in the same way.',
    remedy: 'Check the network, DISCORD_API_URL if it is set, and https://discordstatus.com.',
  });
}

function createAsk({ token, apiUrl }: LiveSettings, signal: AbortSignal): Ask {
  const base = baseOf(apiUrl);
  return async (path, schema) => {
    const startedAtMs = performance.now();
    const response = await fetch(`${base}/v10${path}`, {
      headers: {
        authorization: `Bot ${token}`,
        'user-agent': USER_AGENT,
      },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]),
    });
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    throwIfRefused(response);
    if (response.status === 401) throw new RefusedToken();
    if (!response.ok) {
      const wait = response.headers.get('retry-after');
      throw new Error(`GET ${path} was answered ${response.status}${wait === null ? '' : `: try again in ${wait} s`}`);
    }
    const clockAheadMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
    return { value: schema.parse(await response.json()), elapsedMs, clockAheadMs };
  };
}

/** Dates in answers are whole seconds. */
function checkClock(aheadMs: number): Finding[] {
  if (!(Math.abs(aheadMs) > CLOCK_TOLERANCE_MS)) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return [
    attention('clock', {
      found: `${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} Discord's`,
      means: 'Days of the credit limits begin at the wrong time, and times shown in Discord are off.',
      remedy: "Synchronise this machine's clock (NTP).",
    }),
  ];
}

function checkApplication(
  { flags, interactions_endpoint_url: endpoint }: z.infer<typeof applicationSchema>,
  { readsMessages }: LiveSettings,
): Finding[] {
  return [
    ...(endpoint
      ? [
          blocking('interactions', {
            found: 'go to an Interactions Endpoint URL that is set for the application',
            means: 'Discord sends commands there, not to the bot.',
            remedy: 'Clear it: https://discord.com/developers/applications → your application → General Information.',
          }),
        ]
      : []),
    ...(readsMessages && (flags & MESSAGE_CONTENT) === 0
      ? [
          blocking('READ_MESSAGES', {
            found: 'is on, and the Message Content Intent is off for the application',
            means: 'Discord closes the connection (4014).',
            remedy:
              'Enable it: https://discord.com/developers/applications → your application → Bot → Message Content Intent.',
          }),
        ]
      : []),
  ];
}

function checkSessions({ shards, session_start_limit: limit }: z.infer<typeof gatewaySchema>): Finding {
  const found = `${limit.remaining} of ${limit.total} logins left today, ${shards === 1 ? 'one shard' : `${shards} shards`}`;
  if (limit.remaining >= shards) return good('logins', found);
  return blocking('logins', {
    found,
    means: 'The bot cannot log in until they are renewed; another program may use the same token.',
    remedy: `Wait ${Math.ceil(limit.reset_after / 60_000)} minutes.`,
  });
}

/** Opens the gateway and waits for its Hello; without Identify, Discord counts no login. */
async function checkGateway(url: string, signal: AbortSignal): Promise<Finding> {
  const socket = new WebSocket(`${url.replace(/\/$/, '')}/?v=10&encoding=json`);
  const giveUp = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]);
  const startedAtMs = performance.now();
  try {
    const failed = once(socket, 'error', { signal: giveUp }).then(() => {
      throw new Error('the connection failed');
    });
    const [message] = await Promise.race([once(socket, 'message', { signal: giveUp }), failed]);
    helloSchema.parse(JSON.parse(String((message as MessageEvent).data)));
    return good('gateway', `greets in ${Math.round(performance.now() - startedAtMs)} ms`);
  } catch (error) {
    return blocking('gateway', {
      found: giveUp.aborted ? `no greeting within ${ANSWER_DEADLINE_MS / 1000} s` : reason(error),
      means: 'The bot gets no commands.',
      remedy: 'Check that firewalls and proxies let WebSockets (wss, port 443) out to gateway.discord.gg.',
    });
  } finally {
    socket.close();
  }
}

async function checkCommands(ask: Ask, applicationId: string): Promise<Finding> {
  const { value } = await ask(`/applications/${applicationId}/commands`, commandsSchema);
  if (value.some(({ name }) => name === 'say')) return good('commands', `${value.length} registered for all servers`);
  return attention('commands', {
    found: "none of Crier's are registered for all servers",
    means: 'Members see no commands yet.',
    remedy: 'Start the bot: it registers them, and Discord shows them within seconds.',
  });
}
