import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { VoiceServer } from '../../../src/playground/voice/server.ts';
import { BOT } from '../../playground/voice/parties.ts';

export { ALICE, BOB, BOT, CHANNEL, trust } from '../../playground/voice/parties.ts';

export const OTHER_CHANNEL = '200000000000000002';

type Library = Parameters<DiscordGatewayAdapterCreator>[0];
type Adapter = ReturnType<DiscordGatewayAdapterCreator>;

/** The little of the main gateway that voice needs: answers op 4 as Discord does, and can be told to behave otherwise. */
export class FakeGateway {
  /** The op 4 received; the channel is null for leaving. */
  readonly requests: { channelId: string | null; selfDeaf: boolean; atMs: number }[] = [];
  /** False: op 4 is ignored, as for a full channel. */
  answers = true;
  /** The channel of the bot in discord.js's cache; undefined after a new main session. */
  knownChannel: string | null | undefined;
  /** False: answered with no voice server, as while Discord looks for one; announceServer() tells of it. */
  hasServer = true;
  announceServer = () => {};
  /** Of its two events, the next answer has this one only. */
  sendsOnly: 'state' | 'server' | undefined;

  readonly #server: VoiceServer;
  readonly #where: { guildId: string };
  #library: Library | undefined;
  #sessions = 0;
  #isReady = true;
  #missed: (string | null)[] = [];

  constructor(server: VoiceServer, where: { guildId: string }) {
    this.#server = server;
    this.#where = where;
  }

  /** Of the requests, the channels. */
  channels(): (string | null)[] {
    return this.requests.map(({ channelId }) => channelId);
  }

  /** False: requests are not taken at all, as while the gateway reconnects; voice states come when it is back. */
  get isReady(): boolean {
    return this.#isReady;
  }

  set isReady(ready: boolean) {
    this.#isReady = ready;
    if (ready) for (const channelId of this.#missed.splice(0)) this.#tellState(channelId);
  }

  readonly adapterCreator = (library: Library): Adapter => {
    this.#library = library;
    return {
      sendPayload: (payload: { d: { channel_id: string | null; self_deaf: boolean } }) => {
        if (!this.isReady) return false;
        const channelId = payload.d.channel_id;
        this.requests.push({ channelId, selfDeaf: payload.d.self_deaf, atMs: performance.now() });
        // As over a socket: the answer comes later.
        setImmediate(() => {
          if (channelId === null) this.kick();
          else if (this.answers) this.move(channelId);
        });
        return true;
      },
      destroy: () => {
        if (this.#library === library) this.#library = undefined;
      },
    };
  };

  kick(): void {
    this.#server.drop({ guildId: this.#where.guildId, userId: BOT }, 4014);
    this.#tellState(null);
  }

  move(channelId: string): void {
    const only = this.sendsOnly;
    this.sendsOnly = undefined;
    // With one event only, it is in the channel already, and so with the voice state's session as it was.
    if (!only) this.#sessions += 1;
    const { guildId } = this.#where;
    const { token, endpoint } = this.#server.expect({
      ...this.#where,
      channelId,
      userId: BOT,
      sessionId: this.#session,
      dave: true,
    });
    this.announceServer = () => this.#library?.onVoiceServerUpdate({ token, guild_id: guildId, endpoint });
    if (only !== 'server') this.#tellState(channelId);
    if (only === 'state') return;
    if (this.hasServer) this.announceServer();
    else this.#library?.onVoiceServerUpdate({ token: 'none', guild_id: guildId, endpoint: null });
  }

  /** The main session is dropped, and there is a new one: voice closes with 4014, no voice state follows. */
  dropMainSession(): void {
    this.knownChannel = undefined;
    this.#server.drop({ guildId: this.#where.guildId, userId: BOT }, 4014);
  }

  /** discord.js gives the adapter up. */
  destroyAdapter(): void {
    this.#library?.destroy();
  }

  get #session(): string {
    return `session-${BOT}-${this.#sessions}`;
  }

  #tellState(channelId: string | null): void {
    if (!this.isReady) {
      this.#missed.push(channelId);
      return;
    }
    this.knownChannel = channelId;
    this.#library?.onVoiceStateUpdate({
      ...{ guild_id: this.#where.guildId, channel_id: channelId, user_id: BOT, session_id: this.#session },
      ...{ deaf: false, mute: false, self_deaf: true, self_mute: false, self_video: false, suppress: false },
      request_to_speak_timestamp: null,
    });
  }
}
