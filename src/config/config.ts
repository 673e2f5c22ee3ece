import type * as z from 'zod';
import { OperatorError } from '../errors/operator-error.ts';
import { type EnvFile, loadEnvFile, WrongEncoding } from '../process/env-file.ts';
import { nearestWord } from '../process/nearest-word.ts';
import { engineDeadlineMs, havePrices, statedPrices } from '../speech/engines/engines-file.ts';
import { environmentSchema, SETTINGS, type Variable } from './environment.ts';

const BYTES_PER_MB = 1024 * 1024;
/** The audio cache in memory holds about two hours of speech: repeated texts are played without reading the disk. */
const AUDIO_IN_MEMORY_BYTES = 64 * BYTES_PER_MB;

/** Downloads from the built-in service wait 5 s longer than it waits for an engine. A clip of 10 min may take a slow engine 30 min. */
const localDownloads = (speechTimeoutMs: number) => ({
  idleTimeoutMs: engineDeadlineMs(speechTimeoutMs) + 5_000,
  downloadTimeoutMs: 30 * 60_000,
});

type Environment = Readonly<Record<string, string | undefined>>;

export type Config = ReturnType<typeof configOf>;

function configOf(values: z.output<typeof environmentSchema>, given: Environment) {
  const speech = speechOf(values);
  /** If speech is free, a spending limit applies only if the owner has set it. */
  const limitOf = (variable: 'SPENDING_PER_DAY' | 'SPENDING_PER_SERVER_PER_DAY' | 'SPENDING_PER_MEMBER_PER_DAY') =>
    speech.isFree && given[variable] === undefined ? Number.POSITIVE_INFINITY : values[variable];
  return {
    discord: {
      token: values.DISCORD_TOKEN,
      apiUrl: values.DISCORD_API_URL,
      /** If true, the bot requests a privileged intent, with which Discord sends it all messages. */
      readsMessages: values.READ_MESSAGES === 'on',
    },
    speech,
    speechTimeoutMs: values.SPEECH_TIMEOUT_MS,
    audio: {
      allowedHosts: values.AUDIO_HOSTS,
      ffmpegPath: values.FFMPEG_BIN,
      limits: speech.kind === 'local' ? localDownloads(values.SPEECH_TIMEOUT_MS) : undefined,
    },
    audioCache: {
      memoryBytes: Math.min(AUDIO_IN_MEMORY_BYTES, values.AUDIO_CACHE_MB * BYTES_PER_MB),
      diskBytes: values.AUDIO_CACHE_MB * BYTES_PER_MB,
    },
    dataDir: values.DATA_DIR,
    store: values.STORE_URL,
    /** If undefined, this process runs all shards, as many as Discord recommends. */
    shards: shardsOf(values),
    /** Spending limits of the bot, a server and a member: credits a day, or characters if speech is free. Infinity means no limit. */
    limits: {
      total: limitOf('SPENDING_PER_DAY'),
      perServer: limitOf('SPENDING_PER_SERVER_PER_DAY'),
      perMember: limitOf('SPENDING_PER_MEMBER_PER_DAY'),
    },
    credits: {
      warnBelow: values.CREDITS_WARNING,
      /** How the owner adds credits: with a command for the built-in speech service, otherwise at a web address. */
      topUp: speech.kind === 'local' ? 'command' : values.TOP_UP_URL,
      showsBalance: values.SHOW_BALANCE === 'on',
    },
    access: {
      ownerIds: values.OWNER_IDS ?? [],
      allowedServers: values.ALLOWED_SERVERS,
      directUse: values.DIRECT_USE === 'on',
    },
    metrics: values.METRICS_PORT,
    drainTimeoutMs: values.DRAIN_TIMEOUT_MS,
    resumesTexts: values.RESUME_TEXTS === 'on',
    logLevel: values.LOG_LEVEL,
  } as const;
}

/** The fields of an engine that change how it sounds. */
const SOUND_FIELDS = ['name', 'kind', 'url', 'model', 'style', 'voices', 'server_name'];

