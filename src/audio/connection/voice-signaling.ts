import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { LineTicket, RequestLine } from './request-line.ts';
import type { JoinTarget, SignalingWait } from './voice-session-types.ts';

/**
 * The bot's own voice state, as Discord last reported it, and how it relates to the bot's requests to join and leave.
 */
export interface OwnState {
  readonly channelId: string | null;
  /** True if Discord has answered the latest request to join, and admitted the bot. */
  readonly wasLetIn: boolean;
  /** True if the bot has left since it was last connected: Discord's null channel may then only confirm the leave. */
  readonly mayBeEcho: boolean;
}

/** An opcode of the main gateway; https://discord.com/developers/docs/events/gateway-events#update-voice-state */
const VOICE_STATE_UPDATE = 4;

export type VoiceSignaling = ReturnType<typeof openVoiceSignaling>;

/**
 * A voice session's use of the main gateway, from start to end, with or without a link to a voice server.
 * `hasJustLeft`: an answer to a request of an earlier session may still come. Throws if the bot's server is gone.
 */
export function openVoiceSignaling(
  target: JoinTarget,
  line: RequestLine,
  hasJustLeft: boolean,
  events: {
    ownState(state: OwnState): void;
    /** The main gateway connection was closed permanently. */
    gatewayLost(): void;
    /** A request to join or leave that had to wait for its turn has been sent. */
    sent(): void;
    /** The main gateway was away when a waiting request to join was due. */
    unavailable(): void;
    left(): void;
  },
) {
  let isClosed = false;
  let { channelId } = target;
  /**
   * The number of requests to join that Discord has not answered, including requests that the bot has given up. Discord
   * answers in order. Only at 0 is the latest request answered, so that a null channel in the bot's voice state means a
   * kick.
   */
  let unanswered = hasJustLeft ? 1 : 0;
  let hasAsked = false;
  let mayBeEcho = true;
  let latest: { readonly ticket: LineTicket; readonly isJoin: boolean } | undefined;

  const updates = pairUpdates(target.knownChannel);

  const adapter = target.adapterCreator({
    onVoiceServerUpdate: updates.server,
    onVoiceStateUpdate(data) {
      updates.state(data);
      if (!isClosed) tellOwnState(data);
    },
    destroy() {
      if (!isClosed) events.gatewayLost();
    },
  });

  function tellOwnState(data: StateUpdate): void {
    const wasLetIn = hasAsked && unanswered === 0;
    if (data.channel_id === channelId) unanswered = Math.max(0, unanswered - 1);
    else if (data.channel_id !== null) channelId = data.channel_id;
    events.ownState({ channelId: data.channel_id, wasLetIn, mayBeEcho });
  }

  /**
   * Puts a request to join or leave in the shard's line. Returns false if the main gateway does not take the request
   * now.
   */
  function request(payload: { readonly op: number; readonly d: { readonly channel_id: string | null } }): boolean {
    const toChannelId = payload.d.channel_id;
    const isJoin = toChannelId !== null;
    if (!isJoin && isUnasked()) {
      withdraw();
      hasAsked = false;
      return true;
    }
    let isLater = false;
    let wasTaken = true;
    const ticket = line.enter(target.guildId, () => {
      wasTaken = adapter.sendPayload(payload);
      if (wasTaken) noteSent(toChannelId);
      if (isLater && !isClosed && wasTaken) events.sent();
      else if (isLater && !isClosed && isJoin) events.unavailable();
      return wasTaken;
    });
    isLater = true;
    latest = { ticket, isJoin };
    return wasTaken;
  }

  /**
   * True if the first request to join still waits in line and Discord has the bot in no channel: there is nothing to
   * leave.
   */
  const isUnasked = () => latest?.isJoin && latest.ticket.isWaiting && typeof target.knownChannel() !== 'string';

  /** Withdraws the waiting request if it is a request to join. A request to leave is always sent. */
  function withdraw(): void {
    if (latest?.isJoin) latest.ticket.withdraw();
  }

  function noteSent(toChannelId: string | null): void {
    if (toChannelId === null) {
      events.left();
      mayBeEcho = true;
      hasAsked = false;
      return;
    }
    unanswered += 1;
    hasAsked = true;
  }

  return {
    /**
     * Creates the adapter by which the connection of @discordjs/voice uses the main gateway. Each new connection
     * replaces the previous.
     */
    adapterCreator(methods: GatewayMethods) {
      updates.deliverTo(methods);
      return {
        sendPayload: request,
        destroy() {
          updates.endDeliveryTo(methods);
          withdraw();
        },
      };
    },
    waitsFor: updates.waitsFor,
    isInLine: (): boolean => latest?.ticket.isWaiting === true,
    /** Must be called when the voice connection is ready: Discord has then answered all requests to join. */
    connected(): void {
      unanswered = 0;
      mayBeEcho = false;
    },
    /** True if the bot was in its voice channel, did not leave it, and is in no channel now. */
    wasPutOut: (): boolean => !mayBeEcho && target.knownChannel() === null,
    /** Tells Discord that the bot leaves the voice channel, unless nothing was joined since the last leave. */
    leave(): void {
      const isOnItsWay = latest?.isJoin === false && latest.ticket.isWaiting;
      if (!hasAsked || isOnItsWay) return;
      const d = { guild_id: target.guildId, channel_id: null, self_mute: false, self_deaf: true };
      request({ op: VOICE_STATE_UPDATE, d });
    },
    close(): void {
      if (isClosed) return;
      isClosed = true;
      updates.close();
      withdraw();
      adapter.destroy();
    },
  };
}

