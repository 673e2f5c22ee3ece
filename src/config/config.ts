import { existsSync } from 'node:fs';
import type * as z from 'zod';
import { SETTINGS, type Setting } from './environment.ts';

const BYTES_PER_MB = 1024 * 1024;
const MS_PER_DAY = 24 * 60 * 60_000;

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

  for (const variable of ['SPEECH_ENGINE_KEY', 'SPEECH_ENGINE_MODEL', 'SPEECH_ENGINE_VOICES'] as const) {
    if (!given(variable) || given('SPEECH_ENGINE_URL')) continue;
    problems.push({
      variables: [variable],
      what: 'says nothing without SPEECH_ENGINE_URL',
      obtain: `${SETTINGS.SPEECH_ENGINE_URL.obtain} Or leave ${variable} empty.`,
    });
  }
  if (given('SPEECH_ENGINE_URL') && (given('VOICE_API_URL') || given('VOICE_API_KEY'))) {
    problems.push({
      variables: ['SPEECH_ENGINE_URL'],
      what: 'speaks for the local voice, which VOICE_API_URL and VOICE_API_KEY replace',
      obtain: 'Leave it empty to speak through the service, or those two to speak through this server.',
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
