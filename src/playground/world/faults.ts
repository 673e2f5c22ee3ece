import type { GatewayServer } from '../gateway/server.ts';
import type { RestFault, RestServer } from '../rest/server.ts';
import type { Hub } from '../state/hub.ts';
import { changeVoiceServer } from '../state/voice-states.ts';
import type { ProtocolVersion } from '../voice/protocol.ts';

export function createWorldFaults(hub: Hub, rest: RestServer, gateway: GatewayServer) {
  const { delayedEvents, lostEvents, repeatedEvents } = gateway.faults;
  return {
    dropGateway(): void {
      for (const connection of [...gateway.connections]) connection.cut();
    },
    askToReconnect(): void {
      for (const connection of [...gateway.connections]) connection.askToReconnect();
    },
    /** Sends Invalid Session (op 9) to the bot. Unless `resumable`, its gateway sessions and its voice connection end. */
    invalidateSession({ resumable }: { readonly resumable: boolean }): void {
      for (const connection of [...gateway.connections]) connection.invalidate(resumable);
    },
    closeGateway(code: number): void {
      for (const connection of [...gateway.connections]) connection.close(code);
    },
    answerHeartbeats(answer: boolean): void {
      gateway.faults.answerHeartbeats = answer;
    },
    refuseGateway(refuse: boolean): void {
      gateway.faults.refuseConnections = refuse;
    },
    delayEvent(name: string, delayMs: number): () => void {
      delayedEvents.set(published(name), delayMs);
      return () => delayedEvents.delete(name);
    },
    loseEvent(name: string): () => void {
      lostEvents.add(published(name));
      return () => lostEvents.delete(name);
    },
    repeatEvent(name: string): () => void {
      repeatedEvents.add(published(name));
      return () => repeatedEvents.delete(name);
    },
    /** Sends each gateway session its last event called `name` again, with changed data. Returns false if none has had such an event. */
    distortEvent(name: string, change: (last: unknown) => unknown): boolean {
      const { sessions } = gateway;
      let isSent = false;
      for (const session of sessions.all.values()) {
        const last = sessions.lastSent(session, name);
        if (last === undefined) continue;
        sessions.dispatch(session, name, change(last));
        isSent = true;
      }
      return isSent;
    },
    swapVoiceEvents(swap: boolean): void {
      hub.swapVoiceEvents = swap;
    },
    /** If true, a changed permission to speak applies at once, not at the next join or move (discord-api-docs issue 4032). */
    speakAppliesAtOnce(applies: boolean): void {
      hub.speakAppliesAtOnce = applies;
    },
    /** Moves the bot to another voice server. With `emptyEndpoint`, Discord first announces that the old server is lost. */
    changeVoiceServer(guildId: string, { closeCode = 4022, afterMs = 1_500, emptyEndpoint = false } = {}): void {
      changeVoiceServer(hub, guildId, { closeCode, afterMs, emptyEndpoint });
    },
    /** If true, clients that connect to the voice channel never get a group for end-to-end encryption. */
    withholdGroup(channelId: string, withheld: boolean): void {
      const { channelsWithoutGroup } = hub.voice.settings;
      if (withheld) channelsWithoutGroup.add(channelId);
      else channelsWithoutGroup.delete(channelId);
    },
    setProtocolVersion: (call: { readonly guildId: string; readonly channelId: string }, version: ProtocolVersion) =>
      hub.voice.setProtocolVersion(call, version),
    /** If true, voice servers do not tell the bot its address over UDP (IP discovery), as behind a firewall. */
    blockUdp(blocked: boolean): void {
      hub.voice.settings.answerIpDiscovery = !blocked;
    },
    rest: (fault: RestFault) => rest.addFault(fault),
  };
}

/** Throws for READY and RESUMED. The playground sends them to one session, without the check for delayed, lost and repeated events. */
function published(name: string): string {
  if (name === 'READY' || name === 'RESUMED')
    throw new Error(`${name} is not published: nothing can happen to it here`);
  return name;
}