type GatewayMethods = Parameters<DiscordGatewayAdapterCreator>[0];
type StateUpdate = Parameters<GatewayMethods['onVoiceStateUpdate']>[0];
type ServerUpdate = Parameters<GatewayMethods['onVoiceServerUpdate']>[0];

/**
 * After a move, Discord may announce the new voice server up to 5 s before the bot's new voice state. @discordjs/voice
 * only connects if the server comes second, so a server announced within this time is passed on again after the state.
 */
const SWAPPED_WITHIN_MS = 5_000;
/**
 * How long an announced voice server waits for the bot's voice state. After that, the last known state is assumed to
 * hold.
 */
const STATE_GRACE_MS = 1_000;

/**
 * Passes the two events of a voice connection (voice state and voice server) to @discordjs/voice, in either order. The
 * library connects when a voice server is announced, with the voice state it knows then, and does not connect if the
 * state comes second. An early server is therefore announced again. If Discord sends no state because nothing changed,
 * the library gets the last known state, unless `knownChannel` contradicts it.
 */
function pairUpdates(knownChannel: JoinTarget['knownChannel']) {
  let library: GatewayMethods | undefined;
  /** The bot's last voice state in a channel, from the current or an earlier voice connection. */
  let lastState: StateUpdate | undefined;
  /** The bot's voice state that @discordjs/voice was given for its current connection. */
  let told: StateUpdate | undefined;
  /** True if @discordjs/voice was given the bot's voice state and no voice server has followed yet. */
  let isServerDue = false;
  /**
   * The last announced voice server, if the bot's new voice state has yet to come. @discordjs/voice only connects if
   * the server comes second, so it is passed on again after the state. Undefined if the state came first.
   */
  let early: { readonly data: ServerUpdate; readonly atMs: number; readonly wasUsed: boolean } | undefined;
  let grace: NodeJS.Timeout | undefined;

  function tellState(data: StateUpdate): void {
    told = data;
    library?.onVoiceStateUpdate(data);
  }

  function tellLastState(server: ServerUpdate): void {
    if (!lastState || told || knownChannel() !== lastState.channel_id) return;
    tellState(lastState);
    early = undefined;
    library?.onVoiceServerUpdate(server);
  }

  function reset(): void {
    clearTimeout(grace);
    told = undefined;
    early = undefined;
    isServerDue = false;
  }

  return {
    state(data: StateUpdate): void {
      if (data.channel_id === null) {
        library?.onVoiceStateUpdate(data);
        return;
      }
      const isNews = told?.channel_id !== data.channel_id || told.session_id !== data.session_id;
      lastState = data;
      tellState(data);
      if (!isNews) return;
      clearTimeout(grace);
      const isItsServer = early && (!early.wasUsed || performance.now() - early.atMs < SWAPPED_WITHIN_MS);
      if (early && isItsServer) library?.onVoiceServerUpdate(early.data);
      else isServerDue = true;
      early = undefined;
    },
    server(data: ServerUpdate): void {
      library?.onVoiceServerUpdate(data);
      // Without an endpoint, Discord has yet to announce the voice server.
      if (!data.endpoint) return;
      clearTimeout(grace);
      early = isServerDue ? undefined : { data, atMs: performance.now(), wasUsed: told !== undefined };
      isServerDue = false;
      if (!told) grace = setTimeout(tellLastState, STATE_GRACE_MS, data);
    },
    /**
     * Passes events to a new connection of @discordjs/voice, which knows neither the bot's voice state nor the voice
     * server.
     */
    deliverTo(methods: GatewayMethods): void {
      reset();
      library = methods;
    },
    endDeliveryTo(methods: GatewayMethods): void {
      if (library !== methods) return;
      reset();
      library = undefined;
    },
    /** The main gateway events that the current voice connection still waits for. */
    waitsFor(): SignalingWait {
      if (told) return 'voice-server-update';
      return early ? 'voice-state-update' : 'admission';
    },
    close(): void {
      reset();
      library = undefined;
    },
  };
}
