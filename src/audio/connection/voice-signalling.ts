import type { DiscordGatewayAdapterCreator } from './library/voice-library.ts';
import type { LineTicket, RequestLine } from './request-line.ts';
import { pairUpdates, type StateUpdate } from './update-pairing.ts';
import type { JoinTarget, SignallingWait } from './voice-session-types.ts';

/** The bot's own voice state at Discord, and its meaning for the requests sent so far. */
export interface OwnState {
  /** Null: in no channel. */
  readonly channelId: string | null;
  /** Discord has answered the latest request to join, and admitted the bot. */
  readonly wasLetIn: boolean;
  /** We have left since we were last connected: a null may be the echo of that. */
  readonly mayBeEcho: boolean;
}

/** https://discord.com/developers/docs/events/gateway-events#update-voice-state */
const VOICE_STATE_UPDATE = 4;

interface Payload {
  readonly op: number;
  readonly d: { readonly channel_id: string | null };
}

interface SignallingEvents {
  ownState(state: OwnState): void;
  /** The main gateway connection was closed for good. */
  gatewayLost(): void;
  /** A request that had to wait has been sent. */
  sent(): void;
  /** A request to join that had to wait was not taken: the main gateway is away. */
  unavailable(): void;
  /** Discord has been told that we leave. */
  left(): void;
}

/** One session's use of the main gateway, from its start to its end: also between two links, and while there is none. */
export interface VoiceSignalling {
  /** For the library's connection; each one replaces the one before. */
  readonly adapterCreator: DiscordGatewayAdapterCreator;
  /** The latest request waits for its turn. */
  isInLine(): boolean;
  /** What the main gateway has not told yet. */
  waitsFor(): SignallingWait;
  /** Connected, and so admitted: all requests are answered. */
  connected(): void;
  /** We were in the channel, have not left it, and are known to be in none. */
  wasPutOut(): boolean;
  /** Tells Discord that we leave, unless it was told since we last asked to join. */
  leave(): void;
  close(): void;
}

/** `hasJustLeft`: a request of an earlier session may yet be answered. Throws when the bot's server is gone. */
export function openVoiceSignalling(
  target: JoinTarget,
  { line, hasJustLeft }: { line: RequestLine; hasJustLeft: boolean },
  events: SignallingEvents,
): VoiceSignalling {
  let isClosed = false;
  let { channelId } = target;
  /** Requests to join without an answer. Discord answers in order, and an earlier request may have been given up. */
  let unanswered = hasJustLeft ? 1 : 0;
  let hasAsked = false;
  let mayBeEcho = true;
  let latest: { readonly ticket: LineTicket; readonly isJoin: boolean } | undefined;

  const updates = pairUpdates(() => target.knownChannel?.());

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

  /** Puts a request in line; false when the main gateway does not take it now. */
  function request(payload: Payload): boolean {
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

  /** The only request is still in line, and Discord has us in no channel: there is nothing to leave. */
  function isUnasked(): boolean {
    const isWaiting = latest?.isJoin === true && latest.ticket.isWaiting;
    return isWaiting && target.knownChannel !== undefined && typeof target.knownChannel() !== 'string';
  }

  /** Only a join: a leave is sent in any case. */
  function withdraw(): void {
    if (latest?.isJoin) latest.ticket.withdraw();
  }

  /** Notes what Discord has been asked. */
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
    adapterCreator(methods) {
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
    isInLine: () => latest?.ticket.isWaiting === true,
    connected() {
      unanswered = 0;
      mayBeEcho = false;
    },
    wasPutOut: () => !mayBeEcho && target.knownChannel?.() === null,
    leave() {
      const isOnItsWay = latest?.isJoin === false && latest.ticket.isWaiting;
      if (!hasAsked || isOnItsWay) return;
      const d = { guild_id: target.guildId, channel_id: null, self_mute: false, self_deaf: true };
      request({ op: VOICE_STATE_UPDATE, d });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      updates.close();
      withdraw();
      adapter.destroy();
    },
  };
}
