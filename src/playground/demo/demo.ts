import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadEnvFile } from '../../process/env-file.ts';
import { makeFolder } from '../../process/files.ts';
import { LogFeed } from '../page/connection.ts';
import { type PlaygroundPage, startPlaygroundPage } from '../page/page-server.ts';
import { startWorld, type World } from '../world/world.ts';
import { type BotLogLine, type BotProcess, startBotProcess } from './bot/bot-process.ts';
import { FaultBoard, type Machine } from './faults.ts';

interface StartOptions {
  readonly data?: string;
  readonly configuredVoice: boolean;
  /** Sets SPEECH_VOICE_ENGINE: `flite`, `espeak`, or an installed voice, which the built-in speech service then lists first. */
  readonly voiceEngine?: string | undefined;
  /** The folder of installed voices, linked into the bot's data folder if the data folder is temporary. */
  readonly voicesFolder?: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly onLogLine?: (line: BotLogLine) => void;
  /** An abort during the start closes the bot and the playground's Discord. After the start an abort has no effect. */
  readonly signal?: AbortSignal;
}

/** How long the bot may take to log in. Usually a second is enough, but not on a busy machine or just after a boot. */
const READY_TIMEOUT_MS = 60_000;

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
  'SHOW_BALANCE',
] as const;

export function shownLevel(chosen: string | undefined): number {
  const levels: Readonly<Record<string, number>> = { debug: 20, info: 30, warn: 40, error: 50 };
  const name = chosen?.trim().toLowerCase() ?? '';
  return name === 'silent' ? Number.POSITIVE_INFINITY : (levels[name] ?? 0);
}

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

function makeDataFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (error) {
    throw new Error(`--data ${path} cannot be made: ${(error as Error).message}. Choose another folder.`);
  }
}

function mustBeInstalled(voiceEngine: string, folder = ''): void {
  if (['flite', 'espeak'].includes(voiceEngine)) return;
  const installed = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  if (installed.includes(voiceEngine)) return;
  const choice = ['flite', 'espeak', ...installed].join(', ');
  throw new Error(
    `--voice-engine ${voiceEngine}: there is no such voice. Choose one of ${choice}; npm run voices installs others.`,
  );
}

export class Demo implements Machine {
  readonly world: World;
  readonly faults: FaultBoard;
  readonly feed = new LogFeed();
  bot: BotProcess;
  readonly mayCost: boolean;
  readonly ended: Promise<void>;
  readonly #startBot: () => BotProcess;
  readonly #removeFiles: () => void;
  readonly #endedByItself = Promise.withResolvers<void>();
  #speechPage: string | undefined;
  #isRestarting = false;
  #closing: Promise<void> | undefined;

  private constructor(world: World, options: StartOptions) {
    const voice = options.configuredVoice ? configuredVoiceEnv() : {};
    const { voicesFolder, voiceEngine = 'flite' } = options;
    mustBeInstalled(voiceEngine, options.data === undefined ? voicesFolder : join(options.data, 'voices'));
    const temporary = options.data === undefined ? mkdtempSync(join(tmpdir(), 'crier-playground-')) : undefined;
    const dataDir = options.data ?? join(temporary ?? '', 'data');
    makeDataFolder(dataDir);
    if (temporary && voicesFolder !== undefined && existsSync(voicesFolder)) {
      symlinkSync(resolve(voicesFolder), join(dataDir, 'voices'), 'junction');
    }
    const { settings } = options;
    this.world = world;
    this.ended = this.#endedByItself.promise;
    // VOICE_API_URL and SPEECH_ENGINES may lead to a paid speech service: the playground warns that credits may be taken.
    this.mayCost = Boolean({ ...voice, ...settings }.VOICE_API_URL || { ...voice, ...settings }.SPEECH_ENGINES);
    this.#removeFiles = () => temporary && rmSync(temporary, { recursive: true, force: true });
    const onLogLine = (line: BotLogLine) => {
      if (typeof line.dashboardUrl === 'string') this.#speechPage = line.dashboardUrl;
      this.feed.push(line);
      options.onLogLine?.(line);
    };
    this.#startBot = () => {
      const bot = startBotProcess({
        env: {
          ...world.botEnv,
          ...voice,
          DATA_DIR: dataDir,
          SPEECH_SERVICE_FAULTS: 'on',
          SPEECH_VOICE_ENGINE: voiceEngine,
          // READ_MESSAGES is on by default, so that an admin can try every step of /setup.
          READ_MESSAGES: process.env.READ_MESSAGES || 'on',
          ...settings,
          // The playground reads the bot's debug log lines. An unknown LOG_LEVEL is passed on: the bot rejects it.
          LOG_LEVEL: shownLevel(settings.LOG_LEVEL) > 0 ? 'debug' : settings.LOG_LEVEL || 'debug',
        },
        onLogLine,
      });
      const noteEnd = () => {
        if (!this.#isRestarting) this.#endedByItself.resolve();
      };
      bot.ended.then(noteEnd, noteEnd);
      return bot;
    };
    this.bot = this.#startBot();
    this.faults = new FaultBoard(world, this);
  }

