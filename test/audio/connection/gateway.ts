import type { DiscordGatewayAdapterCreator } from '../../../src/audio/connection/voice-session-types.ts';
import type { VoiceServer } from '../../../src/playground/voice/server.ts';
import { BOT, GUILD } from '../../playground/voice/parties.ts';

export { ALICE, BOB, BOT, CHANNEL, GUILD, trust } from '../../playground/voice/parties.ts';

export const OTHER_CHANNEL = '200000000000000002';

/** The little of the main gateway that voice needs: answers op 4 as Discord does, and can be told to behave otherwise. */
export interface FakeGateway {
  adapterCreator: DiscordGatewayAdapterCreator;
  /** The op 4 received; the channel is null for leaving. */
  readonly requests: { channelId: string | null; selfDeaf: boolean; atMs: number }[];
  /** Of those requests, the channels. */
  channels(): (string | null)[];
  /** False: op 4 is ignored, as for a full channel. */
  answers: boolean;
  /** False: requests are not taken at all, as while the gateway reconnects; voice states come when it is back. */
  isReady: boolean;
  /** The channel of the bot in discord.js's cache; undefined after a new main session. */
  knownChannel: string | null | undefined;
  /** False: answered with no voice server, as while Discord looks for one; announceServer() tells of it. */
  hasServer: boolean;
  announceServer(): void;
  /** Of its two events, the next answer has this one only. */
  sendsOnly: 'state' | 'server' | undefined;
  kick(closeCode?: number): void;
  move(channelId: string, to?: { dave?: boolean }): void;
  /** The main session is dropped, and there is a new one: voice closes with 4014, no voice state follows. */
  dropMainSession(): void;
  /** discord.js gives the adapter up. */
  destroyAdapter(): void;
}

export function fakeGateway(
  server: VoiceServer,
  where: { guildId?: string; userId?: string; dave?: boolean } = {},
): FakeGateway {
  const { guildId = GUILD, userId = BOT } = where;
  type Library = Parameters<DiscordGatewayAdapterCreator>[0];
  let library: Library | undefined;
  let sessions = 0;
  let announce = () => {};
  let isReady = true;
  let missed: (string | null)[] = [];

  function tellState(channelId: string | null): void {
    if (gateway.isReady) deliverState(channelId);
    else missed.push(channelId);
  }

  function deliverState(channelId: string | null): void {
    gateway.knownChannel = channelId;
    library?.onVoiceStateUpdate({
      guild_id: guildId,
      channel_id: channelId,
      user_id: userId,
      session_id: `session-${userId}-${sessions}`,
      deaf: false,
      mute: false,
      self_deaf: true,
      self_mute: false,
      self_video: false,
      suppress: false,
      request_to_speak_timestamp: null,
    });
  }

  function expectAt(channelId: string, to: { dave?: boolean }): void {
    const sessionId = `session-${userId}-${sessions}`;
    const dave = to.dave === undefined ? {} : { dave: to.dave };
    const { token, endpoint } = server.expect({ guildId, channelId, userId, sessionId, ...dave });
    announce = () => library?.onVoiceServerUpdate({ token, guild_id: guildId, endpoint });
  }

  function enter(channelId: string, to: { dave?: boolean } = where): void {
    if (gateway.sendsOnly) {
      // In the channel already, and so with the voice state's session as it was.
      const only = gateway.sendsOnly;
      gateway.sendsOnly = undefined;
      expectAt(channelId, to);
      if (only === 'state') tellState(channelId);
      else announce();
      return;
    }
    sessions += 1;
    expectAt(channelId, to);
    tellState(channelId);
    if (gateway.hasServer) announce();
    else library?.onVoiceServerUpdate({ token: 'none', guild_id: guildId, endpoint: null });
  }

  const gateway: FakeGateway = {
    requests: [],
    channels: () => gateway.requests.map(({ channelId }) => channelId),
    answers: true,
    get isReady() {
      return isReady;
    },
    set isReady(ready) {
      isReady = ready;
      if (!ready) return;
      for (const channelId of missed) deliverState(channelId);
      missed = [];
    },
    knownChannel: undefined,
    hasServer: true,
    sendsOnly: undefined,
    announceServer: () => announce(),
    adapterCreator: (methods) => {
      library = methods;
      return {
        sendPayload(payload: { d: { channel_id: string | null; self_deaf: boolean } }) {
          if (!gateway.isReady) return false;
          const channelId = payload.d.channel_id;
          gateway.requests.push({ channelId, selfDeaf: payload.d.self_deaf, atMs: performance.now() });
          // As over a socket: the answer comes later.
          setImmediate(() => {
            if (channelId === null) {
              server.drop({ guildId, userId }, 4014);
              tellState(null);
            } else if (gateway.answers) {
              enter(channelId);
            }
          });
          return true;
        },
        destroy() {
          if (library === methods) library = undefined;
        },
      };
    },
    kick(closeCode = 4014) {
      server.drop({ guildId, userId }, closeCode);
      tellState(null);
    },
    move: enter,
    dropMainSession() {
      gateway.knownChannel = undefined;
      server.drop({ guildId, userId }, 4014);
    },
    destroyAdapter: () => library?.destroy(),
  };
  return gateway;
}
