import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvFile } from '../../process/env-file.ts';
import { makeFolder } from '../../process/files.ts';
import { startWorld, type World } from '../world/world.ts';
import { type BotLogLine, type BotProcess, startBotProcess } from './bot/bot-process.ts';
import { createFaultBoard, type SpeechFaults } from './faults/fault-switches.ts';
import type { LocalVoice } from './faults/machine-switches.ts';
import { type DemoOptions, withServerId } from './program-flags.ts';

/** Everything that runs during a demo: Discord, the bot's process, and the folder of the bot's data. */
export type Demo = Awaited<ReturnType<typeof startDemo>>;

interface StartOptions extends Pick<DemoOptions, 'data' | 'configuredVoice' | 'settings'> {
  readonly onLogLine?: (line: BotLogLine) => void;
  /** Aborts the start and closes the parts started so far; afterwards it has no effect. */
  readonly signal?: AbortSignal;
}

/** The bot starts in about a second; the first start of a cold machine and a busy one are slower. */
const READY_TIMEOUT_MS = 60_000;

/** All that says which speech service is spoken through, how, and how much it may cost. */
const VOICE_SETTINGS = [
  'VOICE_API_URL',
  'VOICE_API_KEY',
  'VOICE_AUTH_HEADER_PREFIX',
  'SPEECH_TIMEOUT_MS',
  'AUDIO_HOSTS',
  'SPEECH_ENGINES',
  'SPEECH_ENGINE_URL',
  'SPENDING_PER_DAY',
  'SPENDING_PER_SERVER_PER_DAY',
  'SPENDING_PER_MEMBER_PER_DAY',
  'CREDITS_WARNING',
  'TOP_UP_URL',
] as const;

/** The least of pino's levels at which a line is to be seen in the file of the log and with `--verbose`. */
export function shownLevel(chosen: string | undefined): number {
  const levels: Readonly<Record<string, number>> = { debug: 20, info: 30, warn: 40, error: 50 };
  const name = chosen?.trim().toLowerCase() ?? '';
  return name === 'silent' ? Number.POSITIVE_INFINITY : (levels[name] ?? 0);
}

/** Whether what is spoken may be billed: any engine of a file may have a price. */
const mayCost = (set: Readonly<Record<string, string>>): boolean => Boolean(set.VOICE_API_URL || set.SPEECH_ENGINES);

function configuredVoiceEnv(): Record<string, string> {
  loadEnvFile();
  const hasEngine = process.env.SPEECH_ENGINES || process.env.SPEECH_ENGINE_URL;
  if (!hasEngine && !(process.env.VOICE_API_URL && process.env.VOICE_API_KEY)) {
    throw new Error(
      '--configured-voice needs VOICE_API_URL and VOICE_API_KEY (or SPEECH_ENGINES or SPEECH_ENGINE_URL), in the environment or in .env. For settings of --set it is not needed: --set SPEECH_ENGINES=FILE alone works.',
    );
  }
  return Object.fromEntries(VOICE_SETTINGS.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** The switches of the embedded speech service, which stand beside its page. */
const speechFaultsAt =
  (page: () => string | undefined): SpeechFaults =>
  async (faults) => {
    const at = page();
    if (at === undefined) throw new Error('The speech service is not one of the playground: it has no such switch.');
    const response = await fetch(new URL('/faults', at), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`The speech service answered ${response.status} to its switches.`);
  };

function localVoiceOf({ localVoiceUrl, localVoicePid }: BotLogLine): LocalVoice | undefined {
  if (typeof localVoiceUrl !== 'string' || typeof localVoicePid !== 'number') return undefined;
  return { pid: localVoicePid, port: Number(new URL(localVoiceUrl).port) };
}

/** Throws, with a message for the user, where there can be none. */
function makeDataFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw new Error(`--data ${path} cannot be made: ${(error as Error).message}. Choose another folder.`);
  }
}

