import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import * as z from 'zod';
import { folderProblem } from './services/data-folder.ts';

/** One variable of the environment: what it is for, where its value comes from, and what it may be. */
interface Setting<Value = unknown> {
  readonly about: string;
  /** Told when the value is missing or wrong: how to get a right one. */
  readonly obtain: string;
  /** What is used when the variable is not set; absent for those that stay unset. */
  readonly fallback?: string;
  readonly required?: true;
  readonly schema: z.ZodType<Value, string>;
}

const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition;

const BYTES_PER_MB = 1024 * 1024;
const MS_PER_DAY = 24 * 60 * 60_000;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address stays on this machine. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

const snowflake = z.string().regex(/^\d{17,20}$/, 'must be an id of 17 to 20 digits');
const webAddress = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'must be a web address')
  .transform((value) => new URL(value))
  .refine(
    (url) => url.protocol === 'https:' || isLoopback(url),
    'must start with https:// (http:// only on this machine)',
  )
  .refine((url) => url.username === '' && url.password === '', 'must not hold a user name or password');
const anyAddress = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'must be a web address');
const snowflakes = z
  .string()
  .transform((value) => value.split(',').map((id) => id.trim()))
  .pipe(z.array(z.string().regex(/^\d{17,20}$/, 'must be ids of 17 to 20 digits, separated by commas')));
/** Far more than any account holds, and few enough to be counted exactly in thousandths. */
const MOST_CREDITS = 1_000_000_000;
const credits = z
  .string()
  .regex(/^\d+$/, 'must be a whole number of credits')
  .transform(Number)
  .pipe(z.number().max(MOST_CREDITS, `must be at most ${MOST_CREDITS}`));
const headerText = z.string().regex(/^[\x21-\x7e]+$/, 'must be one word without spaces');

const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().max(max, `must be at most ${max}`));

