import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import * as z from 'zod';
import { SETTINGS_LIMITS } from '../services/servers/server-settings.ts';
import { folderProblem } from '../services/storage/data-folder.ts';
import { isLoopback } from '../speech/base-url.ts';
import { engineOfUrl, readEnginesFile, refuseOtherProtocols } from '../speech/engines/engines-file.ts';

interface Description {
  readonly about: string;
  readonly obtain: string;
}

interface Setting<Value> extends Description {
  readonly fallback?: string;
  readonly required?: true;
  readonly schema: z.ZodType<Value, string | undefined>;
}

type Given<Value> = Description & { readonly schema: z.ZodType<Value, string> };

function setting<Value>(definition: Given<Value> & { readonly fallback: string }): Setting<Value>;
function setting<Value>(definition: Given<Value> & { readonly required: true }): Setting<Value>;
function setting<Value>(definition: Given<Value>): Setting<Value | undefined>;
function setting<Value>({ schema, ...rest }: Given<Value> & Pick<Setting<Value>, 'fallback' | 'required'>) {
  if (rest.required) return { ...rest, schema };
  return { ...rest, schema: rest.fallback === undefined ? schema.optional() : schema.prefault(rest.fallback) };
}

/** Settings accept words in upper or lower case, because people write `ON` and `Off`. */
const word = z.string().toLowerCase();
const SWITCH: Readonly<Record<string, string>> = { yes: 'on', true: 'on', 1: 'on', no: 'off', false: 'off', 0: 'off' };
/** A setting that is on or off also accepts `yes`, `true` or `1`, because people write these. */
const switchWord = word.transform((value) => SWITCH[value] ?? value);
const onOrOff = switchWord.pipe(z.enum(['on', 'off'], 'must be on or off'));
const isId = (value: string) => /^\d{17,20}$/.test(value);
const webAddress = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'must be a web address')
  .transform((value) => new URL(value))
  .refine(
    (url) => url.protocol === 'https:' || isLoopback(url),
    'must start with https:// (http:// only on this machine)',
  )
  .refine((url) => url.username === '' && url.password === '', 'must not hold a user name or password');
const engineAddress = z.string().transform((url, context) => {
  const read = engineOfUrl(url);
  if (read.ok) return { url, engines: read.engines };
  for (const problem of read.problems) context.addIssue(problem);
  return z.NEVER;
});
const enginesFile = z.string().transform((path, context) => {
  const read = readEnginesFile(path);
  if (read.ok) return { path, engines: read.engines };
  const [only = '', ...more] = read.problems;
  context.addIssue(
    more.length === 0
      ? `names ${path}: ${only}`
      : `names ${path}, which has ${read.problems.length} mistakes:\n${read.problems.join('\n')}`,
  );
  return z.NEVER;
});
const serviceAddress = webAddress
  .superRefine(refuseOtherProtocols)
  .refine(
    ({ hostname }) => hostname !== 'api.openai.com',
    'is the address of OpenAI, which is an engine of SPEECH_ENGINES (docs/guides/paid-service.md has the file to paste)',
  );
const list = z.string().transform((value) => value.split(',').map((item) => item.trim()));
const snowflakes = list
  // The error message must not show an invalid id: a pasted value may be a secret.
  .refine((ids) => ids.every(isId), 'must be IDs of 17 to 20 digits, separated by commas, without quotation marks');
const headerText = z.string('is missing').regex(/^[\x21-\x7e]+$/, 'must be one word without spaces');
/** Checks the three parts of a bot token: https://discord.com/developers/docs/reference#authentication */
const botToken = headerText.refine((value) => {
  const [id = '', ...others] = value.split('.');
  return isId(Buffer.from(id, 'base64').toString('latin1')) && others.length === 2 && others.every(Boolean);
}, 'is not a bot token: that has three parts with dots between them (an application id, a public key and a client secret are not tokens)');

