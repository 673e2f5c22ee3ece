import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { OwnState, SessionEvent } from './session-state.ts';
import type { JoinTarget, REQUEST_BUDGET, SignalingWait } from './voice-session-types.ts';

/** The opcode for joining and leaving voice; https://discord.com/developers/docs/events/gateway-events#update-voice-state */
const VOICE_STATE_UPDATE = 4;

export type VoiceSignaling = ReturnType<typeof openVoiceSignaling>;

/** `hasJustLeft`: the bot has just left voice here, so answers to earlier requests may still come. Throws if the bot was removed. */
export function openVoiceSignaling(
  target: JoinTarget,
  line: RequestLine,
  hasJustLeft: boolean,
  events: {
    ownState(state: OwnState): void;
    dispatch(event: SessionEvent): void;
    /** A request to join or leave was sent after it had to wait for the budget of requests. */
    sent(): void;
    left(): void;
  },
) {
  let isClosed = false;
  let { channelId } = target;
  /** Unanswered requests to join. Above 0, a voice state without a channel may precede the request. At 0, such a state means a kick. */
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
      if (!isClosed) events.dispatch({ type: 'end', end: { reason: 'gateway-lost' } });
    },
  });

  function tellOwnState(data: StateUpdate): void {
    const wasLetIn = hasAsked && unanswered === 0;
    if (data.channel_id === channelId) unanswered = Math.max(0, unanswered - 1);
    else if (data.channel_id !== null) channelId = data.channel_id;
    events.ownState({ channelId: data.channel_id, wasLetIn, mayBeEcho });
  }

  /** Returns false if the main gateway does not take the request to join or leave now. */
  function request(payload: { readonly op: number; readonly d: { readonly channel_id: string | null } }): boolean {
    const isJoin = payload.d.channel_id !== null;
    // The request to join was not sent yet and the bot is in no channel: there is nothing to leave.
    const isUnasked = latest?.isJoin && latest.ticket.isWaiting && typeof target.knownChannel() !== 'string';
    if (!isJoin && isUnasked) {
      withdraw();
      hasAsked = false;
      return true;
    }
    let isLater = false;
    let wasTaken = true;
    const ticket = line.enter(target.guildId, () => {
      wasTaken = adapter.sendPayload(payload);
      if (wasTaken) noteSent(isJoin);
      if (isLater && !isClosed && wasTaken) events.sent();
      else if (isLater && !isClosed && isJoin) events.dispatch({ type: 'unavailable' });
      return wasTaken;
    });
    isLater = true;
    latest = { ticket, isJoin };
    return wasTaken;
  }

  /** Only a waiting request to join is withdrawn: a request to leave is always sent. */
  function withdraw(): void {
    if (latest?.isJoin) latest.ticket.withdraw();
  }

  function noteSent(isJoin: boolean): void {
    hasAsked = isJoin;
    if (isJoin) {
      unanswered += 1;
    } else {
      events.left();
      mayBeEcho = true;
    }
  }

  return {
    /** Creates the adapter of a new @discordjs/voice connection, which receives Discord's voice events instead of the old connection. */
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
    /** True if the bot was connected, did not leave, and is in no channel now: it was disconnected. */
    wasPutOut: (): boolean => !mayBeEcho && target.knownChannel() === null,
    /** Tells Discord that the bot leaves, unless it has not requested to join since it last left. */
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

/** After a move, Discord may name the new voice server up to 5 s before the bot's new voice state. */
const SWAPPED_WITHIN_MS = 5_000;
/** After Discord named a voice server, the bot waits this long for its new voice state, then uses its last known voice state. */
const STATE_GRACE_MS = 1_000;

/**
 * Discord sends the voice state and voice server events in either order, but @discordjs/voice only connects if the
 * server event is second. An early server event is passed on again after the state event. If no state event comes
 * within a second, the last known state replaces the event.
 */
function pairUpdates(knownChannel: JoinTarget['knownChannel']) {
  let library: GatewayMethods | undefined;
  let lastState: StateUpdate | undefined;
  let told: StateUpdate | undefined;
  /** True if @discordjs/voice was given the bot's voice state and no voice server has followed yet. */
  let isServerDue = false;
  /** The voice server that came before the bot's new voice state; undefined if the state came first. */
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
      // A voice server event without an endpoint means that Discord will announce the voice server later.
      if (!data.endpoint) return;
      clearTimeout(grace);
      early = isServerDue ? undefined : { data, atMs: performance.now(), wasUsed: told !== undefined };
      isServerDue = false;
      if (!told) grace = setTimeout(tellLastState, STATE_GRACE_MS, data);
    },
    /** Passes events on to a new connection of @discordjs/voice, which has received neither a voice state nor a voice server yet. */
    deliverTo(methods: GatewayMethods): void {
      reset();
      library = methods;
    },
    endDeliveryTo(methods: GatewayMethods): void {
      if (library === methods) this.close();
    },
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

export type RequestLine = ReturnType<typeof createRequestLine>;
type LineTicket = ReturnType<RequestLine['enter']>;

/** Sends the voice requests of all servers of one shard in their order, as fast as `limit` allows. */
export function createRequestLine({ limit, perMs }: typeof REQUEST_BUDGET) {
  const sentAtMs: number[] = [];
  const line: { readonly guildId: string; readonly send: () => boolean }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isAdvancing = false;

  function advance(): void {
    // Sending a voice request may add another request, which the running loop sends too: no second loop must start.
    if (isAdvancing) return;
    isAdvancing = true;
    timer = undefined;
    try {
      while (line.length > 0) {
        const [oldestMs] = sentAtMs;
        const waitMs = sentAtMs.length < limit || oldestMs === undefined ? 0 : oldestMs + perMs - performance.now();
        if (waitMs > 0) {
          timer = setTimeout(advance, waitMs);
          return;
        }
        if (!line.shift()?.send()) continue;
        sentAtMs.push(performance.now());
        if (sentAtMs.length > limit) sentAtMs.shift();
      }
    } finally {
      isAdvancing = false;
    }
  }

  return {
    /** The request replaces a waiting request of the same server. `send` returns false if it sent nothing. */
    enter(guildId: string, send: () => boolean) {
      const request = { guildId, send };
      const superseded = line.findIndex((other) => other.guildId === guildId);
      if (superseded === -1) line.push(request);
      else line[superseded] = request;
      if (!timer) advance();
      return {
        get isWaiting(): boolean {
          return line.includes(request);
        },
        withdraw(): void {
          const place = line.indexOf(request);
          if (place !== -1) line.splice(place, 1);
        },
      };
    },
  };
}
