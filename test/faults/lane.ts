import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BotProcess, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { startWorld, type World, type WorldOptions } from '../../src/playground/world/world.ts';
import { noFaults } from '../../src/speech-service/api/faults.ts';
import { type SpeechService, startSpeechService } from '../../src/speech-service/server.ts';
import { AS_ORDINARY_ACCOUNT, fillDisk, makeReadOnly, onSmallDisk } from './disk-troubles.ts';
import { createToneEngine } from './tones.ts';

const KEY = 'fault-matrix-key-0123456789abcdef';
const READY_TIMEOUT_MS = 60_000;

/** A Discord, a speech service and a bot that try cells one after another. */
export interface Lane {
  readonly world: World;
  readonly service: SpeechService;
  readonly bot: BotProcess;
  readonly dataDir: string;
  /** Fills the disk with the bot's data until the returned function is called. Only with a small disk. */
  fillDisk(): () => void;
  /** Makes the bot's data read-only until the returned function is called. Only with an ordinary account. */
  makeReadOnly(): () => void;
  /** Starts the bot again if it has ended, and waits until it answers. */
  startBot(): Promise<void>;
  /** Stops the speech service; `startService` starts it again at the same address. */
  stopService(): Promise<void>;
  startService(): Promise<void>;
  /** Ends all faults, and starts the bot if it has ended. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Imported only when needed, because the module contains the whole bot. */
async function startInside(env: Readonly<Record<string, string>>): Promise<BotProcess> {
  const { startBotHere } = await import('../end-to-end/bot-in-process.ts');
  return startBotHere({ env });
}

export async function openLane(
  worldOptions: WorldOptions = {},
  {
    asProcess = false,
    disk,
    account,
  }: {
    asProcess?: boolean;
    disk?: 'small';
    account?: 'ordinary';
  } = {},
): Promise<Lane> {
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
  const world = await startWorld(worldOptions);
  let service = await openService();
  const [port, audioPort] = [service.url, service.audioUrl].map((url) => Number(new URL(url).port));
  const initial = {
    voice: { ...world.voiceServer.settings },
    withheld: world.voiceServer.settings.withheldOps,
  };
  let bot: BotProcess;
  let hasEnded = true;

  async function startBot(): Promise<void> {
    const settings = {
      ...world.botEnv,
      VOICE_API_URL: service.url,
      VOICE_API_KEY: KEY,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'debug',
    };
    const by = disk ? onSmallDisk(dataDir) : account ? AS_ORDINARY_ACCOUNT : undefined;
    const started = asProcess ? startBotProcess({ env: settings, by }) : await startInside(settings);
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

  const lane: Lane = {
    world,
    get service() {
      return service;
    },
    get bot() {
      return bot;
    },
    dataDir,
    fillDisk: () => fillDisk(`/proc/${bot.pid}/root${dataDir}`),
    makeReadOnly: () => makeReadOnly(dataDir),
    startBot,
    stopService: () => service.close(),
    async startService() {
      service = await openService({ port, audioPort });
    },
    async reset() {
      const { faults, voiceServer } = world;
      Object.assign(voiceServer.settings, initial.voice);
      initial.withheld.clear();
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