export const SETTINGS = {
  DISCORD_TOKEN: setting({
    about: 'The token with which the bot logs in to Discord.',
    obtain: 'https://discord.com/developers/applications → your application → Bot → Reset Token.',
    required: true,
    schema: headerText,
  }),
  VOICE_API_URL: setting({
    about: 'The address of the speech service. Leave it and VOICE_API_KEY empty to speak with the local voice.',
    obtain: 'The address your speech service names as its base address, starting with https://.',
    schema: webAddress,
  }),
  VOICE_API_KEY: setting({
    about: 'The key of your account at the speech service.',
    obtain: 'The dashboard of your account at the speech service, under API Keys.',
    schema: headerText,
  }),
  VOICE_AUTH_HEADER_PREFIX: setting({
    about: 'The word before the key in the Authorization header.',
    obtain: 'Leave it unset unless the service in front of yours wants another word than Bearer.',
    fallback: 'Bearer',
    schema: headerText,
  }),
  SPEECH_ENGINE_URL: setting({
    about:
      'An OpenAI-compatible server that speaks for the local voice, by its /v1 address. Unset: the embedded synthesiser.',
    obtain: 'The address of the server, for example http://127.0.0.1:8880/v1.',
    schema: anyAddress,
  }),
  SPEECH_ENGINE_KEY: setting({
    about: 'The key for that server, if it needs one.',
    obtain: 'Whoever runs that server.',
    schema: headerText,
  }),
  SPEECH_ENGINE_MODEL: setting({
    about: 'The model to ask that server for. Unset: tts-1.',
    obtain: 'One of the models that server offers.',
    schema: headerText,
  }),
  SPEECH_ENGINE_VOICES: setting({
    about: 'Which of that server’s voices speak for which of ours, for example aria=af_heart,basil=bm_george.',
    obtain: 'Pairs of a voice of /voices and one of that server’s voices, separated by commas.',
    schema: z.string().regex(/^[^=,]+=[^=,]+(,[^=,]+=[^=,]+)*$/, 'must be pairs such as aria=nova,basil=onyx'),
  }),
  SPEECH_TIMEOUT_MS: setting({
    about: 'How long one text may take to be turned into speech, in milliseconds, with all retries.',
    obtain: 'A whole number from 1000 to 600000.',
    fallback: '120000',
    schema: z
      .string()
      .regex(/^\d+$/, 'must be a whole number')
      .transform(Number)
      .pipe(z.number().min(1000, 'must be at least 1000').max(600_000, 'must be at most 600000')),
  }),
  AUDIO_HOSTS: setting({
    about: 'Hosts that audio may be fetched from, separated by commas. Unset: any public host.',
    obtain:
      'Host names as in the audio addresses of your speech service, for example audio.example.com,cdn.example.com.',
    schema: z
      .string()
      .transform((value) => value.split(',').map((host) => host.trim().toLowerCase()))
      .pipe(z.array(z.string().regex(/^(\*\.)?[\w.-]+$/, 'must be host names separated by commas'))),
  }),
  AUDIO_CACHE_MB: setting({
    about: 'Memory for what was spoken before, in megabytes: it costs no credits again. 0 keeps nothing in memory.',
    obtain: 'A whole number from 0 to 4096; a megabyte is two minutes of speech.',
    fallback: '64',
    schema: wholeNumber(4096),
  }),
  AUDIO_CACHE_DISK_MB: setting({
    about:
      'Room for it in DATA_DIR, in megabytes: what is there survives a restart. Never a text, only sound. 0 keeps nothing there.',
    obtain: 'A whole number from 0 to 102400.',
    fallback: '512',
    schema: wholeNumber(102_400),
  }),
  AUDIO_CACHE_DAYS: setting({
    about: 'How many days what was spoken is kept there.',
    obtain: 'A whole number from 0 to 3650; 0 keeps nothing there.',
    fallback: '7',
    schema: wholeNumber(3650),
  }),
  FFMPEG_BIN: setting({
    about:
      'The ffmpeg to use for audio that is neither WAV nor MP3. Unset: the one that came with npm ci, or the system’s.',
    obtain: 'The path of an ffmpeg on this machine (which ffmpeg).',
    schema: z.string().refine((path) => existsSync(path), 'names a file that does not exist'),
  }),
  DATA_DIR: setting({
    about: 'The folder for everything the bot keeps.',
    obtain: 'A folder the bot may write to; it is created when missing.',
    fallback: 'data',
    schema: z.string().superRefine((folder, context) => {
      const problem = folderProblem(folder);
      if (problem !== undefined) context.addIssue(problem);
    }),
  }),
  METRICS_PORT: setting({
    about: 'The port of /metrics, /healthz and /readyz. auto takes any free one and logs it, off serves none of them.',
    obtain: 'A free port from 1 to 65535, auto, or off.',
    fallback: '9464',
    schema: z
      .string()
      .regex(/^(auto|off|[1-9]\d{0,4})$/, 'must be a port from 1 to 65535, auto or off')
      .transform((value) => (value === 'auto' || value === 'off' ? value : Number(value)))
      .refine((value) => typeof value === 'string' || value <= 65_535, 'must be at most 65535'),
  }),
  METRICS_HOST: setting({
    about: 'The address they listen on. Whoever reaches it can read the figures: 0.0.0.0 only inside a container.',
    obtain: 'An IP address of this machine; 127.0.0.1 keeps them on it.',
    fallback: '127.0.0.1',
    schema: z.string().refine((value) => isIP(value) !== 0, 'must be an IP address'),
  }),
  DRAIN_TIMEOUT_MS: setting({
    about: 'How long, told to stop by SIGTERM, the bot goes on with what it is speaking, in milliseconds.',
    obtain: 'A whole number from 0 to 600000; give whatever stops the bot 15 seconds more than that.',
    fallback: '60000',
    schema: z
      .string()
      .regex(/^\d+$/, 'must be a whole number')
      .transform(Number)
      .pipe(z.number().max(600_000, 'must be at most 600000')),
  }),
  SPENDING_PER_DAY: setting({
    about: 'How many credits all servers together may use in a day, which begins at 00:00 UTC.',
    obtain: 'A whole number of credits; what you can bear to lose in a day.',
    fallback: '200000',
    schema: credits,
  }),
  SPENDING_PER_SERVER_PER_DAY: setting({
    about: 'How many credits one server may use in a day. Its admins may lower that for their server.',
    obtain: 'A whole number of credits.',
    fallback: '100000',
    schema: credits,
  }),
  SPENDING_PER_MEMBER_PER_DAY: setting({
    about: 'How many credits one person may use in a day, everywhere. Admins may lower that for their server.',
    obtain: 'A whole number of credits.',
    fallback: '20000',
    schema: credits,
  }),
  CREDITS_WARNING: setting({
    about: 'Below how many credits the bot warns its owner, once until more have come in. 0: never.',
    obtain: 'A whole number of credits; about what a few days need.',
    fallback: '10000',
    schema: credits,
  }),
  TOP_UP_URL: setting({
    about: 'Where credits can be bought. It is shown to everybody who is told that none are left.',
    obtain: 'The address of that page in the dashboard of your account at the speech service.',
    schema: webAddress,
  }),
  OWNER_IDS: setting({
    about: 'Users who count as the bot’s owners, besides the owner of its application or that one’s team.',
    obtain:
      'Discord → Settings → Advanced → Developer Mode, then right-click the person → Copy User ID; commas between.',
    schema: snowflakes,
  }),
  OWNER_SERVER: setting({
    about:
      'The server in which /owner is offered, to its administrators; it answers the owners alone. Unset: in direct messages with the bot.',
    obtain: 'A private server of yours with the bot in it: right-click it → Copy Server ID, as for OWNER_IDS.',
    schema: snowflake,
  }),
  ALLOWED_SERVERS: setting({
    about: 'The servers the bot works in; it leaves all others with a word of why. Unset: any server that invites it.',
    obtain:
      'Discord → Settings → Advanced → Developer Mode, then right-click the server → Copy Server ID; commas between.',
    schema: snowflakes,
  }),
  DIRECT_USE: setting({
    about: 'Whether the bot can be used in direct messages, and in servers that it is not in.',
    obtain: 'on or off. Whoever uses it there spends your credits, within SPENDING_PER_MEMBER_PER_DAY.',
    fallback: 'off',
    schema: z.enum(['on', 'off'], 'must be on or off'),
  }),
  READ_MESSAGES: setting({
    about:
      'Whether servers may have the messages of chosen channels read out. Their admins choose them with /settings; on alone reads nothing.',
    obtain:
      'on or off. Before on: https://discord.com/developers/applications → your application → Bot → Privileged Gateway Intents → Message Content Intent.',
    fallback: 'off',
    schema: z.enum(['on', 'off'], 'must be on or off'),
  }),
  DISCORD_GUILD_ID: setting({
    about: 'Register the commands in this one server only, for development. Unset: in all servers.',
    obtain: 'Discord → Settings → Advanced → Developer Mode, then right-click the server → Copy Server ID.',
    schema: snowflake,
  }),
  DISCORD_API_URL: setting({
    about: 'Another address for Discord’s API, for a proxy or a Discord of your own. Unset: the real one.',
    obtain: 'Leave it unset to use Discord itself.',
    schema: webAddress,
  }),
  LOG_LEVEL: setting({
    about: 'How much is logged: trace, debug, info, warn, error or silent.',
    obtain: 'One of trace, debug, info, warn, error, silent.',
    fallback: 'info',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'must be one of the levels'),
  }),
  LOG_FORMAT: setting({
    about: 'How the log looks: pretty for people, json for machines.',
    obtain: 'json or pretty.',
    fallback: 'pretty',
    schema: z.enum(['json', 'pretty'], 'must be json or pretty'),
  }),
};

