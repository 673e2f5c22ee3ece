import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_KEY, startSpeechApi } from '../../bench/speech-api.ts';
import { type BotLogLine, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import type { Listener } from '../../src/playground/voice/listening/listener.ts';
import { type Person, startWorld, type WorldServer } from '../../src/playground/world/world.ts';
import { createSettings, type ServerSettings } from '../../src/services/servers/server-settings.ts';
import { openDatabase, sqlOf } from '../../src/services/storage/database.ts';
import { createStore } from '../../src/services/storage/store.ts';
import { createServerDictionaries, type DictionaryEntry } from '../../src/services/text/dictionary.ts';
import { silentLog } from '../silent-log.ts';
import { CRAFTED_ENTRIES, CRAFTED_WORDS, ORDINARY_ENTRIES, ORDINARY_WORDS } from './texts.ts';

const PROBE = new URL('./turn-probe.ts', import.meta.url).href;
const MAX_TURN_MS = 20_000;
/** The time of the probe's reference work on a quiet core of the machine on which the limit was chosen. */
const QUIET_REFERENCE_MS = 1.25;
/** The maximum correction for a slow processor: a turn of 2.5 times the limit always fails. */
const MAX_SLOWNESS = 2.5;
/** Fast speech keeps its audio short: making audio also takes turns of the event loop. */
const CHARACTERS_A_SECOND = 40;
/** Members who keep the bot speaking for longer than all inputs take. */
const ENDLESS_TEXTS = ['alice', 'bob', 'olga'];
const MEMBERS = 2;
/** The nickname is read out before each message. */
const NICKNAME = 'i1|!l'.repeat(6);

const LANGUAGES = ['en-US 🇺🇸', 'de', 'fr', 'en-GB 🇬🇧'];
const VOICES = Array.from({ length: 130 }, (_, at) => ({
  id: `${String(at).padStart(8, '0')}-1111-4111-8111-111111111111`,
  name: `voice ${at}`,
  model: ['orpheus', 'gpro31', 'ext'][at % 3],
  language: LANGUAGES[at % LANGUAGES.length],
  takes_language: at % 2 === 0,
}));

/** A server with its rules. `next` returns its members in turn. */
type Place = ReturnType<typeof placeIn>;

export type PlaceName = 'no rules' | 'ordinary rules' | 'crafted rules' | 'other rules';

const RULES: Readonly<Record<PlaceName, { settings: ServerSettings; entries: readonly DictionaryEntry[] }>> = {
  'no rules': { settings: {}, entries: [] },
  'other rules': { settings: {}, entries: ORDINARY_ENTRIES },
  'ordinary rules': {
    settings: { blockedWords: [...ORDINARY_WORDS], blockedWordsMode: 'bleep' },
    entries: ORDINARY_ENTRIES,
  },
  'crafted rules': {
    settings: {
      blockedWords: [...CRAFTED_WORDS],
      blockedWordsExceptions: [...ORDINARY_WORDS],
      blockedWordsMode: 'bleep',
    },
    entries: CRAFTED_ENTRIES,
  },
};

/** Starts a bot that speaks without end in one server, with members and rules in others. */
export async function openStage() {
  const dataDir = mkdtempSync(join(tmpdir(), 'crier-stall-'));
  const api = await startSpeechApi({
    apiMs: () => 5,
    seconds: (characters) => characters / CHARACTERS_A_SECOND,
    voices: VOICES,
  });
  const world = await startWorld({ privilegedIntents: ['MessageContent'] });
  const places = Object.fromEntries(
    (Object.keys(RULES) as PlaceName[]).map((name) => [name, placeIn(world.newServer(name))]),
  ) as Record<PlaceName, Place>;
  await keepRules(join(dataDir, 'crier.sqlite'), world, places);
  let turn: ((line: BotLogLine) => void) | undefined;
  const bot = startBotProcess({
    env: {
      ...world.botEnv,
      VOICE_API_URL: api.url,
      VOICE_API_KEY: API_KEY,
      DATA_DIR: dataDir,
      READ_MESSAGES: 'on',
      LOG_LEVEL: 'debug',
      NODE_OPTIONS: `--import ${PROBE}`,
    },
    onLogLine(line) {
      if (line.msg === 'Turn') turn?.(line);
    },
  });
  const close = async () => {
    // A blocked bot is killed.
    await bot.stop().catch(() => undefined);
    await world.close();
    api.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await world.botReady({ timeoutMs: 60_000 });
    await bot.logged(({ msg }) => msg === 'Crier is ready', 60_000);
    const [listener] = ENDLESS_TEXTS.map((name) => world.member(name).joins('General')) as [Listener];
    for (const name of ENDLESS_TEXTS) {
      const text = `${name}. ${'On and on it goes, a sentence of its own. '.repeat(90)}`;
      await world.member(name).command('say', { text });
    }
    await listener.audible(50);
    return {
      api,
      places,
      close,
      /**
       * The longest turn of the bot's event loop since the last call, converted to a quiet processor. Infinity if the
       * bot is blocked.
       */
      longestTurnMs: () =>
        new Promise<number>((resolve) => {
          const timer = setTimeout(() => resolve(Number.POSITIVE_INFINITY), MAX_TURN_MS);
          turn = ({ longestMs, referenceMs }) => {
            clearTimeout(timer);
            const slowness = Number(referenceMs) / QUIET_REFERENCE_MS;
            resolve(Number(longestMs) / Math.min(MAX_SLOWNESS, Math.max(1, slowness)));
          };
          bot.signal('SIGUSR2');
        }),
      /** The longest time between two packets at a listener since the last call. */
      longestGapMs() {
        const { packets } = listener.heard();
        const gaps = packets.slice(1).map(({ atMs }, at) => atMs - (packets[at]?.atMs ?? atMs));
        listener.clear();
        return Math.max(0, ...gaps);
      },
      /** Resolves when the condition is true, or at the deadline. */
      async until(condition: () => boolean, timeoutMs: number): Promise<void> {
        const deadline = performance.now() + timeoutMs;
        while (!condition() && performance.now() < deadline) await sleep(2);
      },
      /** Resolves when the bot's log has a matching line, or at the deadline. */
      async logs(matches: (line: BotLogLine) => boolean): Promise<void> {
        await bot.logged(matches).catch(() => undefined);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

function placeIn(server: WorldServer) {
  const members = Array.from({ length: MEMBERS }, (_, at) => server.newMember(`member ${at}`, { nick: NICKNAME }));
  for (const member of members) member.joins('General');
  let turns = 0;
  return {
    server,
    admin: server.member('olga'),
    next: () => members[turns++ % members.length] as Person,
  };
}

/** Stores the rules before the bot starts, like those of a server that has long had them. */
async function keepRules(path: string, world: WorldServer, places: Readonly<Record<PlaceName, Place>>): Promise<void> {
  const log = silentLog;
  const store = createStore({ sql: sqlOf(openDatabase(path, log)), log });
  const [settings, dictionaries] = [createSettings(store), createServerDictionaries(store, log)];
  const { id: voiceId, name: voice, model = '' } = VOICES[1] as (typeof VOICES)[number];
  const languageVoices = [{ language: 'de', voiceId, name: voice, model }];
  for (const [name, { server }] of Object.entries(places) as [PlaceName, Place][]) {
    const autoReadChannels = [server.channel('general').id];
    const rules = { ...RULES[name].settings, textsInTenSeconds: 100, confirmAboveCharacters: 4_000 };
    await settings.change(server.guildId, () => ({ ...rules, languageVoices, autoReadChannels }));
    await dictionaries.change(server.guildId, () => RULES[name].entries);
  }
  await settings.change(world.guildId, () => ({ confirmAboveCharacters: 4_000 }));
  await store.close();
}