function speechOf(values: z.output<typeof environmentSchema>) {
  const { VOICE_API_URL: url, VOICE_API_KEY: key, VOICE_AUTH_HEADER_PREFIX: authHeaderPrefix } = values;
  if (url && key) {
    const terms = { isFree: false, isMadeHere: false, prices: statedPrices([]) };
    return { kind: 'service', url, key, authHeaderPrefix, ...terms, soundService: url.href } as const;
  }
  const { SPEECH_ENGINES: file, SPEECH_ENGINE_URL: server } = values;
  const { engines = [] } = file ?? server ?? {};
  const engine: Readonly<Record<string, string>> = file
    ? { SPEECH_ENGINES: file.path }
    : server
      ? { SPEECH_ENGINE_URL: server.url }
      : {};
  return {
    kind: 'local',
    /** True if speech costs no credits, which is so for the built-in speech service unless its engines have prices. */
    isFree: !havePrices(engines),
    /** True if all speech is made on this machine, so that members' texts never leave it. */
    isMadeHere: engines.every(({ kind }) => kind === 'embedded'),
    /** By model, the credits per character that the engines file states; empty if no engine has a price. */
    prices: statedPrices(engines),
    /**
     * Identifies the speech service for which audio and texts are stored: not by its address, which has no fixed port,
     * nor by keys and prices, because stored audio stays usable if they change.
     */
    soundService: engines.length === 0 ? 'local' : `local ${JSON.stringify(engines, SOUND_FIELDS)}`,
    /** The engines of the built-in speech service. If empty, only its own voice and those installed with `npm run voices` speak. */
    engines,
    /** The process of the built-in speech service reads these environment variables. */
    engine,
    dashboard: values.SPEECH_DASHBOARD,
    engineKeys: engines.flatMap((one) => (one.kind === 'openai' && one.key !== undefined ? [one.key] : [])),
  } as const;
}

function shardsOf({ SHARDS: range, SHARD_COUNT: count }: z.output<typeof environmentSchema>) {
  return count === undefined ? undefined : { ...(range ?? { first: 0, last: count - 1 }), count };
}

export interface ConfigProblem {
  /** The environment variables that cause the problem; empty if the settings could not be read. */
  readonly variables: readonly Variable[];
  readonly what: string;
  readonly obtain: string;
}

