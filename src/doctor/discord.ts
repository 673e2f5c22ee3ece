import { once } from 'node:events';
import * as z from 'zod';
import type { Config } from '../config/config.ts';
import { commandOf, version } from '../process/package.ts';
import { attention, blocking, type Finding, good, reason } from './finding.ts';

const ANSWER_DEADLINE_MS = 10_000;
/** If this machine's clock differs from Discord's by more than this, days of spending limits begin at a wrong time. */
const CLOCK_TOLERANCE_MS = 5_000;
/** The user agent that Discord requires of bots: https://discord.com/developers/docs/reference#user-agent */
const USER_AGENT = `DiscordBot (crier, ${version})`;
/**
 * The application's flags for the intent MessageContent:
 * https://discord.com/developers/docs/resources/application#application-object-application-flags
 */
const MESSAGE_CONTENT = (1 << 18) | (1 << 19);
/** Permissions' bits: https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags */
const NEEDED_PERMISSIONS = { 'View Channels': 1n << 10n, Connect: 1n << 20n, Speak: 1n << 21n } as const;
const ADMINISTRATOR = 1n << 3n;
/** Discord's maximum of servers in an answer: https://discord.com/developers/docs/resources/user#get-current-user-guilds */
const MAX_GUILDS = 200;
const MAX_NAMED_SERVERS = 5;
const YOUR_APPLICATION = 'https://discord.com/developers/applications → your application';
const FAILS_TOO = 'The bot would fail in the same way.';

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
const guildsSchema = z.array(z.object({ id: z.string(), name: z.string(), permissions: z.string() }));
const helloSchema = z.object({ op: z.literal(10), d: z.object({ heartbeat_interval: z.number() }) });

type Server = z.infer<typeof guildsSchema>[number];

/** Thrown if Discord would reject all further requests, too, and might block this machine's address. */
class Refused extends Error {
  readonly toFinding: (subject: string) => Finding;

  constructor(found: string, means: string, remedy: string) {
    super(found);
    this.toFinding = (subject) => blocking(subject, found, means, remedy);
  }
}

export type LiveSettings = Config['discord'] & { readonly allowedServers: Config['access']['allowedServers'] };

/** Throws Refused for a wrong token, or if Cloudflare refuses the request: unlike Discord behind it, it does not answer in JSON. */
async function get(apiUrl: URL | undefined, path: string, token: string | undefined, signal: AbortSignal) {
  const startedAtMs = performance.now();
  const base = apiUrl?.href.replace(/\/$/, '') ?? 'https://discord.com/api';
  const agent = { 'user-agent': USER_AGENT };
  const response = await fetch(`${base}/v10${path}`, {
    headers: token === undefined ? agent : { ...agent, authorization: `Bot ${token}` },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]),
  });
  const { status, headers } = response;
  if ((status === 403 || status === 429) && !headers.get('content-type')?.startsWith('application/json')) {
    throw new Refused(
      `Cloudflare, in front of Discord, refuses this machine's address (${status})`,
      'The bot waits until it is let in, with growing pauses, and no start helps.',
      'End what else sends many requests from this address, and wait: minutes to hours. On a shared address, of a VPN or a small host say, use another one.',
    );
  }
  if (status === 401) {
    throw new Refused(
      'refuses the token (401)',
      'The bot cannot log in.',
      `Copy it again: ${YOUR_APPLICATION} → Bot → Reset Token.`,
    );
  }
  return { response, elapsedMs: Math.round(performance.now() - startedAtMs) };
}

function refusal(subject: string, error: unknown): Finding {
  if (error instanceof Refused) return error.toFinding(subject);
  const remedy = 'Check the network, DISCORD_API_URL if it is set, and https://discordstatus.com.';
  return blocking(subject, reason(error), FAILS_TOO, remedy);
}

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

/** Checks the token, the application, the gateway, commands and servers. Only reads from Discord, and never logs in. */
export async function checkDiscord(settings: LiveSettings, signal: AbortSignal): Promise<Finding[]> {
  const ask = createAsk(settings, signal);
  const findings: Finding[] = [];
  let applicationId: string | undefined;
  const checks: Readonly<Record<string, () => Promise<Finding[]>>> = {
    async Discord() {
      const { value, elapsedMs, clockAheadMs } = await ask('/users/@me', userSchema);
      const found = `accepts the token, as ${value.username}; answers in ${elapsedMs} ms`;
      return [good('Discord', found), ...checkClock(clockAheadMs)];
    },
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
  // The doctor stops if the first check fails, or if Discord would reject all further requests.
  for (const [subject, check] of Object.entries(checks)) {
    try {
      findings.push(...(await check()));
    } catch (error) {
      findings.push(refusal(subject, error));
      if (error instanceof Refused || subject === 'Discord') return findings;
    }
  }
  return findings;
}

function createAsk({ token, apiUrl }: LiveSettings, signal: AbortSignal) {
  return async <Value>(path: string, schema: z.ZodType<Value>) => {
    const { response, elapsedMs } = await get(apiUrl, path, token, signal);
    if (!response.ok) {
      const wait = response.headers.get('retry-after');
      throw new Error(`GET ${path} was answered ${response.status}${wait === null ? '' : `: try again in ${wait} s`}`);
    }
    // Without a Date header in Discord's answer, the difference is NaN, and the machine's clock is not checked.
    const clockAheadMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
    return { value: schema.parse(await response.json()), elapsedMs, clockAheadMs };
  };
}

type Ask = ReturnType<typeof createAsk>;

function checkClock(aheadMs: number): Finding[] {
  if (!(Math.abs(aheadMs) > CLOCK_TOLERANCE_MS)) return [];
  const found = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'behind' : 'ahead of'} Discord's`;
  const means = 'Days of the credit limits begin at the wrong time, and times shown in Discord are off.';
  return [attention('clock', found, means, "Synchronize this machine's clock (NTP).")];
}