const SEPARATED = /^\d{1,3}([.,'’_\s]\d{3})+$/;

const wholeNumber = (max: number, { min = 0, of = '' } = {}) =>
  z
    .string()
    .regex(/^\d+$/, {
      error: ({ input }) => `must be a whole number${of}${SEPARATED.test(String(input)) ? ', without separators' : ''}`,
    })
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
const credits = wholeNumber(SETTINGS_LIMITS.credits, { of: ' of credits' });

const storeAddress = z.string().transform((value, context) => {
  if (value === 'sqlite:') return { kind: 'sqlite' } as const;
  const { protocol, pathname } = URL.parse(value) ?? {};
  if (/^postgres(ql)?:$/.test(protocol ?? '') && (pathname?.length ?? 0) > 1) {
    return { kind: 'postgres', url: value } as const;
  }
  context.addIssue('must be sqlite:, or postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  return z.NEVER;
});

/** The limit of SHARD_COUNT only catches mistyped numbers: the largest bots have some thousands of shards. */
const MAX_SHARDS = 100_000;
const shardRange = z
  .string()
  .regex(/^(auto|\d{1,6}(-\d{1,6})?)$/, 'must be auto, one number, or a range such as 0-15')
  .transform((value) => {
    if (value === 'auto') return undefined;
    const [first = 0, last = first] = value.split('-').map(Number);
    return { first, last };
  })
  .refine((range) => range === undefined || range.first <= range.last, 'must begin with its lower end');

const LOOPBACK = '127.0.0.1';

/** Parses an IP address with a port. A port alone means 127.0.0.1, which only programs on this machine can reach. */
function placeOf(value: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = LOOPBACK, port] = /^(?:\[?([^\]]+)\]?:)?(\d{1,5})$/.exec(value) ?? [];
  return isIP(host) !== 0 && Number(port) >= 1 && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined;
}

const dashboardPlace = switchWord.transform((value, context) => {
  if (value === 'off') return undefined;
  if (value === 'on') return { host: LOOPBACK, port: 0 };
  const place = value.includes(':') ? placeOf(value) : undefined;
  if (place) return place;
  context.addIssue('must be on, off, or an IP address with a port, such as 0.0.0.0:8642');
  return z.NEVER;
});

const metricsPlace = word.transform((value, context) => {
  if (value === 'auto' || value === 'off') return { host: LOOPBACK, port: value } as const;
  const place = placeOf(value);
  if (place) return place;
  context.addIssue('must be a port from 1 to 65535, an IP address with a port such as 0.0.0.0:9464, auto, or off');
  return z.NEVER;
});

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** .env.example is generated from this list, and a test compares docs/reference/settings.md with it. */
export const SETTINGS = {
  DISCORD_TOKEN: setting({
    about: 'Token with which the bot logs in to Discord.',
    obtain: 'https://discord.com/developers/applications → your application → Bot → Reset Token.',
    required: true,
    schema: botToken,
  }),
  VOICE_API_URL: setting({
    about:
      'Address of a paid speech service with Crier’s own API. For OpenAI, set SPEECH_ENGINES instead. Leave it and VOICE_API_KEY empty to use the built-in voice.',
    obtain:
      'The address your speech service names as its base address, starting with https://. See docs/guides/paid-service.md.',
    schema: serviceAddress,
  }),
  VOICE_API_KEY: setting({
    about: 'Key of your account at that speech service.',
    obtain: 'The dashboard of your account at the speech service, under API Keys.',
    schema: headerText,
  }),
  VOICE_AUTH_HEADER_PREFIX: setting({
    about: 'Word before the key in the Authorization header.',
    obtain: 'Leave it unset unless your service wants another word than Bearer.',
    fallback: 'Bearer',
    schema: headerText,
  }),
  SPEECH_ENGINES: setting({
    about:
      'Path of a file that defines one or more speech engines, each with its voices, languages and price. Unset: SPEECH_ENGINE_URL, or the built-in voice.',
    obtain: 'See docs/reference/engines-file.md, which has an example to start from.',
    schema: enginesFile,
  }),
  SPEECH_ENGINE_URL: setting({
    about:
      'One free engine in place of the built-in voice: the /v1 address of an OpenAI-compatible server, or tcp://HOST:PORT of a Wyoming one such as Piper. Unset: the built-in voice.',
    obtain: 'The address of the server, for example http://127.0.0.1:8880/v1 or tcp://127.0.0.1:10200.',
    schema: engineAddress,
  }),
  VOICES_URL: setting({
    about: 'Address from which npm run voices downloads voices, such as a mirror. Unset: the release of sherpa-onnx.',
    obtain: 'The address of a folder with the archives of the release tts-models of sherpa-onnx and its checksum.txt.',
    schema: webAddress,
  }),
  SPEECH_DASHBOARD: setting({
    about:
      'Local web page of the built-in speech service, with balance and keys: on (at any free port), off, or an address with a port.',
    obtain:
      'on, off, or an address and a port: 0.0.0.0:8642 only inside a container whose port is published on 127.0.0.1.',
    fallback: 'on',
    schema: dashboardPlace,
  }),
  SPEECH_TIMEOUT_MS: setting({
    about:
      'Time in milliseconds for one text to become speech, retries included. An engine has half of it, but at least a minute, for its first audio.',
    obtain: 'A whole number from 1000 to 600000.',
    fallback: '120000',
    schema: wholeNumber(600_000, { min: 1_000 }),
  }),
  AUDIO_HOSTS: setting({
    about: 'Hosts from which audio can be downloaded, redirects included, separated by commas. Unset: any public host.',
    obtain:
      'Host names as in the audio addresses of your speech service, for example audio.example.com,cdn.example.com.',
    schema: list.pipe(z.array(word.regex(/^(\*\.)?[\w.-]+$/, 'must be host names separated by commas'))),
  }),
  AUDIO_CACHE_MB: setting({
    about:
      'Disk space in DATA_DIR for cached audio, in megabytes. The same text is free again for seven days. It holds audio only, never text. 0 disables the cache, in memory too.',
    obtain: 'A whole number from 0 to 102400; a megabyte is two minutes of speech.',
    fallback: '512',
    schema: wholeNumber(102_400),
  }),
  FFMPEG_BIN: setting({
    about: 'The ffmpeg for audio other than WAV and MP3. Unset: the system’s, or the one that npm ci installed.',
    obtain: 'The path of an ffmpeg on this machine (which ffmpeg).',
    schema: z.string().refine((path) => statSync(path, { throwIfNoEntry: false })?.isFile(), 'names no file'),
  }),
  DATA_DIR: setting({
    about: 'Folder for everything the bot stores.',
    obtain: 'A folder that the bot can write to; it is created if missing.',
    fallback: 'data',
    schema: z.string().superRefine((folder, context) => {
      const problem = folder.startsWith('~') ? 'begins with ~, which a shell alone understands' : folderProblem(folder);
      if (problem !== undefined) context.addIssue(problem);
    }),
  }),
  STORE_URL: setting({
    about:
      'Database for settings and credits: sqlite: (in DATA_DIR), or a PostgreSQL that several processes share, as postgres://USER:PASSWORD@HOST:PORT/DATABASE.',
    obtain: 'sqlite: for a single process; otherwise the address of an empty database, with its owner.',
    fallback: 'sqlite:',
    schema: storeAddress,
  }),
  SHARDS: setting({
    about: 'Shards of this process, such as 0-15, if several processes share them. auto: all.',
    obtain:
      'auto, one number, or a range; each shard in one process only. It needs SHARD_COUNT and a PostgreSQL in STORE_URL.',
    fallback: 'auto',
    schema: shardRange,
  }),
  SHARD_COUNT: setting({
    about: 'Number of shards in all processes together. Unset: as many as Discord recommends.',
    obtain: 'A whole number from 1, the same for all processes; Discord wants at least one shard for 2,500 servers.',
    schema: wholeNumber(MAX_SHARDS, { min: 1 }),
  }),
  METRICS_PORT: setting({
    about:
      'Port for /metrics, /healthz and /readyz on 127.0.0.1, or an address with a port. auto takes a free port and logs it; off disables all three.',
    obtain:
      'A free port, auto, off, or an address and a port: every host that reaches 0.0.0.0:9464 can read the metrics, so that is for containers.',
    fallback: '9464',
    schema: metricsPlace,
  }),
  DRAIN_TIMEOUT_MS: setting({
    about: 'Time to finish current texts after SIGTERM, in milliseconds.',
    obtain: 'A whole number from 0 to 600000. Give the supervisor of the bot 15 seconds more.',
    fallback: '60000',
    schema: wholeNumber(600_000),
  }),
  RESUME_TEXTS: setting({
    about: 'Whether queued texts survive a restart. They are stored encrypted, for up to ten minutes.',
    obtain: 'on or off.',
    fallback: 'on',
    schema: onOrOff,
  }),
  SPENDING_PER_DAY: setting({
    about:
      'Credits that all servers together can use in a day, from 00:00 UTC. With the built-in voice: no limit unless set.',
    obtain: 'A whole number of credits: what you can afford to lose in a day.',
    fallback: '200000',
    schema: credits,
  }),
  SPENDING_PER_SERVER_PER_DAY: setting({
    about:
      'Credits that one server can use in a day. Its admins can lower it. With the built-in voice: no limit unless set.',
    obtain: 'A whole number of credits.',
    fallback: '100000',
    schema: credits,
  }),
  SPENDING_PER_MEMBER_PER_DAY: setting({
    about:
      'Credits that one person can use in a day, in all servers. Admins can lower it for their server. With the built-in voice: no limit unless set.',
    obtain: 'A whole number of credits.',
    fallback: '20000',
    schema: credits,
  }),
  CREDITS_WARNING: setting({
    about: 'Balance below which the bot warns its owner, once a day. 0: never.',
    obtain: 'A whole number of credits: about what you use in a few days.',
    fallback: '10000',
    schema: credits,
  }),
  TOP_UP_URL: setting({
    about: 'Page where credits can be bought. Members see it when the paid service has none left.',
    obtain: 'The address of that page in the dashboard of your account at the speech service.',
    schema: webAddress,
  }),
  SHOW_BALANCE: setting({
    about: 'Whether everyone sees the credits left in the account. off: only the owners of the bot do.',
    obtain:
      "on or off. Replies show what a text used. With off they also show what is left of the member's own limit for the day; with on, the balance instead.",
    fallback: 'off',
    schema: onOrOff,
  }),
  OWNER_IDS: setting({
    about: 'Additional owners of the bot, besides the owner or the team of its Discord application.',
    obtain:
      'Discord → Settings → Advanced → Developer Mode, then right-click the person → Copy User ID; commas between.',
    schema: snowflakes,
  }),
  ALLOWED_SERVERS: setting({
    about:
      'Servers the bot stays in; it leaves any other with an explanation. If it is in none of them at its start, it leaves none and refuses commands instead. Unset: every server.',
    obtain:
      'Discord → Settings → Advanced → Developer Mode, then right-click the server → Copy Server ID; commas between.',
    schema: snowflakes,
  }),
  DIRECT_USE: setting({
    about: 'Whether the bot works in direct messages, and in servers that it is not in.',
    obtain: 'on or off. It spends your credits, up to SPENDING_PER_MEMBER_PER_DAY for each person.',
    fallback: 'off',
    schema: onOrOff,
  }),
  READ_MESSAGES: setting({
    about: 'Whether servers can have messages read aloud. Nothing is read until admins choose channels with /settings.',
    obtain:
      'on or off. Before on: https://discord.com/developers/applications → your application → Bot → Privileged Gateway Intents → Message Content Intent.',
    fallback: 'off',
    schema: onOrOff,
  }),
  DISCORD_API_URL: setting({
    about: 'Another address for Discord’s API, such as a proxy. Unset: Discord itself.',
    obtain:
      'Leave it unset to use Discord itself. One with certificates of its own: start Node with NODE_EXTRA_CA_CERTS=FILE.pem.',
    schema: webAddress,
  }),
  LOG_LEVEL: setting({
    about: 'Amount of detail in the log: trace, debug, info, warn, error or silent.',
    obtain: 'One of trace, debug, info, warn, error, silent.',
    fallback: 'info',
    schema: word.pipe(z.enum(LOG_LEVELS, 'must be trace, debug, info, warn, error or silent')),
  }),
};

export type Variable = keyof typeof SETTINGS;

const schemas = Object.fromEntries(Object.entries(SETTINGS).map(([variable, { schema }]) => [variable, schema]));

/** Parses all settings. Callers must omit environment variables with an empty value, because these count as unset. */
export const environmentSchema = z.object(schemas as { [Name in Variable]: (typeof SETTINGS)[Name]['schema'] });
