import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  describeProblems,
  describeStrange,
  loadConfig,
  readConfig,
  strangeVariables,
} from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token-of-a-test';

const PAID_LIMITS = { total: 200_000, perServer: 100_000, perMember: 20_000 };
const ENGINE = `
[[engines]]
name = "kokoro"
kind = "openai"
url = "http://127.0.0.1:8880/v1"
key = "k-1"
model = "tts-1"
style = false
credits_per_character = 1
[[engines.voices]]
name = "Nova"
server_name = "nova"
languages = ["en"]
`;

function enginesFile(toml: string, name = 'engines.toml'): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, toml);
  return path;
}

function problemsOf(environment: Record<string, string>) {
  const result = readConfig(environment);
  return result.ok ? [] : result.problems;
}

function configOf(environment: Record<string, string>) {
  const result = readConfig({ DISCORD_TOKEN: TOKEN, ...environment });
  if (!result.ok) throw new Error(describeProblems(result.problems));
  return result.config;
}

describe('the configuration', () => {
  it('limits a paid voice in any case, and the free one where the owner says so', () => {
    const paid = configOf({ VOICE_API_URL: 'https://voice.example.com', VOICE_API_KEY: 'key-1' });
    expect(paid.limits).toEqual(PAID_LIMITS);
    const free = configOf({ SPENDING_PER_SERVER_PER_DAY: '100000' });
    expect(free.limits).toEqual({ total: Infinity, perServer: 100_000, perMember: Infinity });
  });

  it('names the folder in which it looked for a .env, and says so where that is no file, as a container makes it', () => {
    const folder = realpathSync(temporaryFolder());
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(folder);
    const { noFileIn } = loadConfig();
    expect(describeProblems([], noFileIn)).toContain(`There is no .env in ${folder}, the folder in which`);
    mkdirSync(join(folder, '.env'));
    const loaded = loadConfig();
    const unread = [{ what: expect.stringMatching(/^\.env cannot be read \(E/) }];
    expect(loaded).toMatchObject({ ok: false, problems: unread });
  });

  it('needs only the token, and then speaks with the built-in voice', () => {
    const dashboard = { host: '127.0.0.1', port: 0 };
    expect(configOf({})).toEqual({
      discord: { token: TOKEN, readsMessages: false },
      speech: {
        kind: 'local',
        isFree: true,
        isMadeHere: true,
        prices: new Map(),
        soundService: 'local',
        engines: [],
        engine: {},
        engineKeys: [],
        dashboard,
      },
      audio: { limits: { idleTimeoutMs: 65_000, downloadTimeoutMs: 30 * 60_000 } },
      audioCache: { memoryBytes: 64 * 1024 ** 2, diskBytes: 512 * 1024 ** 2 },
      ...{ dataDir: 'data', store: { kind: 'sqlite' } },
      limits: { total: Infinity, perServer: Infinity, perMember: Infinity },
      credits: { warnBelow: 10_000, topUp: 'command', showsBalance: false },
      access: { ownerIds: [], directUse: false },
      metrics: { port: 9464, host: '127.0.0.1' },
      ...{ speechTimeoutMs: 120_000, drainTimeoutMs: 60_000, resumesTexts: true, logLevel: 'info' },
    });
  });

  it('takes a value without the quotation marks that Docker and Kubernetes leave around it', () => {
    expect(configOf({ DISCORD_TOKEN: `"${TOKEN}"`, LOG_LEVEL: "'warn'", VOICE_API_URL: '""' })).toMatchObject({
      discord: { token: TOKEN },
      logLevel: 'warn',
      speech: { kind: 'local' },
    });
  });

  it('takes a range of shards for one of several processes, which share a PostgreSQL', () => {
    const shared = { STORE_URL: 'postgres://crier:secret@db.example/crier', SHARD_COUNT: '16' };
    expect(configOf({ ...shared, SHARDS: '4-7' })).toMatchObject({
      store: { kind: 'postgres', url: shared.STORE_URL },
      shards: { first: 4, last: 7, count: 16 },
    });
    expect(configOf({ ...shared, SHARDS: '5' }).shards).toEqual({ first: 5, last: 5, count: 16 });
    expect(configOf({ ...shared, SHARDS: 'auto' }).shards).toEqual({ first: 0, last: 15, count: 16 });
    expect(configOf({ SHARD_COUNT: '2' }).shards).toEqual({ first: 0, last: 1, count: 2 });
    expect(configOf({ STORE_URL: shared.STORE_URL }).shards).toBeUndefined();
  });

  it.each([
    [{ SHARDS: '0-3', SHARD_COUNT: '8' }, 'SHARDS is for several processes, which need a PostgreSQL in STORE_URL'],
    [{ SHARDS: '0-3', STORE_URL: 'postgres://db/crier' }, 'SHARDS and SHARD_COUNT go together'],
    [{ SHARDS: '4-8', SHARD_COUNT: '8', STORE_URL: 'postgres://db/crier' }, 'has no such shard: SHARD_COUNT is 8'],
    [{ SHARDS: '3-1', SHARD_COUNT: '8', STORE_URL: 'postgres://db/crier' }, 'SHARDS must begin with its lower end'],
    [{ STORE_URL: 'mysql://secret-word@db/crier' }, 'STORE_URL must be sqlite:, or postgres://'],
    [{ STORE_URL: 'postgres://crier:secret-word@db' }, 'STORE_URL must be sqlite:, or postgres://'],
  ])('refuses %j', (environment, what) => {
    const told = describeProblems(problemsOf({ DISCORD_TOKEN: TOKEN, ...environment }));
    expect(told).toContain(what);
    expect(told).not.toContain('secret-word');
  });

  it('takes an empty variable for one that is not set, as in a copied .env.example', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((variable) => [variable, ' ']));
    expect(configOf({ ...empty, DISCORD_TOKEN: TOKEN })).toEqual(configOf({}));
  });

  it('takes the address of a server for a file of one free engine without a key', () => {
    const engine = { SPEECH_ENGINE_URL: 'http://192.168.1.5:8880/v1' };
    const { speech } = configOf(engine);
    const engines = [{ name: 'server', kind: 'openai', url: 'http://192.168.1.5:8880/v1', style: false }];
    expect(speech).toMatchObject({ kind: 'local', isFree: true, engines, engine, engineKeys: [] });
    expect(speech.prices.size).toBe(0);
    const isRefused = (url: string) => problemsOf({ DISCORD_TOKEN: TOKEN, SPEECH_ENGINE_URL: url }).length > 0;
    expect(['tcp://127.0.0.1:10200', 'tcp://[::1]:10200', 'tcp://piper:10200/'].filter(isRefused)).toEqual([]);
    const wrong = ['tcp://host:99999', 'tcp://ho st:10200', 'tcp://[::1:10200', 'tcp://host', '127.0.0.1:8880'];
    expect(wrong.filter((url) => !isRefused(url))).toEqual([]);
  });

  it.each([
    ['off', undefined],
    ['0.0.0.0:8642', { host: '0.0.0.0', port: 8642 }],
    ['[::]:8642', { host: '::', port: 8642 }],
  ])('shows the dashboard of the built-in voice, and the metrics, at %s', (place, at) => {
    expect(configOf({ SPEECH_DASHBOARD: place }).speech).toMatchObject({ dashboard: at });
    expect(configOf({ METRICS_PORT: place }).metrics).toEqual(at ?? { port: 'off', host: '127.0.0.1' });
  });

  it('reads a file of several engines, hands its path to the built-in voice, and names its keys', () => {
    const engine = { SPEECH_ENGINES: enginesFile(ENGINE) };
    expect(configOf(engine).speech).toMatchObject({ engine, engineKeys: ['k-1'], engines: [{ name: 'kokoro' }] });
  });

  it('takes engines that state a price for paid ones: the limits hold as for a service', () => {
    const engine = (more: string) => `[[engines]]\nname = "a"\nkind = "openai"\nurl = "http://a:1/v1"\n${more}`;
    const limitsWith = (more: string) => configOf({ SPEECH_ENGINES: enginesFile(engine(more)) }).limits;
    expect(limitsWith('').total).toBe(Infinity);
    expect(limitsWith('credits_per_character = 0\n').total).toBe(Infinity);
    expect(limitsWith('credits_per_character = 15\n')).toEqual(PAID_LIMITS);
  });

  it('says everything that is wrong with that file at once, beside everything else', () => {
    const path = enginesFile('[[engines]]\nname = "a"\nkind = "wyoming"\nurl = "b"\nlanguages = []\n');
    const told = describeProblems(problemsOf({ SPEECH_ENGINES: path }));
    expect(told).toMatch(
      / {2}SPEECH_ENGINES names .*, which has 2 mistakes:\n {4}.*url must be.*\n {4}.*languages must name/,
    );
    expect(told).toContain('DISCORD_TOKEN is missing');
  });

  it('takes either the file or one server', () => {
    const path = enginesFile('[[engines]]\nname = "a"\nkind = "embedded"\n');
    const both = { DISCORD_TOKEN: TOKEN, SPEECH_ENGINES: path, SPEECH_ENGINE_URL: 'http://192.168.1.5:8880/v1' };
    expect(problemsOf(both)).toMatchObject([{ variables: ['SPEECH_ENGINES', 'SPEECH_ENGINE_URL'] }]);
    const service = { VOICE_API_URL: 'https://voice.example.com', VOICE_API_KEY: 'key-1' };
    expect(problemsOf({ DISCORD_TOKEN: TOKEN, ...service, SPEECH_ENGINES: path })).toMatchObject([
      { variables: ['SPEECH_ENGINES'] },
    ]);
  });

  it('reads what is no plain word or number', () => {
    expect(
      configOf({
        VOICE_API_URL: 'https://voice.example/base',
        VOICE_API_KEY: 'key-1',
        VOICE_AUTH_HEADER_PREFIX: 'Token',
        AUDIO_HOSTS: 'audio.example.com, *.CDN.example.com',
        AUDIO_CACHE_MB: '10',
        FFMPEG_BIN: process.execPath,
        TOP_UP_URL: 'https://voice.example.com/credits',
        SHOW_BALANCE: 'on',
        OWNER_IDS: '123456789012345671',
        ALLOWED_SERVERS: '123456789012345672, 123456789012345673',
        METRICS_PORT: '0.0.0.0:9999',
        DISCORD_API_URL: 'http://127.0.0.1:1234/api',
      }),
    ).toMatchObject({
      discord: { apiUrl: new URL('http://127.0.0.1:1234/api') },
      speech: { kind: 'service', url: new URL('https://voice.example/base'), key: 'key-1', authHeaderPrefix: 'Token' },
      audio: { allowedHosts: ['audio.example.com', '*.cdn.example.com'], ffmpegPath: process.execPath },
      audioCache: { memoryBytes: 10 * 1024 ** 2, diskBytes: 10 * 1024 ** 2 },
      credits: { topUp: new URL('https://voice.example.com/credits'), showsBalance: true },
      access: { ownerIds: ['123456789012345671'], allowedServers: ['123456789012345672', '123456789012345673'] },
      metrics: { port: 9999, host: '0.0.0.0' },
    });
  });

  it('waits longer for audio of the built-in service than that waits for a slow engine', () => {
    const { limits } = configOf({ SPEECH_TIMEOUT_MS: '300000' }).audio;
    expect(limits?.idleTimeoutMs).toBe(155_000);
  });

  it('lists all problems at once, each with its variable and how to get the value', () => {
    const told = describeProblems(
      problemsOf({ OWNER_IDS: 'mine', SPEECH_TIMEOUT_MS: '5', LOG_LEVEL: 'loud', VOICE_API_URL: 'ftp://x' }),
    );
    for (const variable of ['DISCORD_TOKEN', 'OWNER_IDS', 'SPEECH_TIMEOUT_MS', 'LOG_LEVEL', 'VOICE_API_URL'] as const) {
      expect(told).toContain(variable);
      expect(told).toContain(SETTINGS[variable].obtain);
    }
  });

  it.each(['a'.repeat(64), 'MTAwMDAwMDAwMDAwMDAwMDAx.fake'])('takes %s for no token, without repeating it', (value) => {
    const problems = problemsOf({ DISCORD_TOKEN: value });
    expect(problems).toMatchObject([
      { variables: ['DISCORD_TOKEN'], what: expect.stringMatching(/^is not a bot token/) },
    ]);
    expect(describeProblems(problems)).not.toContain(value);
  });

  it.each([
    ['yes', 'no'],
    ['TRUE', 'False'],
    ['1', '0'],
  ])('takes %s and %s for on and off', (on, off) => {
    expect(configOf({ READ_MESSAGES: on, RESUME_TEXTS: off })).toMatchObject({
      discord: { readsMessages: true },
      resumesTexts: false,
    });
    expect(configOf({ SPEECH_DASHBOARD: off }).speech).toMatchObject({ dashboard: undefined });
  });

  const SERVICE = { VOICE_API_KEY: 'key-that-is-secret' };
  it.each<[Record<string, string>, string]>([
    [{ VOICE_API_KEY: 'key-that-is-secret' }, 'go together: only VOICE_API_KEY is set'],
    [{ VOICE_API_URL: 'https://voice.example.com' }, 'go together: only VOICE_API_URL is set'],
    [{ METRICS_PORT: '0' }, 'must be a port from 1 to 65535'],
    [{ METRICS_PORT: '65536' }, 'must be a port from 1 to 65535'],
    [{ METRICS_PORT: 'localhost:9464' }, 'must be a port from 1 to 65535'],
    [{ SPEECH_DASHBOARD: 'maybe' }, 'must be on, off, or an IP address'],
    [{ SPEECH_DASHBOARD: 'localhost:8642' }, 'must be on, off, or an IP address'],
    [{ SPEECH_DASHBOARD: '0.0.0.0:0' }, 'must be on, off, or an IP address'],
    // The value is not repeated: a pasted one may be a secret.
    [{ ALLOWED_SERVERS: '123456789012345672, secret' }, 'separated by commas, without quotation marks'],
    [{ SPENDING_PER_DAY: '1,000' }, 'must be a whole number of credits, without separators'],
    [{ SPENDING_PER_DAY: '1.5' }, 'must be a whole number of credits'],
    [{ FFMPEG_BIN: join(tmpdir(), 'no-such-ffmpeg') }, 'names no file'],
    [{ DISCORD_API_URL: 'http://example.com/api' }, 'must start with https://'],
    [{ DISCORD_API_URL: 'http://localhost.example.com/' }, 'must start with https://'],
    [{ DATA_DIR: '~/crier' }, 'begins with ~, which a shell alone understands'],
    [{ ...SERVICE, VOICE_API_URL: 'https://me:secret@a.example' }, 'must not hold a user name or password'],
    [{ ...SERVICE, VOICE_API_URL: 'https://api.openai.com/v1' }, 'is an engine of SPEECH_ENGINES'],
    [{ ...SERVICE, VOICE_API_URL: 'https://polly.eu-central-1.amazonaws.com' }, 'is an address of Amazon Polly'],
    [{ SPEECH_ENGINE_URL: 'https://api.elevenlabs.io/v1' }, 'is an address of ElevenLabs'],
  ])('refuses %j alone, without repeating a secret', (environment, what) => {
    const problems = problemsOf({ DISCORD_TOKEN: TOKEN, ...environment });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.what).toContain(what);
    expect(describeProblems(problems)).not.toContain('secret');
  });

  it('takes plain http on this machine, and OpenAI for an engine', () => {
    expect(problemsOf({ DISCORD_TOKEN: TOKEN, DISCORD_API_URL: 'http://localhost:1/api' })).toEqual([]);
    expect(problemsOf({ DISCORD_TOKEN: TOKEN, SPEECH_ENGINE_URL: 'https://api.openai.com/v1' })).toEqual([]);
    const path = enginesFile('[[engines]]\nname = "cloud"\nkind = "openai"\nurl = "https://api.elevenlabs.io/v1"\n');
    expect(problemsOf({ DISCORD_TOKEN: TOKEN, SPEECH_ENGINES: path })).toHaveLength(1);
  });

  // After a change of the settings: npx vitest run test/config/config.test.ts -u
  it('is what .env.example describes', async () => {
    const blocks = Object.entries(SETTINGS).map(([variable, { about, obtain, fallback = '', required }]) =>
      // Optional variables are comments, so that only the required ones must be filled in.
      [`# ${about}`, `# ${obtain}`, required ? `${variable}=` : `#${variable}=${fallback}`].join('\n'),
    );
    const start = '# Copy this file to .env and fill in what you need. Environment variables override this file.';
    await expect(`${[start, ...blocks].join('\n\n')}\n`).toMatchFileSnapshot('../../.env.example');
  });
});