  /** Resolves when the bot is logged in and its commands are registered. Rejects if the bot ends before that. */
  static async start(options: StartOptions): Promise<Demo> {
    // The playground enables the privileged intent MessageContent, because with READ_MESSAGES on, the bot requests it.
    const world = await startWorld({ privilegedIntents: ['MessageContent'], sameIds: true });
    let demo: Demo | undefined;
    try {
      demo = new Demo(world, options);
      const ready = world.botReady({ timeoutMs: READY_TIMEOUT_MS, signal: options.signal }).then(() => 'ready');
      if ((await Promise.race([ready, demo.ended])) !== 'ready') {
        const lines = demo.bot.log.map(({ msg = '' }) => msg);
        throw new Error(`The bot ended while it was starting:\n${lines.join('\n')}`);
      }
      options.signal?.throwIfAborted();
      return demo;
    } catch (error) {
      // If the cleanup after a failed start also fails, only the error of the start is reported.
      await demo?.close().catch(() => undefined);
      await world.close();
      throw error;
    }
  }

  get speechAddress(): string | undefined {
    return this.bot.log.map((line) => line.speechUrl).find((url) => typeof url === 'string');
  }

  async restartBot(): Promise<void> {
    this.#isRestarting = true;
    this.bot.signal('SIGKILL');
    await this.bot.ended;
    this.bot = this.#startBot();
    this.#isRestarting = false;
    await this.bot.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
  }

  get hasOwnSpeech(): boolean {
    return this.#speechPage !== undefined;
  }

  async setSpeechFaults(faults: Readonly<Record<string, number | 'always'>>): Promise<void> {
    if (this.#speechPage === undefined)
      throw new Error('The speech service is not one of the playground: it has no such switch.');
    const response = await fetch(new URL('/faults', this.#speechPage), {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) throw new Error(`The speech service answered ${response.status} to its switches.`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.bot.stop();
    } finally {
      await this.world.close();
      this.#removeFiles();
    }
  }
}

/** The playground's page has the same port at each start, so that links in bug reports work for other people too. */
const USUAL_PORT = 8650;
const REPLY_TIMEOUT_MS = 10_000;

/** Adds a member whose Discord client is German, and a member whom an admin stopped from using the bot. */
async function addPeople(world: World): Promise<void> {
  world.newMember('greta').setsLanguage('de');
  world.member('greta').joins('General');
  world.newMember('mia').joins('Lounge');
  const muted = await world.member('olga').command('settings mute', { member: 'mia' }, { in: 'Lounge' });
  // If the bot does not confirm in time that the member mia is muted, the playground's page starts anyway.
  await muted.reply({ timeoutMs: REPLY_TIMEOUT_MS }).catch(() => undefined);
}

export async function openDemoPage(demo: Demo, chosenPort: number | undefined): Promise<PlaygroundPage> {
  await addPeople(demo.world);
  const start = (port: number) => startPlaygroundPage(demo, port);
  if (chosenPort !== undefined) return start(chosenPort);
  return start(USUAL_PORT).catch((error: NodeJS.ErrnoException) => {
    // Another playground already uses the usual port: take any free port instead.
    if (error.code === 'EADDRINUSE') return start(0);
    throw error;
  });
}