export type Variable = keyof typeof SETTINGS;
type ValueOf<Name extends Variable> = z.output<(typeof SETTINGS)[Name]['schema']>;
type Environment = Readonly<Record<string, string | undefined>>;

export interface Config {
  readonly discord: {
    readonly token: string;
    readonly apiUrl?: URL;
    readonly guildId?: string;
    /** Discord tells of messages and what they say: needs a privileged intent. */
    readonly readsMessages: boolean;
  };
  readonly speech:
    | {
        readonly kind: 'local';
        /** Environment of the speech service's child process: which engine speaks for it. */
        readonly engine: Readonly<Record<string, string>>;
        readonly engineKey?: string;
      }
    | { readonly kind: 'service'; readonly url: URL; readonly key: string; readonly authHeaderPrefix: string };
  readonly speechTimeoutMs: number;
  readonly audio: { readonly allowedHosts?: readonly string[]; readonly ffmpegPath?: string };
  /** What is kept of what was spoken; 0 bytes: nothing. */
  readonly audioCache: { readonly memoryBytes: number; readonly diskBytes: number; readonly diskMs: number };
  readonly dataDir: string;
  /** In credits a day. */
  readonly limits: { readonly total: number; readonly perServer: number; readonly perMember: number };
  readonly credits: { readonly warnBelow: number; readonly topUpUrl?: URL };
  readonly access: {
    readonly ownerIds: readonly string[];
    /** Where the owner's commands are; undefined: in direct messages. */
    readonly ownerServer?: string;
    /** Undefined: any server. */
    readonly allowedServers?: readonly string[];
    readonly directUse: boolean;
  };
  readonly metrics: { readonly port: ValueOf<'METRICS_PORT'>; readonly host: string };
  readonly drainTimeoutMs: number;
  readonly log: { readonly level: ValueOf<'LOG_LEVEL'>; readonly format: ValueOf<'LOG_FORMAT'> };
}