it('speech is made beside the bot where no server stands behind the built-in voice', () => {
  const embedded = 'name = "own"\nkind = "embedded"\n';
  const server = 'name = "a"\nkind = "openai"\nurl = "http://a:1/v1"\n';
  const isOf = (environment: Record<string, string>) => configOf(environment).speech.isMadeHere;
  expect(isOf({})).toBe(true);
  expect(isOf({ SPEECH_ENGINES: enginesFile(`[[engines]]\n${embedded}`) })).toBe(true);
  expect(isOf({ SPEECH_ENGINES: enginesFile(`[[engines]]\n${embedded}[[engines]]\n${server}`) })).toBe(false);
  expect(isOf({ SPEECH_ENGINE_URL: 'http://192.168.1.5:8880/v1' })).toBe(false);
  expect(isOf({ VOICE_API_URL: 'https://voice.example.com', VOICE_API_KEY: 'key-1' })).toBe(false);
});

describe('sound of a file of engines', () => {
  const serviceOf = (toml: string, file?: string) =>
    configOf({ SPEECH_ENGINES: enginesFile(toml, file) }).speech.soundService;

  it.each([
    [':8880/v1', ':8881/v1'],
    ['"tts-1"', '"tts-1-hd"'],
    ['style = false', 'style = true'],
    ['"nova"', '"alloy"'],
  ])('is made again where the file has %s changed to %s', (said, other) => {
    expect(serviceOf(ENGINE.replace(said, other))).not.toBe(serviceOf(ENGINE));
  });

  it('is kept where the key, the price or the name of the file changes, which it does not tell', () => {
    const changed = ENGINE.replace('"k-1"', '"k-2"').replace('character = 1', 'character = 2');
    expect(serviceOf(changed, 'renamed.toml')).toBe(serviceOf(ENGINE));
    expect(serviceOf(ENGINE)).not.toContain('k-1');
  });
});

