import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFaultBoard, type SpeechFaults } from '../world/fault-switches.ts';
import { startWorld, type World } from '../world/world.ts';
import { type BotLogLine, type BotProcess, startBotProcess } from './bot/bot-process.ts';
import type { DemoOptions } from './options.ts';

/** Everything that runs during a demo: Discord, the bot's process, and the folder of the bot's data. */
export type Demo = Awaited<ReturnType<typeof startDemo>>;

interface StartOptions extends Pick<DemoOptions, 'data' | 'configuredVoice' | 'settings'> {
  readonly onLogLine?: (line: BotLogLine) => void;
  /** Aborts the start and closes the parts started so far; afterwards it has no effect. */
  readonly signal?: AbortSignal;
}

/** The bot starts in about a second; the first start of a cold machine and a busy one are slower. */
const READY_TIMEOUT_MS = 60_000;

/** All that says which speech service is spoken through, and how. */
const VOICE_SETTINGS = [
  'VOICE_API_URL',
  'VOICE_API_KEY',
  'VOICE_AUTH_HEADER_PREFIX',
  'SPEECH_TIMEOUT_MS',
  'AUDIO_HOSTS',
  'SPEECH_ENGINE_URL',
  'SPEECH_ENGINE_KEY',
  'SPEECH_ENGINE_MODEL',
  'SPEECH_ENGINE_VOICES',
] as const;

function configuredVoiceEnv(): Record<string, string> {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (!process.env.SPEECH_ENGINE_URL && !(process.env.VOICE_API_URL && process.env.VOICE_API_KEY)) {
    throw new Error(
      '--configured-voice needs VOICE_API_URL and VOICE_API_KEY (or SPEECH_ENGINE_URL), in the environment or in .env.',
    );
  }
  return Object.fromEntries(VOICE_SETTINGS.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** The switches of the embedded speech service, which stand beside its page. */
const speechFaultsAt =
  (page: string): SpeechFaults =>
  async (faults) => {
    const response = await fetch(new URL('/faults', page), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`The speech service answered ${response.status} to its switches.`);
  };

/** Starts Discord on loopback and the bot, and resolves when the bot is logged in with its commands registered. */
export async function startDemo(options: StartOptions) {
  const voice = options.configuredVoice ? configuredVoiceEnv() : {};
  const temporary = options.data === undefined ? mkdtempSync(join(tmpdir(), 'crier-playground-')) : undefined;
  const dataDir = options.data ?? join(temporary ?? '', 'data');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const removeTemporary = () => temporary && rmSync(temporary, { recursive: true, force: true });
  let world: World | undefined;
  let bot: BotProcess | undefined;
  try {
    // Switched on in the portal, as for messages read aloud; the bot requests the intent only when configured to.
    world = await startWorld({ privilegedIntents: ['MessageContent'] });
    const { onLogLine } = options;
    bot = startBotProcess({
      env: {
        ...world.botEnv,
        ...voice,
        DATA_DIR: dataDir,
        LOG_LEVEL: 'debug',
        SPEECH_SERVICE_FAULTS: 'on',
        ...options.settings,
      },
      ...(onLogLine ? { onLogLine } : {}),
    });
    const ended = bot.ended.then(() => 'ended' as const);
    const ready = await Promise.race([
      world.botReady({ timeoutMs: READY_TIMEOUT_MS, ...(options.signal ? { signal: options.signal } : {}) }),
      ended,
    ]);
    if (ready === 'ended') {
      throw new Error(`The bot ended while it was starting:\n${bot.log.map((line) => line.msg ?? '').join('\n')}`);
    }
    options.signal?.throwIfAborted();
    const running = { world, bot };
    const started = bot.log.find(({ dashboardUrl }) => typeof dashboardUrl === 'string');
    const speechPage = started && String(started.dashboardUrl);
    let closing: Promise<void> | undefined;
    return {
      ...running,
      faults: createFaultBoard(world, speechPage === undefined ? undefined : speechFaultsAt(speechPage)),
      /** Where the bot speaks through: its embedded service, or the configured one. */
      speechAddress: running.bot.log.map((line) => line.speechUrl).find((url) => typeof url === 'string'),
      /** Whether servers may have messages read out. */
      readsMessages: options.settings.READ_MESSAGES?.trim() === 'on',
      close(): Promise<void> {
        closing ??= (async () => {
          try {
            await running.bot.stop();
          } finally {
            await running.world.close();
            removeTemporary();
          }
        })();
        return closing;
      },
    };
  } catch (error) {
    await bot?.stop().catch(() => undefined);
    await world?.close();
    removeTemporary();
    throw error;
  }
}