/** Starts Discord on loopback and the bot, and resolves when the bot is logged in with its commands registered. */
export async function startDemo(options: StartOptions) {
  const voice = options.configuredVoice ? configuredVoiceEnv() : {};
  const temporary = options.data === undefined ? mkdtempSync(join(tmpdir(), 'crier-playground-')) : undefined;
  const dataDir = options.data ?? join(temporary ?? '', 'data');
  makeDataFolder(dataDir);
  const removeTemporary = () => temporary && rmSync(temporary, { recursive: true, force: true });
  let world: World | undefined;
  let bot: BotProcess | undefined;
  try {
    // Switched on in the portal, as for messages read aloud; the bot requests the intent only when configured to.
    world = await startWorld({ privilegedIntents: ['MessageContent'], sameIds: true });
    let localVoice: LocalVoice | undefined;
    /** Another one after a restart. */
    let speechPage: string | undefined;
    const onLogLine = (line: BotLogLine) => {
      localVoice = localVoiceOf(line) ?? localVoice;
      if (typeof line.dashboardUrl === 'string') speechPage = line.dashboardUrl;
      options.onLogLine?.(line);
    };
    const discord = world;
    const start = (env: Readonly<Record<string, string>> = {}) =>
      startBotProcess({
        env: {
          ...discord.botEnv,
          ...voice,
          DATA_DIR: dataDir,
          SPEECH_SERVICE_FAULTS: 'on',
          ...withServerId(options.settings, discord.guildId),
          // The demo follows the bot by its log, down to this level; it refuses a level that it does not know.
          LOG_LEVEL: shownLevel(options.settings.LOG_LEVEL) > 0 ? 'debug' : options.settings.LOG_LEVEL || 'debug',
          ...env,
        },
        onLogLine,
      });
    bot = start();
    const endedAtOnce = bot.ended.then(() => 'ended' as const);
    const ready = await Promise.race([
      world.botReady({ timeoutMs: READY_TIMEOUT_MS, signal: options.signal }),
      endedAtOnce,
    ]);
    if (ready === 'ended') {
      throw new Error(`The bot ended while it was starting:\n${bot.log.map((line) => line.msg ?? '').join('\n')}`);
    }
    options.signal?.throwIfAborted();
    let present: BotProcess = bot;
    /** While it is being ended in order to be started again. */
    let isRestarting = false;
    const ended = Promise.withResolvers<void>();
    const noteEnd = () => {
      if (!isRestarting) ended.resolve();
    };
    const watch = (process: BotProcess) => void process.ended.then(noteEnd, noteEnd);
    watch(bot);
    let closing: Promise<void> | undefined;
    const demo = {
      world: discord,
      get bot() {
        return present;
      },
      /** Resolves when the bot has ended without being told to. */
      ended: ended.promise,
      /** With this besides in its environment. */
      async restartBot(env: Readonly<Record<string, string>>, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
        isRestarting = true;
        present.signal(signal);
        await present.ended;
        present = start(env);
        isRestarting = false;
        watch(present);
        await present.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
      },
      /** The bot's own; undefined where another one is configured. */
      localVoice: () => localVoice,
      /** Where the bot speaks through: its embedded service, or the configured one. */
      speechAddress: present.log.map((line) => line.speechUrl).find((url) => typeof url === 'string'),
      mayCost: mayCost({ ...voice, ...options.settings }),
      /** Whether servers may have messages read out. */
      readsMessages: options.settings.READ_MESSAGES?.trim().toLowerCase() === 'on',
      close(): Promise<void> {
        closing ??= (async () => {
          try {
            await present.stop();
          } finally {
            await discord.close();
            removeTemporary();
          }
        })();
        return closing;
      },
    };
    return Object.assign(demo, {
      faults: createFaultBoard(discord, { machine: demo, speech: speechFaultsAt(() => speechPage) }),
    });
  } catch (error) {
    await bot?.stop().catch(() => undefined);
    await world?.close();
    removeTemporary();
    throw error;
  }
}