function checkApplication(
  { flags, interactions_endpoint_url: endpoint }: z.infer<typeof applicationSchema>,
  { readsMessages }: LiveSettings,
): Finding[] {
  const findings: Finding[] = [];
  if (endpoint) {
    const found = 'go to an Interactions Endpoint URL that is set for the application';
    const remedy = `Clear it: ${YOUR_APPLICATION} → General Information.`;
    findings.push(blocking('interactions', found, 'Discord sends commands there, not to the bot.', remedy));
  }
  if (readsMessages && (flags & MESSAGE_CONTENT) === 0) {
    const found = 'is on, and the Message Content Intent is off for the application';
    const remedy = `Enable it: ${YOUR_APPLICATION} → Bot → Message Content Intent.`;
    findings.push(blocking('READ_MESSAGES', found, 'Discord closes the connection (4014).', remedy));
  }
  return findings;
}

function checkSessions({ shards, session_start_limit: limit }: z.infer<typeof gatewaySchema>): Finding {
  const found = `${limit.remaining} of ${limit.total} logins left today, ${shards === 1 ? 'one shard' : `${shards} shards`}`;
  if (limit.remaining >= shards) return good('logins', found);
  const means = 'The bot cannot log in until they are renewed; another program may use the same token.';
  return blocking('logins', found, means, `Wait ${Math.ceil(limit.reset_after / 60_000)} minutes.`);
}

/** Waits for Discord's Hello but never sends Identify, so that the check does not count as a login. */
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
    return blocking(
      'gateway',
      giveUp.aborted ? `no greeting within ${ANSWER_DEADLINE_MS / 1000} s` : reason(error),
      'The bot gets no commands.',
      'Check that firewalls and proxies let WebSockets (wss, port 443) out to gateway.discord.gg.',
    );
  } finally {
    socket.close();
  }
}

async function checkCommands(ask: Ask, applicationId: string): Promise<Finding> {
  const { value } = await ask(`/applications/${applicationId}/commands`, commandsSchema);
  if (value.some(({ name }) => name === 'say')) return good('commands', `${value.length} registered for all servers`);
  return attention(
    'commands',
    "none of Crier's are registered for all servers",
    'Members see no commands yet.',
    'Start the bot: it registers them, and Discord shows them within seconds.',
  );
}

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
  const more = names.length > MAX_NAMED_SERVERS ? ` and ${names.length - MAX_NAMED_SERVERS} more` : '';
  return `${names.slice(0, MAX_NAMED_SERVERS).join(', ')}${more}`;
}

function checkServers(guilds: readonly Server[], { allowedServers }: LiveSettings): Finding[] {
  const served = guilds.filter(({ id }) => allowedServers?.includes(id) ?? true);
  const outside = listed(guilds.filter((guild) => !served.includes(guild)).map(({ name, id }) => `${name} (${id})`));
  if (guilds.length === 0) {
    const remedy = 'Invite it with the link from the README.';
    return [attention('servers', 'the bot is in none', 'Nobody can use it yet.', remedy)];
  }
  if (served.length === 0) {
    const found = `none of the bot's ${guilds.length} is in ALLOWED_SERVERS: it is in ${outside}`;
    const means = 'It stays there, but refuses every command.';
    return [attention('servers', found, means, 'Check the ids in ALLOWED_SERVERS.')];
  }
  const findings = [good('servers', `the bot is in ${served.length === 1 ? 'one' : served.length}`)];
  if (outside !== '') {
    const means = 'The bot leaves these servers at its next start.';
    const remedy = 'Add the ids of those in which it should stay.';
    findings.push(attention('ALLOWED_SERVERS', `lacks ${outside}`, means, remedy));
  }
  const lacking = served.flatMap(({ name, permissions }) => {
    const granted = BigInt(permissions);
    if ((granted & ADMINISTRATOR) !== 0n) return [];
    const missing = Object.entries(NEEDED_PERMISSIONS).filter(([, bit]) => (granted & bit) === 0n);
    return missing.length === 0 ? [] : [`${name} (${missing.map(([permission]) => permission).join(', ')})`];
  });
  if (lacking.length > 0) {
    const means = 'It cannot speak there, except in channels that grant these themselves.';
    const remedy = 'Server Settings → Roles → the role of the bot.';
    findings.push(attention('permissions', `missing in ${listed(lacking)}`, means, remedy));
  }
  return findings;
}
