import type { GatewayServer } from './gateway/server.ts';
import type { Hub } from './hub.ts';
import type { RestServer } from './rest/server.ts';
import type { Faults } from './world-types.ts';

/** The switches of a world that make things go wrong. */
export function createFaults(parts: { hub: Hub; rest: RestServer; gateway: GatewayServer }): Faults {
  const { hub, rest, gateway } = parts;
  return {
    dropGateway() {
      for (const connection of gateway.connections()) connection.cut();
    },
    askToReconnect() {
      for (const connection of gateway.connections()) connection.askToReconnect();
    },
    invalidateSession({ resumable }) {
      for (const connection of gateway.connections()) connection.invalidate(resumable);
    },
    closeGateway(code) {
      for (const connection of gateway.connections()) connection.close(code);
    },
    answerHeartbeats(answer) {
      gateway.faults.answerHeartbeats = answer;
    },
    refuseGateway(refuse) {
      gateway.faults.refuseConnections = refuse;
    },
    delayEvent(name, delayMs) {
      gateway.faults.delayedEvents.set(name, delayMs);
      return () => gateway.faults.delayedEvents.delete(name);
    },
    loseEvent(name) {
      gateway.faults.lostEvents.add(name);
      return () => gateway.faults.lostEvents.delete(name);
    },
    repeatEvent(name) {
      gateway.faults.repeatedEvents.add(name);
      return () => gateway.faults.repeatedEvents.delete(name);
    },
    swapVoiceEvents(swap) {
      hub.swapVoiceEvents = swap;
    },
    rest: (fault) => rest.addFault(fault),
  };
}
