import {
  type Networking,
  type NetworkingReadyState,
  type NetworkingState,
  NetworkingStatusCode,
  type VoiceConnection,
  type VoiceConnectionState,
  VoiceConnectionStatus,
} from './voice-library.ts';

/**
 * What a connection sends with while it can send; undefined while it cannot. The library replaces its state objects with
 * each change and never alters their kind, so that before each packet it is enough to see that they are still the same:
 * looking into thousands of them costs more than encrypting.
 */
export function readyTransport(
  connection: VoiceConnection,
): () => { networking: Networking; state: NetworkingReadyState } | undefined {
  let seenConnection: VoiceConnectionState | undefined;
  let seenNetworking: NetworkingState | undefined;
  let networking: Networking | undefined;
  let transport: { networking: Networking; state: NetworkingReadyState } | undefined;

  return () => {
    const connectionState = connection.state;
    if (connectionState === seenConnection && networking?.state === seenNetworking) return transport;
    seenConnection = connectionState;
    networking = connectionState.status === VoiceConnectionStatus.Ready ? connectionState.networking : undefined;
    seenNetworking = networking?.state;
    transport =
      networking && seenNetworking?.code === NetworkingStatusCode.Ready
        ? { networking, state: seenNetworking }
        : undefined;
    return transport;
  };
}
