import { once } from 'node:events';
import * as z from 'zod';
import { commandOf, version } from '../process/package.ts';
import { attention, blocking, type Finding, good, reason, type Trouble } from './finding.ts';

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

/** A refusal after which every further request would be refused as well, and be held against this address. */
class Refused extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.found);
    this.trouble = trouble;
  }
}

/** Cloudflare answers in Discord's place, which it does not in JSON, or Discord refuses the token itself. */
function throwIfRefused({ status, headers }: Response): void {
  if ((status === 403 || status === 429) && !headers.get('content-type')?.startsWith('application/json')) {
    throw new Refused({
      found: `Cloudflare, in front of Discord, refuses this machine's address (${status})`,
      means: 'The bot waits until it is let in, with growing pauses, and no start helps.',
      remedy:
        'End what else sends many requests from this address, and wait: minutes to hours. On a shared address, of a VPN or a small host say, use another one.',
    });
  }
  if (status !== 401) return;
  throw new Refused({
    found: 'refuses the token (401)',
    means: 'The bot cannot log in.',
    remedy: 'Copy it again: https://discord.com/developers/applications → your application → Bot → Reset Token.',
  });
}

/** The used settings of the bot. */
export interface LiveSettings {
  readonly token: string;
  readonly apiUrl: URL | undefined;
  readonly readsMessages: boolean;
  readonly allowedServers: readonly string[] | undefined;
}

/** Asks Discord for a path; throws where it refuses this machine or the token. */
async function get(apiUrl: URL | undefined, path: string, token: string | undefined, signal: AbortSignal) {
  const startedAtMs = performance.now();
  const base = apiUrl?.href.replace(/\/$/, '') ?? 'https://discord.com/api';
  const agent = { 'user-agent': USER_AGENT };
  const response = await fetch(`${base}/v10${path}`, {
    headers: token === undefined ? agent : { ...agent, authorization: `Bot ${token}` },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]),
  });
  throwIfRefused(response);
  return { response, elapsedMs: Math.round(performance.now() - startedAtMs) };
}

/** Whether Discord answers at all: without the token, by the one address that needs none. */
export async function checkReach(apiUrl: URL | undefined, signal: AbortSignal): Promise<Finding> {
  try {
    const { response, elapsedMs } = await get(apiUrl, '/gateway', undefined, signal);
    await response.body?.cancel();
    if (response.status >= 500) throw new Error(`GET /gateway was answered ${response.status}`);
    return good('Discord', `answers in ${elapsedMs} ms; ${commandOf('doctor', '--live')} asks it about the token`);
  } catch (error) {
    return refusal('Discord', error);
  }
}

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
  const checks: Readonly<Record<string, () => Promise<Finding[]>>> = {
    async application() {
      const { value } = await ask('/applications/@me', applicationSchema);
      applicationId = value.id;
      return checkApplication(value, settings);
    },
    async gateway() {
      const { value } = await ask('/gateway/bot', gatewaySchema);
      return [checkSessions(value), await checkGateway(value.url, signal)];
    },
    commands: async () => (applicationId === undefined ? [] : [await checkCommands(ask, applicationId)]),
    servers: async () => checkServers(await allServers(ask), settings),
  };
  // One request that fails leaves the findings of the others.
  for (const [subject, check] of Object.entries(checks)) {
    try {
      findings.push(...(await check()));
    } catch (error) {
      findings.push(refusal(subject, error));
      if (error instanceof Refused) return findings;
    }
  }
  return findings;
}

function refusal(subject: string, error: unknown): Finding {
  if (error instanceof Refused) return blocking(subject, error.trouble);
  return blocking(subject, {
    found: reason(error),
    means: 'The bot would fail in the same way.',
    remedy: 'Check the network, DISCORD_API_URL if it is set, and https://discordstatus.com.',
  });
}

const createAsk =
  ({ token, apiUrl }: LiveSettings, signal: AbortSignal): Ask =>
  async (path, schema) => {
    const { response, elapsedMs } = await get(apiUrl, path, token, signal);
    if (!response.ok) {
      const wait = response.headers.get('retry-after');
      throw new Error(`GET ${path} was answered ${response.status}${wait === null ? '' : `: try again in ${wait} s`}`);
    }
    const clockAheadMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
    return { value: schema.parse(await response.json()), elapsedMs, clockAheadMs };
  };

