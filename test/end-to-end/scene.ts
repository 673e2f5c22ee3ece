import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { afterAll, beforeEach, expect, onTestFailed, onTestFinished } from 'vitest';
import { type BotLogLine, type BotProcess, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { systemClock } from '../../src/playground/state/hub.ts';
import type { Heard } from '../../src/playground/voice/listening/hearing.ts';
import {
  type Person,
  type SentInteraction,
  startWorld,
  type World,
  type WorldOptions,
  type WorldServer,
} from '../../src/playground/world/world.ts';
import { DATABASE_FILE } from '../../src/services/storage/database.ts';
import { type SpeechService, startSpeechService } from '../../src/speech-service/server.ts';
import type { SpeechEngine } from '../../src/speech-service/synthesis/engine.ts';
import { takeRealTime } from '../pace/paced-clock.ts';
import { discordDocument } from '../playground/rest/discord-document.ts';
import { readWav } from '../speech-service/measure-audio.ts';
import { startBotHere } from './bot-in-process.ts';
import { alignedCorrelation, type Sound, speechSpan } from './measure.ts';
import { createToneEngine } from './tone-engine.ts';

export interface Scene {
  readonly world: World;
  readonly bot: BotProcess;
  readonly service: SpeechService;
  readonly dataDir: string;
  restartBot(): Promise<void>;
  close(): Promise<void>;
  /** The service's audio for this text, requested again: the same request gives the same sound. */
  said(text: string, voiceId?: string, language?: string): Promise<Sound>;
}

export interface SceneOptions {
  readonly world?: WorldOptions;
  readonly startingCredits?: number;
  /** What the service speaks with; in tones by default. */
  readonly engine?: SpeechEngine;
  /** The bot as a process of its own, and so in real time: where signals, a crash or several processes are the subject. */
  readonly asProcess?: boolean;
  /** Environment for the bot besides the addresses of this scene. */
  readonly env?: Readonly<Record<string, string>> | ((world: World) => Readonly<Record<string, string>>);
  readonly arrange?: (world: World) => void;
  /** Of every line, where `bot.log` keeps the last ones. */
  readonly onLogLine?: (line: BotLogLine) => void;
}

const KEY = 'scene-key-0123456789abcdef';
/** The limit for a hanging start: a bot starts in a second, on a busy machine in many. */
const READY_TIMEOUT_MS = 120_000;
/**
 * In real time Discord is five times as patient: a bot that a busy machine lets wait for the processor, or an answer that
 * lies in this process's socket while it does so itself, would count as no response after 3 s. The time is counted in
 * five parts, so that a pause of the whole machine counts as one of them at most.
 */
const PATIENT_CLOCK = {
  ...systemClock,
  after(ms: number, then: () => void) {
    let cancel = (): void => undefined;
    const wait = (parts: number) => {
      cancel = systemClock.after(ms, () => (parts > 1 ? wait(parts - 1) : then()));
    };
    wait(5);
    return () => cancel();
  },
};

let guests = 0;

/** A member who has used nothing yet, in this voice channel: limits and double clicks count by member. */
export function newGuest(
  server: WorldServer,
  channel?: string,
  options?: Parameters<WorldServer['newMember']>[1],
): Person {
  guests += 1;
  const guest = server.newMember(`guest${guests}`, options);
  if (channel !== undefined) guest.joins(channel);
  return guest;
}

/** One of the members that every server has, in its voice channel. */
export function inVoice(server: WorldServer, name = 'alice', channel = 'General'): Person {
  const person = server.member(name);
  person.joins(channel);
  return person;
}

/** A server of shard 0 and one of shard 1 of two: https://discord.com/developers/docs/events/gateway#sharding */
export function serversOfBothShards(world: World): readonly [WorldServer, WorldServer] {
  const shardOf = ({ guildId }: WorldServer) => Number((BigInt(guildId) >> 22n) % 2n);
  const servers = new Map<number, WorldServer>([[shardOf(world), world]]);
  for (let n = 1; servers.size < 2; n += 1) {
    const server = world.newServer(`Server ${n}`);
    if (!servers.has(shardOf(server))) servers.set(shardOf(server), server);
  }
  return [0, 1].map((shard) => servers.get(shard)) as [WorldServer, WorldServer];
}

/** Two texts of 40 characters each: the same one would be made once for both. */
export const TEXTS = ['The first of the two says forty letters.', 'The other one also says forty of letters'] as const;

/** The reply when the text was spoken, or refused by a limit. */
export const spokenOrLimited = (sent: SentInteraction) =>
  sent.reply({ until: ({ text }) => /Spoken in|left today/.test(text) });

type Sent = SentInteraction | Promise<SentInteraction>;

/** What a person sees in the end, or as soon as it is so. */
export const replyTo = async (sent: Sent, until?: RegExp) => (await sent).reply({ until });
export const textOf = async (sent: Sent, until?: RegExp): Promise<string> => (await replyTo(sent, until)).text;

/** A page of the settings panel as an admin opens it. */
export async function settingsPage(admin: Person, name: string) {
  const panel = await replyTo(admin.types('/settings panel'));
  return replyTo(admin.selects(panel, 'settings-page', [name]));
}

/** A suggestion as the person picks it. */
export async function pick(person: Person, typed: string): Promise<{ id: string; label: string; name: string }> {
  const [choice] = await person.autocompletes('voice set', { voice: typed });
  if (!choice) throw new Error(`Nothing is offered for ${typed}`);
  // The suggestion may name the language after the name and the sound.
  const [name = '', sound] = choice.name.split(' · ');
  return { id: String(choice.value), label: [name, sound].join(' · '), name };
}

/** Seven seconds of speech: time for something to happen in the middle. */
export const LONG =
  'This text is long enough that there is time to do something else while it is being spoken, such as leaving, coming back, or stopping it.';

/** alice has the bot speak the long text in General; resolves when its first sound has been heard. */
export async function speaking(server: WorldServer, text = LONG): Promise<{ alice: Person; sent: SentInteraction }> {
  const alice = inVoice(server);
  const sent = await alice.types(`/say text:${text}`);
  await alice.listener.audible(1);
  return { alice, sent };
}

export const soundOf = (heard: Heard): Sound => ({ samples: heard.pcm, sampleRateHz: 48_000 });

/** Nothing cut at either end, nothing put in between: the same wave, of the same length. */
export const expectSameSpeech = (heard: Heard, said: Sound): void => expectSameSound(soundOf(heard), said);

export function expectSameSound(heard: Sound, said: Sound): void {
  expect(alignedCorrelation(said, heard).correlation).toBeGreaterThan(0.9);
  expect(Math.abs(speechSpan(heard).seconds - speechSpan(said).seconds)).toBeLessThan(0.06);
}

/** A scene that ends with the test. */
export async function startScene(options: SceneOptions = {}): Promise<Scene> {
  const scene = await openScene(options);
  if (options.asProcess)
    onTestFailed(() => {
      for (const line of scene.bot.log.slice(-30)) console.error(JSON.stringify(line));
    });
  onTestFinished(() => scene.close());
  return scene;
}

/** One scene for all tests of a file. */
export async function sceneOfFile(options: SceneOptions = {}): Promise<Scene> {
  const scene = await openScene(options);
  afterAll(() => scene.close());
  return scene;
}

/** One scene for all tests of a file, and for each of them a server in which no other one's business happens. */
export async function shareScene(
  options?: SceneOptions,
): Promise<{ readonly scene: Scene; readonly server: WorldServer }> {
  const scene = await sceneOfFile(options);
  let server: WorldServer;
  beforeEach(() => {
    server = scene.world.newServer('Next door');
  });
  return {
    scene,
    get server() {
      return server;
    },
  };
}

/**
 * A Discord of its own, a speech service in this process (so that its faults can be switched) and the bot. The caller
 * closes it.
 */
export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const giveBackTime = options.asProcess ? takeRealTime() : () => undefined;
  const problems = new Set<string>();
  const temporary = mkdtempSync(join(tmpdir(), 'crier-scene-'));
  const dataDir = join(temporary, 'bot');
  const [world, service] = await Promise.all([
    startWorld({ clock: options.asProcess ? PATIENT_CLOCK : systemClock, ...options.world }),
    startSpeechService({
      dataDir: join(temporary, 'speech'),
      apiKey: KEY,
      requestsPerMinute: 10_000,
      engine: options.engine ?? (await createToneEngine()),
      ...(options.startingCredits === undefined ? {} : { startingCredits: options.startingCredits }),
    }),
  ]);
  world.onRestCall((call) => {
    for (const problem of discordDocument?.problemsOf(call) ?? []) problems.add(problem);
  });
  options.arrange?.(world);
  const startBot = async (): Promise<BotProcess> => {
    const started = (options.asProcess ? startBotProcess : startBotHere)({
      env: {
        ...botEnv({ world, service }, dataDir),
        LOG_LEVEL: 'debug',
        ...(typeof options.env === 'function' ? options.env(world) : options.env),
      },
      ...(options.onLogLine && { onLogLine: options.onLogLine }),
    });
    try {
      // READY is Discord's, long before the commands are compared and the bot has said that it is ready itself.
      await Promise.all([
        world.botReady({ timeoutMs: READY_TIMEOUT_MS }),
        started.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS),
      ]);
      return started;
    } catch (error) {
      await started.stop();
      throw error;
    }
  };
  const closeRest = async () => {
    await world.close();
    await service.close();
    rmSync(temporary, { recursive: true, force: true });
    giveBackTime();
  };
  let bot = await startBot().catch(async (error) => {
    await closeRest();
    throw error;
  });

  return {
    world,
    get bot() {
      return bot;
    },
    service,
    dataDir,
    async restartBot() {
      await bot.stop();
      forgetSession(dataDir);
      bot = await startBot();
    },
    async close() {
      // The bot first: it leaves a Discord that is still there.
      try {
        await bot.stop();
      } finally {
        await closeRest();
      }
      expect([...problems], "answers that differ from Discord's own document").toEqual([]);
    },
    async said(text, voiceId, language) {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
      const voices = await request(`${service.url}/api/v1/voices`, { headers });
      const { data } = (await voices.body.json()) as { data: { id: string; name: string; model: string }[] };
      // The first one is the voice that the bot takes without being told.
      const { name: voice, model } = data.find(({ id }) => voiceId === undefined || id === voiceId) ?? {};
      const format = model === 'ext' ? { response_format: 'wav' } : {};
      const body = JSON.stringify({ input: text, voice, model, ...format, language });
      const answer = await request(`${service.url}/api/v1/speech`, { method: 'POST', headers, body });
      const { url } = (await answer.body.json()) as { url: string };
      const audio = await request(url);
      return readWav(new Uint8Array(await audio.body.arrayBuffer()));
    },
  };
}

/** What makes a bot one of this Discord and this speech service. */
export const botEnv = ({ world, service }: Pick<Scene, 'world' | 'service'>, dataDir: string) => ({
  ...world.botEnv,
  VOICE_API_URL: service.url,
  VOICE_API_KEY: KEY,
  DATA_DIR: dataDir,
});

/** As if it had begun long ago: a bot that is started again at once waits for its turn at Discord. */
function forgetSession(dataDir: string): void {
  try {
    inDatabase({ dataDir }, (database) => database.exec("DELETE FROM entries WHERE namespace = 'identify-turns'"));
  } catch {
    // Of a database that the test damaged.
  }
}

/** Reads or changes the bot's stored data. */
export function inDatabase<Result>(
  { dataDir }: Pick<Scene, 'dataDir'>,
  work: (database: DatabaseSync) => Result,
): Result {
  const database = new DatabaseSync(join(dataDir, DATABASE_FILE));
  try {
    return work(database);
  } finally {
    database.close();
  }
}