export interface ConfigProblem {
  /** Empty when the settings could not be looked at. */
  readonly variables: readonly Variable[];
  readonly what: string;
  readonly obtain: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** Turns an environment into a configuration, or into everything that is wrong with it at once. */
export function readConfig(environment: Environment): ConfigResult {
  const problems: ConfigProblem[] = [];

  function value<Name extends Variable>(variable: Name): ValueOf<Name> | undefined {
    const { schema, obtain, fallback, required } = SETTINGS[variable] as Setting<ValueOf<Name>>;
    // A line left empty in .env means the same as no line.
    const given = environment[variable]?.trim() || fallback;
    if (given === undefined) {
      if (required) problems.push({ variables: [variable], what: 'is missing', obtain });
      return undefined;
    }
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    problems.push({ variables: [variable], what: parsed.error.issues[0]?.message ?? 'is wrong', obtain });
    return undefined;
  }

  const token = value('DISCORD_TOKEN');
  const apiUrl = value('DISCORD_API_URL');
  const guildId = value('DISCORD_GUILD_ID');
  const url = value('VOICE_API_URL');
  const key = value('VOICE_API_KEY');
  const authHeaderPrefix = value('VOICE_AUTH_HEADER_PREFIX');
  const engineKey = value('SPEECH_ENGINE_KEY');
  const engine = {
    SPEECH_ENGINE_URL: value('SPEECH_ENGINE_URL'),
    SPEECH_ENGINE_KEY: engineKey,
    SPEECH_ENGINE_MODEL: value('SPEECH_ENGINE_MODEL'),
    SPEECH_ENGINE_VOICES: value('SPEECH_ENGINE_VOICES'),
  };
  const speechTimeoutMs = value('SPEECH_TIMEOUT_MS');
  const allowedHosts = value('AUDIO_HOSTS');
  const cacheMb = value('AUDIO_CACHE_MB');
  const cacheDiskMb = value('AUDIO_CACHE_DISK_MB');
  const cacheDays = value('AUDIO_CACHE_DAYS');
  const ffmpegPath = value('FFMPEG_BIN');
  const dataDir = value('DATA_DIR');
  const total = value('SPENDING_PER_DAY');
  const perServer = value('SPENDING_PER_SERVER_PER_DAY');
  const perMember = value('SPENDING_PER_MEMBER_PER_DAY');
  const warnBelow = value('CREDITS_WARNING');
  const topUpUrl = value('TOP_UP_URL');
  const ownerIds = value('OWNER_IDS') ?? [];
  const ownerServer = value('OWNER_SERVER');
  const allowedServers = value('ALLOWED_SERVERS');
  const directUse = value('DIRECT_USE');
  const readMessages = value('READ_MESSAGES');
  const metricsPort = value('METRICS_PORT');
  const metricsHost = value('METRICS_HOST');
  const drainTimeoutMs = value('DRAIN_TIMEOUT_MS');
  const level = value('LOG_LEVEL');
  const format = value('LOG_FORMAT');

  const given = (variable: Variable) => Boolean(environment[variable]?.trim());
  if (given('VOICE_API_URL') !== given('VOICE_API_KEY')) {
    const [present, absent] = given('VOICE_API_KEY')
      ? (['VOICE_API_KEY', 'VOICE_API_URL'] as const)
      : (['VOICE_API_URL', 'VOICE_API_KEY'] as const);
    problems.push({
      variables: [absent, present],
      what: `go together: ${present} is set and ${absent} is not`,
      obtain: `${SETTINGS[absent].obtain} Or leave both empty to speak with the local voice.`,
    });
  }

  if (
    problems.length > 0 ||
    token === undefined ||
    authHeaderPrefix === undefined ||
    speechTimeoutMs === undefined ||
    cacheMb === undefined ||
    cacheDiskMb === undefined ||
    cacheDays === undefined ||
    dataDir === undefined ||
    total === undefined ||
    perServer === undefined ||
    perMember === undefined ||
    warnBelow === undefined ||
    directUse === undefined ||
    readMessages === undefined ||
    metricsPort === undefined ||
    metricsHost === undefined ||
    drainTimeoutMs === undefined ||
    level === undefined ||
    format === undefined
  ) {
    return { ok: false, problems };
  }
  return {
    ok: true,
    config: {
      discord: { token, ...(apiUrl && { apiUrl }), ...(guildId && { guildId }), readsMessages: readMessages === 'on' },
      speech:
        url && key
          ? { kind: 'service', url, key, authHeaderPrefix }
          : { kind: 'local', engine: definedOf(engine), ...(engineKey && { engineKey }) },
      speechTimeoutMs,
      audio: { ...(allowedHosts && { allowedHosts }), ...(ffmpegPath && { ffmpegPath }) },
      audioCache: {
        memoryBytes: cacheMb * BYTES_PER_MB,
        diskBytes: cacheDays > 0 ? cacheDiskMb * BYTES_PER_MB : 0,
        diskMs: cacheDays * MS_PER_DAY,
      },
      dataDir,
      limits: { total, perServer, perMember },
      credits: { warnBelow, ...(topUpUrl && { topUpUrl }) },
      access: {
        ownerIds,
        ...(ownerServer && { ownerServer }),
        ...(allowedServers && { allowedServers }),
        directUse: directUse === 'on',
      },
      metrics: { port: metricsPort, host: metricsHost },
      drainTimeoutMs,
      log: { level, format },
    },
  };
}

function definedOf(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** All problems as a person reads them in a terminal, each with its variable and how to get the value. */
export function describeProblems(problems: readonly ConfigProblem[]): string {
  const lines = problems.map(
    ({ variables, what, obtain }) => `  ${`${variables.join(' and ')} ${what}`.trim()}\n      ${obtain}`,
  );
  return `Crier cannot start: ${problems.length === 1 ? 'one setting needs' : `${problems.length} settings need`} attention.\n\n${lines.join('\n')}\n\nSettings are variables of the environment, or lines of the file .env (start from .env.example).\n`;
}

/** The text of .env.example: every variable with what it is for, how to get it and its default. */
export function environmentExample(): string {
  const blocks = Object.entries(SETTINGS).map(([variable, { about, obtain, fallback, required }]) => {
    const lines = [`# ${about}`, `# ${obtain}`];
    // Optional ones are commented out, so that the file works as soon as the required ones are filled in.
    lines.push(required ? `${variable}=` : `#${variable}=${fallback ?? ''}`);
    return lines.join('\n');
  });
  return `# Copy this file to .env and fill in what you need. Variables of the environment win over this file.\n\n${blocks.join('\n\n')}\n`;
}

/** Adds `.env` of the current folder to the environment (what is set already wins) and reads the configuration. */
export function loadConfig(): ConfigResult {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
  } catch (error) {
    // A container's mount of a file that is not there makes a folder of this name.
    const what = `.env cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
    const obtain = 'It must be a file that the bot may read: start from .env.example.';
    return { ok: false, problems: [{ variables: [], what, obtain }] };
  }
  return readConfig(process.env);
}

/** What a child process needs of our environment; never a token or a key. */
export function childEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'SystemRoot'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