type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export function readConfig(environment: Environment): ConfigResult {
  // A variable with an empty value, such as `NAME=` in .env, counts as unset.
  const written = Object.entries(environment).map(([name, value]) => [name, unquoted(value?.trim() ?? '')] as const);
  const given: Environment = Object.fromEntries(written.filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  const problems = [...(parsed.success ? [] : wrongValues(parsed.error)), ...conflicts(given)];
  return parsed.success && problems.length === 0
    ? { ok: true, config: configOf(parsed.data, given) }
    : { ok: false, problems };
}

/** Docker and Kubernetes keep the quotation marks around a value of an env file. No setting needs them. */
const unquoted = (value: string): string => /^(["'])(.*)\1$/s.exec(value)?.[2]?.trim() ?? value;

function wrongValues({ issues }: z.ZodError): ConfigProblem[] {
  const firsts = issues.filter(({ path }, index) => issues.findIndex((issue) => issue.path[0] === path[0]) === index);
  return firsts.map(({ path, message }) => {
    const variable = path[0] as Variable;
    return { variables: [variable], what: message, obtain: SETTINGS[variable].obtain };
  });
}

function conflicts(given: Environment): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const refuse = (variables: readonly Variable[], what: string, obtain: string) =>
    problems.push({ variables, what, obtain });
  const [url, key] = ['VOICE_API_URL', 'VOICE_API_KEY'] as const;
  if (Boolean(given[url]) !== Boolean(given[key])) {
    const [present, absent] = given[url] ? [url, key] : [key, url];
    const obtain = `${SETTINGS[absent].obtain} Or leave both empty to speak with the built-in voice.`;
    refuse([absent, present], `go together: only ${present} is set`, obtain);
  }
  const hasRange = given.SHARDS !== undefined && given.SHARDS !== 'auto';
  const [, last] = /(\d+)$/.exec(given.SHARDS ?? '') ?? [];
  if (hasRange && !given.SHARD_COUNT) {
    const obtain = `${SETTINGS.SHARD_COUNT.obtain} Or leave SHARDS empty.`;
    refuse(['SHARDS', 'SHARD_COUNT'], 'go together: only SHARDS is set', obtain);
  } else if (hasRange && Number(last) >= Number(given.SHARD_COUNT)) {
    const what = `has no such shard: SHARD_COUNT is ${given.SHARD_COUNT}, and the first shard is 0`;
    refuse(['SHARDS'], what, SETTINGS.SHARDS.obtain);
  }
  // Without a shared store, each process would apply the spending limits separately.
  if (hasRange && !/^postgres(ql)?:/.test(given.STORE_URL ?? '')) {
    const what = 'is for several processes, which need a PostgreSQL in STORE_URL';
    refuse(['SHARDS'], what, 'Leave SHARDS empty: one process then has all shards.');
  }
  const [file, server] = ['SPEECH_ENGINES', 'SPEECH_ENGINE_URL'] as const;
  if (given[file] && given[server]) {
    const what = 'cannot both be set: a server is one of the engines of the file, or the only one';
    refuse([file, server], what, 'Leave one of them empty.');
  }
  for (const variable of [file, server]) {
    if (!given[variable] || !(given[url] || given[key])) continue;
    const what = 'speaks for the built-in voice, which VOICE_API_URL and VOICE_API_KEY replace';
    const obtain = 'Leave it empty to speak through the service, or those two to speak through this server.';
    refuse([variable], what, obtain);
  }
  return problems;
}

/** `noFileIn` is the folder without a `.env` in which the bot was started. */
export function describeProblems(problems: readonly ConfigProblem[], noFileIn?: string): string {
  const lines = problems.map(
    ({ variables, what, obtain }) =>
      `  ${`${variables.join(' and ')} ${what}`.trim().replaceAll('\n', '\n    ')}\n      ${obtain}`,
  );
  const names = new Set(
    problems.flatMap(({ variables, what }): readonly string[] => (variables.length > 0 ? variables : [what])),
  );
  const count = names.size === 1 ? 'one setting needs' : `${names.size} settings need`;
  const noFile =
    noFileIn === undefined ? '' : `\nThere is no .env in ${noFileIn}, the folder in which this was started.`;
  return `Settings are variables of the environment, or lines of the file .env (start from .env.example).${noFile}\n\n${lines.join('\n')}\n\nCrier cannot start: ${count} attention (${[...names].join(', ')}).\n`;
}

export function loadConfig(): ConfigResult & { readonly file?: EnvFile | undefined; readonly noFileIn?: string } {
  let file: EnvFile | undefined;
  try {
    file = loadEnvFile();
  } catch (error) {
    if (error instanceof WrongEncoding) {
      return { ok: false, problems: [{ variables: [], what: error.message, obtain: error.remedy }] };
    }
    // If a container mounts a `.env` that does not exist, a folder of that name is created, which cannot be read.
    const what = `.env cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
    const obtain = 'It must be a file that the bot may read: start from .env.example.';
    return { ok: false, problems: [{ variables: [], what, obtain }] };
  }
  return { ...readConfig(process.env), file, noFileIn: file === undefined ? process.cwd() : undefined };
}

/** Ignores wrong settings other than DATA_DIR. Throws if `.env` cannot be read: the file may set another DATA_DIR. */
export function loadDataDir(): string {
  const loaded = loadConfig();
  if (loaded.ok) return loaded.config.dataDir;
  const unread = loaded.problems.find(({ variables }) => variables.length === 0);
  if (unread) throw new OperatorError(`${unread.what}\n${unread.obtain}`);
  return process.env.DATA_DIR || 'data';
}

interface StrangeVariable {
  readonly name: string;
  readonly nearest: string | undefined;
}

/** Outside of `.env`, a variable with more than two typing errors probably belongs to another program. */
const SLIPS = 2;
/** A misspelled variable with one of these prefixes causes a warning: an ignored limit may cost money. */
const OURS = /^(?:SPEECH_ENGINE|SPENDING_)/;
const KNOWN = Object.keys(SETTINGS);
const isKnown = (name: string) => KNOWN.includes(name);

/** True for text that looks like a variable's name. Other text before `=` in .env may be a secret, and is not shown. */
const isName = (name: string) => /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/.test(name) || nearestSetting(name) !== undefined;
const nearestSetting = (name: string) => nearestWord(name.toUpperCase(), KNOWN);

/** Finds names in .env that are no settings, and environment variables that look like misspelled settings. */
export function strangeVariables(environment: Environment, file: EnvFile | undefined): StrangeVariable[] {
  const namesInFile = Object.keys(file ?? {});
  const inFile = namesInFile.filter((name) => !isKnown(name) && isName(name));
  const elsewhere = Object.keys(environment).filter((name) => !isKnown(name) && !namesInFile.includes(name));
  return [
    ...inFile.map((name) => ({ name, nearest: nearestSetting(name) })),
    ...elsewhere.flatMap((name) => {
      const nearest = nearestWord(name.toUpperCase(), KNOWN, Math.min(SLIPS, name.length / 4));
      return nearest === undefined && !OURS.test(name) ? [] : [{ name, nearest }];
    }),
  ];
}

export function describeStrange({ name, nearest }: StrangeVariable): string {
  return `${name} is not a setting of Crier${nearest === undefined ? '' : `: did you mean ${nearest}?`}`;
}
