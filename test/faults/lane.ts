import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BotProcess, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { startWorld, type WorldOptions } from '../../src/playground/world/world.ts';
import { noFaults } from '../../src/speech-service/api/speech.ts';
import { startSpeechService } from '../../src/speech-service/server.ts';
import { AS_ORDINARY_ACCOUNT, fillDisk, makeReadOnly, onSmallDisk } from './disk-troubles.ts';
import { createToneEngine } from './tones.ts';

const KEY = 'fault-matrix-key-0123456789abcdef';
const READY_TIMEOUT_MS = 60_000;

export interface LaneOptions {
  /** Options of a separate world with a separate bot. */
  readonly world?: WorldOptions;
  /** If true, the bot runs as a process in real time, in a separate world. */
  readonly asProcess?: boolean;
  /** 'small': the bot's data is on a separate disk that can be filled, in a separate world. */
  readonly disk?: 'small';
  /** 'ordinary': the bot has the rights of an ordinary account even if root starts it, in a separate world. */
  readonly account?: 'ordinary';
}

/** True if the bot must be a process, and therefore needs real time. */
export const needsProcess = ({ asProcess, disk, account }: LaneOptions): boolean =>
  asProcess === true || disk !== undefined || account !== undefined;

export type Lane = Awaited<ReturnType<typeof openLane>>;

/** Imported only when needed, because the module contains the whole bot. */
async function startInside(env: Readonly<Record<string, string>>): Promise<BotProcess> {
  const { startBotHere } = await import('../end-to-end/bot-in-process.ts');
  return startBotHere({ env });
}

/** Opens a Discord, a speech service and a bot that try cells one after another. */
export async function openLane(options: LaneOptions = {}) {
  const temporary = mkdtempSync(join(tmpdir(), 'crier-faults-'));
  const dataDir = join(temporary, 'bot');
  const openService = async (ports: { port?: number; audioPort?: number } = {}) =>
    startSpeechService({
      dataDir: join(temporary, 'speech'),
      apiKey: KEY,
      requestsPerMinute: 10_000,
      dashboardPort: 'off',
      engine: await createToneEngine(),
      ...ports,
    });
  const world = await startWorld(options.world);
  let service = await openService();
  const [port, audioPort] = [service.url, service.audioUrl].map((url) => Number(new URL(url).port));
  const initialVoice = { ...world.voiceServer.settings };
  let bot: BotProcess;
  let hasEnded = true;

  /** Starts the bot again if it has ended, and waits until it answers. */
  async function startBot(): Promise<void> {
    const settings = {
      ...world.botEnv,
      VOICE_API_URL: service.url,
      VOICE_API_KEY: KEY,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'debug',
    };
    const by = options.disk ? onSmallDisk(dataDir) : options.account ? AS_ORDINARY_ACCOUNT : undefined;
    const started = needsProcess(options) ? startBotProcess({ env: settings, by }) : await startInside(settings);
    bot = started;
    hasEnded = false;
    const ended = () => {
      if (bot === started) hasEnded = true;
    };
    started.ended.then(ended, ended);
    await Promise.all([
      world.botReady({ timeoutMs: READY_TIMEOUT_MS }),
      started.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS),
    ]);
  }

  const lane = {
    world,
    get service() {
      return service;
    },
    get bot() {
      return bot;
    },
    dataDir,
    /** Fills the disk with the bot's data until the returned function is called. Only with a small disk. */
    fillDisk: () => fillDisk(`/proc/${bot.pid}/root${dataDir}`),
    /** Makes the bot's data read-only until the returned function is called. Only with an ordinary account. */
    makeReadOnly: () => makeReadOnly(dataDir),
    startBot,
    /** `startService` starts it again at the same address. */
    stopService: () => service.close(),
    async startService() {
      service = await openService({ port, audioPort });
    },
    /** Ends all faults, and starts the bot if it has ended. */
    async reset() {
      const { faults, voiceServer } = world;
      Object.assign(voiceServer.settings, initialVoice);
      voiceServer.settings.withheldOps.clear();
      faults.refuseGateway(false);
      faults.answerHeartbeats(true);
      faults.swapVoiceEvents(false);
      Object.assign(service.faults, noFaults());
      if (hasEnded) await startBot();
    },
    async close() {
      try {
        await bot.stop();
      } finally {
        await world.close();
        await service.close();
        rmSync(temporary, { recursive: true, force: true });
      }
    },
  };
  try {
    await startBot();
    return lane;
  } catch (error) {
    await lane.close();
    throw error;
  }
}