const said = (environment: Readonly<Record<string, string>>, file?: Readonly<Record<string, string>>) =>
  strangeVariables(environment, file).map(describeStrange);

it('a name in .env that is no setting is named, but not what may be a key with = at its end', () => {
  expect(said({ c2VjcmV0LWtleQ: '=' }, { c2VjcmV0LWtleQ: '=', READ_MESSAGE: 'on', COLOR: 'red' })).toEqual([
    'READ_MESSAGE is not a setting of Crier: did you mean READ_MESSAGES?',
    'COLOR is not a setting of Crier',
  ]);
});

// There a container or a unit puts the lines of its file.
it('a variable of the environment that is nearly a setting is named, and other programs’ are not', () => {
  expect(said({ AUDIO_CACHES_MB: '1', SPENDINGS_PER_DAY: '2' })).toEqual([
    'AUDIO_CACHES_MB is not a setting of Crier: did you mean AUDIO_CACHE_MB?',
    'SPENDINGS_PER_DAY is not a setting of Crier: did you mean SPENDING_PER_DAY?',
  ]);
  // No slip, and nobody else's.
  expect(said({ SPEECH_ENGINE_PRICE: '3' })).toEqual(['SPEECH_ENGINE_PRICE is not a setting of Crier']);
  const others = { VOICE_API_PORT: '1', LOG_FILE: 'l', SPEECH_SERVICE_FAULTS: '', DATABASE_URL: 'd', PATH: '/' };
  expect(said(others)).toEqual([]);
});
