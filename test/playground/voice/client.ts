import './without-sodium-native.ts';
import { once } from 'node:events';
import {
  type DiscordGatewayAdapterCreator,
  type DiscordGatewayAdapterLibraryMethods,
  entersState,
  joinVoiceChannel,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { createEncoder } from 'libopus-wasm';
import type { VoiceServer } from '../../../src/playground/voice/server.ts';
import { BOT, CHANNEL, GUILD } from './parties.ts';

export { ALICE, BOB, BOT, CHANNEL, GUILD, trust } from './parties.ts';

export interface JoinOptions {
  guildId?: string;
  channelId?: string;
  userId?: string;
  dave?: boolean;
  muted?: boolean;
}

let sessionCount = 0;

/** Joins with the real library; the two gateway events are made of the result of `server.expect`. */
export function join(server: VoiceServer, options: JoinOptions = {}): VoiceConnection {
  const { guildId = GUILD, channelId = CHANNEL, userId = BOT } = options;
  sessionCount += 1;
  const sessionId = `session-${sessionCount}`;
  const adapterCreator: DiscordGatewayAdapterCreator = (methods) => ({
    sendPayload(payload: { d: { channel_id: string | null } }) {
      answer(methods, payload.d.channel_id);
      return true;
    },
    destroy() {},
  });
  function answer(methods: DiscordGatewayAdapterLibraryMethods, channel: string | null): void {
    if (channel === null) {
      server.drop({ guildId, userId }, 4014);
      return;
    }
    const { token, endpoint } = server.expect({
      guildId,
      channelId: channel,
      userId,
      sessionId,
      ...(options.dave !== undefined && { dave: options.dave }),
      ...(options.muted !== undefined && { muted: options.muted }),
    });
    const state = { guild_id: guildId, channel_id: channel, user_id: userId, session_id: sessionId };
    methods.onVoiceStateUpdate({
      ...state,
      deaf: false,
      mute: false,
      self_deaf: true,
      self_mute: false,
      self_video: false,
      suppress: false,
      request_to_speak_timestamp: null,
    });
    methods.onVoiceServerUpdate({ token, guild_id: guildId, endpoint });
  }
  const connection = joinVoiceChannel({
    guildId,
    channelId,
    group: userId,
    selfDeaf: true,
    adapterCreator,
    debug: process.env.VOICE_DEBUG !== undefined,
  });
  if (process.env.VOICE_DEBUG !== undefined) connection.on('debug', (message) => console.error(message));
  connection.on('error', () => {});
  return connection;
}

/** Resolves when the connection's group is established. */
export async function encrypted(connection: VoiceConnection): Promise<void> {
  await entersState(connection, VoiceConnectionStatus.Ready, 5_000);
  if (connection.voicePrivacyCode) return;
  await once(connection, 'transitioned', { signal: AbortSignal.timeout(5_000) });
}

/** A sine as 20 ms Opus packets, 48 kHz mono. */
export async function tone(packets: number, hertz = 440): Promise<{ packets: Uint8Array[]; pcm: Float32Array }> {
  const encoder = await createEncoder({ channels: 1, sampleRate: 48_000, frameSize: 960 });
  const pcm = Float32Array.from(
    { length: packets * 960 },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * hertz * index) / 48_000),
  );
  const encoded = Array.from({ length: packets }, (_, index) =>
    encoder.encodeFloat(pcm.subarray(index * 960, (index + 1) * 960)),
  );
  encoder.free();
  return { packets: encoded, pcm };
}

/** Sends packets `paceMs` apart, as a player would. */
export async function speak(connection: VoiceConnection, packets: readonly Uint8Array[], paceMs = 2): Promise<void> {
  for (const packet of packets) {
    connection.playOpusPacket(Buffer.from(packet));
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
}

export const SILENCE = Buffer.of(0xf8, 0xff, 0xfe);
