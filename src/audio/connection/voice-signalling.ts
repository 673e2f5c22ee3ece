import type { DiscordGatewayAdapterCreator } from './library/voice-library.ts';
import { pairUpdates, type StateUpdate } from './update-pairing.ts';
import type { JoinTarget } from './voice-session-types.ts';

/** The bot's own voice state at Discord, and its meaning for the requests sent so far. */
export interface OwnState {
  /** Null: in no channel. */
  readonly channelId: string | null;
  /** Discord has answered the latest request to join, and admitted the bot. */
  readonly wasLetIn: boolean;
  /** We have left since we were last connected: a null may be the echo of that. */
  readonly mayBeEcho: boolean;
}

interface SignallingEvents {
  ownState(state: OwnState): void;
  /** The main gateway connection was closed for good. */
  gatewayLost(): void;
}

/** One session's use of the main gateway, from its start to its end: also between two links, and while there is none. */
export interface VoiceSignalling {
  /** For the library's connection; each one replaces the one before. */
  readonly adapterCreator: DiscordGatewayAdapterCreator;
  /** The channel as discord.js knows it: null when in none, undefined when unknown (after a new main session). */
  knownChannel(): string | null | undefined;
  /** Connected, and so admitted: all requests are answered. */
  connected(): void;
  /** We were in the channel, have not left it, and are known to be in none. */
  wasPutOut(): boolean;
  close(): void;
}

/** `hasJustLeft`: a request of an earlier session may yet be answered. Throws when the bot's server is gone. */
export function openVoiceSignalling(
  target: JoinTarget,
  { hasJustLeft }: { hasJustLeft: boolean },
  events: SignallingEvents,
): VoiceSignalling {
  let isClosed = false;
  let { channelId } = target;
  /** Requests to join without an answer. Discord answers in order, and an earlier request may have been given up. */
  let unanswered = hasJustLeft ? 1 : 0;
  let hasAsked = false;
  let mayBeEcho = true;

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

  /** Notes what Discord has been asked. */
  function sent(toChannelId: string | null): void {
    if (toChannelId === null) {
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
        sendPayload(payload: { d: { channel_id: string | null } }) {
          if (!adapter.sendPayload(payload)) return false;
          sent(payload.d.channel_id);
          return true;
        },
        destroy() {
          updates.endDeliveryTo(methods);
        },
      };
    },
    knownChannel: () => target.knownChannel?.(),
    connected() {
      unanswered = 0;
      mayBeEcho = false;
    },
    wasPutOut: () => !mayBeEcho && target.knownChannel?.() === null,
    close() {
      if (isClosed) return;
      isClosed = true;
      updates.close();
      adapter.destroy();
    },
  };
}
