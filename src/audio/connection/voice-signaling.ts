import type { DiscordGatewayAdapterCreator } from './library/voice-library.ts';
import type { LineTicket, RequestLine } from './request-line.ts';
import type { JoinTarget, SignalingWait } from './voice-session-types.ts';

/** The bot's own voice state at Discord, and its meaning for the requests sent so far. */
export interface OwnState {
  /** Null if the bot is in no channel. */
  readonly channelId: string | null;
  /** True if Discord has answered the latest request to join, and admitted the bot. */
  readonly wasLetIn: boolean;
  /** True if the bot has left since it was last connected: a null channel may only confirm the leave. */
  readonly mayBeEcho: boolean;
}

/** An opcode of the main gateway; https://discord.com/developers/docs/events/gateway-events#update-voice-state */
const VOICE_STATE_UPDATE = 4;

export type VoiceSignaling = ReturnType<typeof openVoiceSignaling>;

/**
 * One session's use of the main gateway, from start to end, with or without a link to a voice server. `hasJustLeft`: an
 * answer to a request of an earlier session may still come. Throws if the bot's server is gone.
 */
export function openVoiceSignaling(
  target: JoinTarget,
  line: RequestLine,
  hasJustLeft: boolean,
  events: {
    ownState(state: OwnState): void;
    /** The main gateway connection was closed permanently. */
    gatewayLost(): void;
    /** A request that had to wait has been sent. */
    sent(): void;
    /** The main gateway was away when a waiting request to join was due. */
    unavailable(): void;
    /** The bot has told Discord that it leaves. */
    left(): void;
  },
) {
  let isClosed = false;
  let { channelId } = target;
  /**
   * The number of unanswered requests to join. Discord answers in order, and an earlier request may have been
   * abandoned.
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

  /** Puts a request in line. Returns false if the main gateway does not take it now. */
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

  /** True if the only request is still in line and Discord has the bot in no channel: there is nothing to leave. */
  const isUnasked = () => latest?.isJoin && latest.ticket.isWaiting && typeof target.knownChannel() !== 'string';

  /** Withdraws only a join: a leave is always sent. */
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
    /** Creates the main gateway adapter for the library's connection. Each new connection replaces the previous. */
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
    /** Call when connected, and so admitted: Discord has answered all requests. */
    connected(): void {
      unanswered = 0;
      mayBeEcho = false;
    },
    /** True if the bot was in the channel, has not left it, and is known to be in none. */
    wasPutOut: (): boolean => !mayBeEcho && target.knownChannel() === null,
    /** Tells Discord that the bot leaves, unless nothing was joined since the last leave. */
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

/** How long before the bot's new voice state the matching voice server may be announced, after a move. */
const SWAPPED_WITHIN_MS = 5_000;
/** How long an announced voice server waits for the bot's voice state. The last known state is then assumed to hold. */
const STATE_GRACE_MS = 1_000;

/**
 * Passes the two events of a voice connection (voice state and voice server) to the library. Their order does not
 * matter. The library connects when a voice server is announced, with the state it knows then. It does not connect if
 * the state comes second. An early server is announced again. If Discord sends no state because nothing changed, the
 * library gets the last known state, unless `knownChannel` contradicts it.
 */
function pairUpdates(knownChannel: JoinTarget['knownChannel']) {
  let library: GatewayMethods | undefined;
  /** The bot's last state in a channel, from the current connection or an earlier connection. */
  let lastState: StateUpdate | undefined;
  /** The bot's voice state that the library's current connection was given. */
  let told: StateUpdate | undefined;
  /** True if the library was given the bot's voice state and no voice server has followed yet. */
  let isServerDue = false;
  /** The latest voice server, if no new state of the bot came right before. */
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
     * Passes events to a new connection of the library, which knows neither the bot's voice state nor the voice server.
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
    /** The main gateway events that the current connection has not received. */
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
