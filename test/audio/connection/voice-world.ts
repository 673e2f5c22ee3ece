import { getVoiceConnection } from '@discordjs/voice';
import { test as base } from 'vitest';
import { type Clip, clipFromPackets } from '../../../src/audio/clips/clip.ts';
import { readyTransport } from '../../../src/audio/connection/dave.ts';
import type {
  SessionJoinOptions,
  SessionTimes,
  VoiceSessionsOptions,
} from '../../../src/audio/connection/voice-session-types.ts';
import { createVoiceSessions } from '../../../src/audio/connection/voice-sessions.ts';
import { startVoiceServer } from '../../../src/playground/voice/server.ts';
import { packetsOf } from '../opus-sounds.ts';
import { silentLog, speechLike } from '../sounds.ts';
import { ALICE, BOT, CHANNEL, FakeGateway, trust } from './gateway.ts';

export const said = speechLike(24_000, 0.6);
/** 31 packets. */
export const speech: readonly Uint8Array[] = await packetsOf(said);
export const clip = (): Clip => clipFromPackets(speech);

/** A short silence is enough to tell that nothing more comes. */
export const hearing = { timeoutMs: 10_000, quietMs: 150 };

/** Sessions that may speak, and that nobody watches. */
export const UNWATCHED = {
  maySpeak: () => true,
  onPlayed: () => undefined,
  onJoin: () => undefined,
  onUnheard: () => undefined,
};

/** A join that nobody takes back, into a channel where the bot is heard at once. */
export const FREELY: SessionJoinOptions = { signal: new AbortController().signal, audible: () => undefined };

let worlds = 0;

export type VoiceWorld = Awaited<ReturnType<typeof startVoiceWorld>>;

/** A voice server on loopback with a main gateway in front, and the sessions under test. One for each test. */
export async function startVoiceWorld() {
  worlds += 1;
  const guildId = String(100_000_000_000_000_000n + BigInt(worlds));
  const server = await startVoiceServer();
  trust(server);
  const gateway = new FakeGateway(server, { guildId });
  let sessions = createVoiceSessions({ log: silentLog, ...UNWATCHED });
  return {
    /** Of this world alone: the library knows its connections by it. */
    guildId,
    /** Us, as the voice server names its clients. */
    bot: { guildId, userId: BOT },
    server,
    gateway,
    get sessions() {
      return sessions;
    },
    /** Sessions with other times or settings, instead of those there were. */
    configure(times: Partial<SessionTimes>, options?: Partial<VoiceSessionsOptions>): void {
      sessions = createVoiceSessions({ log: silentLog, ...UNWATCHED, times, ...options });
    },
    /** The channels are stages from now on: no end-to-end encryption. */
    makeStage(): void {
      server.settings.dave = false;
    },
    join({ channelId = CHANNEL, ...options }: Partial<SessionJoinOptions> & { channelId?: string } = {}) {
      const { adapterCreator } = gateway;
      const knownChannel = () => gateway.knownChannel;
      const isGatewayConnected = () => gateway.isReady;
      return sessions.join(
        { guildId, shardId: 0, channelId, adapterCreator, knownChannel, isGatewayConnected },
        { ...FREELY, ...options },
      );
    },
    /** The library's connection and its ready state. Throws before the connection is ready. */
    transport() {
      const connection = getVoiceConnection(guildId);
      const ready = connection && readyTransport(connection).ready;
      if (!ready) throw new Error('Not connected');
      return { connection, ready };
    },
    listens: (userId = ALICE, { channelId = CHANNEL } = {}) =>
      server.addListener({ guildId, channelId, userId, dave: true }),
    async close() {
      await sessions.closeAll();
      await server.close();
    },
  };
}

export const test = base.extend<{ world: VoiceWorld }>({
  world: async ({ task: _ }, use) => {
    const world = await startVoiceWorld();
    await use(world);
    await world.close();
  },
});
