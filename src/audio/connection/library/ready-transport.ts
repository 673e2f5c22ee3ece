import { type Misfits, misfitsOf } from './borrowed.ts';
import {
  type Networking,
  type NetworkingReadyState,
  NetworkingStatusCode,
  type VoiceConnection,
  VoiceConnectionStatus,
} from './voice-library.ts';

/** The objects that a connection sends with while it can send. */
interface Ready {
  networking: Networking;
  state: NetworkingReadyState;
  /** Everything in `state` that does not have the expected shape. */
  misfits: Misfits;
}

/** Follows a connection by its events: reading thousands of states before each packet costs more than encrypting. */
export interface ReadyTransport {
  /** Undefined while nothing can be sent; a new object after every change of the connection's state. */
  ready: Ready | undefined;
  /** Called after each change of `ready`. */
  listeners: Set<() => void>;
}

const transports = new WeakMap<VoiceConnection, ReadyTransport>();

/** One shared instance for each connection. */
export function readyTransport(connection: VoiceConnection): ReadyTransport {
  const known = transports.get(connection);
  if (known) return known;
  const transport: ReadyTransport = { ready: undefined, listeners: new Set() };
  transports.set(connection, transport);
  let followed: Networking | undefined;

  function look(): void {
    const networking = 'networking' in connection.state ? connection.state.networking : undefined;
    if (networking !== followed) {
      followed?.off('stateChange', look);
      networking?.prependListener('stateChange', look);
      followed = networking;
    }
    const isReady = connection.state.status === VoiceConnectionStatus.Ready;
    const state = isReady ? networking?.state : undefined;
    transport.ready =
      networking && state?.code === NetworkingStatusCode.Ready
        ? { networking, state, misfits: misfitsOf(state) }
        : undefined;
    for (const listener of transport.listeners) listener();
  }

  // Before other listeners, which may send as soon as the connection is ready.
  connection.prependListener('stateChange', look);
  look();
  return transport;
}
