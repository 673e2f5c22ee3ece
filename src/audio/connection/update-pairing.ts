import type { DiscordGatewayAdapterCreator } from './library/voice-library.ts';
import type { SignallingWait } from './voice-session-types.ts';

type GatewayMethods = Parameters<DiscordGatewayAdapterCreator>[0];
export type StateUpdate = Parameters<GatewayMethods['onVoiceStateUpdate']>[0];
type ServerUpdate = Parameters<GatewayMethods['onVoiceServerUpdate']>[0];

/** After a move, a voice server announced so shortly before our new state belongs to that state. */
const SWAPPED_WITHIN_MS = 5_000;
/** How long a voice server waits for a state of ours, before the last known one is taken to be unchanged. */
const STATE_GRACE_MS = 1_000;

/** Passes the two events on which a voice connection depends to the library, so that their order does not matter. */
interface UpdatePairing {
  state(data: StateUpdate): void;
  server(data: ServerUpdate): void;
  /** A new connection, which knows neither. */
  deliverTo(library: GatewayMethods): void;
  endDeliveryTo(library: GatewayMethods): void;
  /** Of the two events, what the present connection has not been told. */
  waitsFor(): SignallingWait;
  close(): void;
}

/**
 * The library connects when a voice server is announced, with the state it knows then, and never when the state comes
 * second. Here a server that came too early is announced to it again. When Discord sends no state at all, because for it
 * nothing has changed, the library is told the last known one, unless `knownChannel` contradicts.
 */
export function pairUpdates(knownChannel: () => string | null | undefined): UpdatePairing {
  let library: GatewayMethods | undefined;
  /** Our last state in a channel, of this connection or an earlier one. */
  let lastState: StateUpdate | undefined;
  /** What the library's present connection has been told. */
  let told: StateUpdate | undefined;
  /** A state has been told that no voice server has followed yet. */
  let isServerDue = false;
  /** The latest server, when no new state came right before it. */
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
    state(data) {
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
    server(data) {
      library?.onVoiceServerUpdate(data);
      // An empty endpoint: the state's server is still to come.
      if (!data.endpoint) return;
      clearTimeout(grace);
      early = isServerDue ? undefined : { data, atMs: performance.now(), wasUsed: told !== undefined };
      isServerDue = false;
      if (!told) grace = setTimeout(tellLastState, STATE_GRACE_MS, data);
    },
    deliverTo(methods) {
      reset();
      library = methods;
    },
    endDeliveryTo(methods) {
      if (library !== methods) return;
      reset();
      library = undefined;
    },
    waitsFor() {
      if (told) return 'voice-server-update';
      return early ? 'voice-state-update' : 'admission';
    },
    close() {
      reset();
      library = undefined;
    },
  };
}