/** Dates in answers are whole seconds. */
function checkClock(aheadMs: number): Finding[] {
  if (!(Math.abs(aheadMs) > CLOCK_TOLERANCE_MS)) return [];
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  return [
    attention('clock', {
      found: `${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} Discord's`,
      means: 'Days of the credit limits begin at the wrong time, and times shown in Discord are off.',
      remedy: "Synchronize this machine's clock (NTP).",
    }),
  ];
}

function checkApplication(
  { flags, interactions_endpoint_url: endpoint }: z.infer<typeof applicationSchema>,
  { readsMessages }: LiveSettings,
): Finding[] {
  const findings: Finding[] = [];
  const yours = 'https://discord.com/developers/applications → your application';
  if (endpoint) {
    findings.push(
      blocking('interactions', {
        found: 'go to an Interactions Endpoint URL that is set for the application',
        means: 'Discord sends commands there, not to the bot.',
        remedy: `Clear it: ${yours} → General Information.`,
      }),
    );
  }
  if (readsMessages && (flags & MESSAGE_CONTENT) === 0) {
    findings.push(
      blocking('READ_MESSAGES', {
        found: 'is on, and the Message Content Intent is off for the application',
        means: 'Discord closes the connection (4014).',
        remedy: `Enable it: ${yours} → Bot → Message Content Intent.`,
      }),
    );
  }
  return findings;
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

const NAMED_SERVERS = 5;
/** https://discord.com/developers/docs/resources/user#get-current-user-guilds */
const MAX_GUILDS = 200;

/** https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags */
const NEEDED_PERMISSIONS = {
  'View Channels': 1n << 10n,
  Connect: 1n << 20n,
  Speak: 1n << 21n,
} as const;
const ADMINISTRATOR = 1n << 3n;

const guildsSchema = z.array(z.object({ id: z.string(), name: z.string(), permissions: z.string() }));
type Server = z.infer<typeof guildsSchema>[number];

/** A page at a time, by the last id of the one before. */
async function allServers(ask: Ask): Promise<Server[]> {
  const guilds: Server[] = [];
  for (;;) {
    const last = guilds.at(-1);
    const after = last === undefined ? '' : `&after=${last.id}`;
    const { value: page } = await ask(`/users/@me/guilds?limit=${MAX_GUILDS}${after}`, guildsSchema);
    guilds.push(...page);
    if (page.length < MAX_GUILDS) return guilds;
  }
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMED_SERVERS ? ` and ${names.length - NAMED_SERVERS} more` : '';
  return `${names.slice(0, NAMED_SERVERS).join(', ')}${more}`;
}

const withId = ({ name, id }: Server) => `${name} (${id})`;

/** The servers that the bot is in, by ALLOWED_SERVERS and what it may do in them. */
function checkServers(guilds: readonly Server[], { allowedServers }: LiveSettings): Finding[] {
  const served = guilds.filter(({ id }) => allowedServers?.includes(id) ?? true);
  const outside = guilds.filter(({ id }) => allowedServers?.includes(id) === false);
  if (guilds.length === 0) {
    return [
      attention('servers', {
        found: 'the bot is in none',
        means: 'Nobody can use it yet.',
        remedy: 'Invite it with the link from the README.',
      }),
    ];
  }
  if (served.length === 0) {
    return [
      attention('servers', {
        found: `none of the bot's ${guilds.length} is in ALLOWED_SERVERS: it is in ${listed(outside.map(withId))}`,
        means: 'It stays there, but refuses every command.',
        remedy: 'Check the ids in ALLOWED_SERVERS.',
      }),
    ];
  }
  const findings = [good('servers', `the bot is in ${served.length === 1 ? 'one' : served.length}`)];
  if (outside.length > 0) {
    findings.push(
      attention('ALLOWED_SERVERS', {
        found: `lacks ${listed(outside.map(withId))}`,
        means: 'The bot leaves these servers at its next start.',
        remedy: 'Add the ids of those in which it should stay.',
      }),
    );
  }
  const lacking = served.flatMap(({ name, permissions }) => {
    const granted = BigInt(permissions);
    if ((granted & ADMINISTRATOR) !== 0n) return [];
    const missing = Object.entries(NEEDED_PERMISSIONS).filter(([, bit]) => (granted & bit) === 0n);
    return missing.length === 0 ? [] : [`${name} (${missing.map(([permission]) => permission).join(', ')})`];
  });
  if (lacking.length > 0) {
    findings.push(
      attention('permissions', {
        found: `missing in ${listed(lacking)}`,
        means: 'It cannot speak there, except in channels that grant these themselves.',
        remedy: 'Server Settings → Roles → the role of the bot.',
      }),
    );
  }
  return findings;
}
