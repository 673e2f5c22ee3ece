import type { GatewayServer } from '../gateway/server.ts';
import type { Faults } from '../interface/world-types.ts';
import type { RestServer } from '../rest/server.ts';
import type { Hub } from '../state/hub.ts';
import { changeVoiceServer } from '../state/voice-states.ts';

/** Sent to the session that asked for it, not published to all: these faults do not see it. */
const NOT_PUBLISHED: readonly string[] = ['READY', 'RESUMED'];

/** The switches of a world that make things go wrong. */
export function createFaults(parts: { hub: Hub; rest: RestServer; gateway: GatewayServer }): Faults {
  const { hub, rest, gateway } = parts;
  const published = (name: string): string => {
    if (NOT_PUBLISHED.includes(name)) throw new Error(`${name} is not published: nothing can happen to it here`);
    return name;
  };
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
    refuseIdentifies(count) {
      gateway.faults.identifiesToRefuse = count;
    },
    refuseGateway(refuse) {
      gateway.faults.refuseConnections = refuse;
    },
    refuseResumes(refuse) {
      gateway.faults.refuseResumes = refuse;
    },
    delayEvent(name, delayMs) {
      gateway.faults.delayedEvents.set(published(name), delayMs);
      return () => gateway.faults.delayedEvents.delete(name);
    },
    loseEvent(name) {
      gateway.faults.lostEvents.add(published(name));
      return () => gateway.faults.lostEvents.delete(name);
    },
    distortEvent(name, change) {
      let isSent = false;
      for (const session of gateway.sessions.all.values()) {
        const last = gateway.sessions.lastSent(session, name);
        if (last === undefined) continue;
        gateway.sessions.dispatch(session, name, change(last));
        isSent = true;
      }
      return isSent;
    },
    repeatEvent(name) {
      gateway.faults.repeatedEvents.add(published(name));
      return () => gateway.faults.repeatedEvents.delete(name);
    },
    swapVoiceEvents(swap) {
      hub.swapVoiceEvents = swap;
    },
    speakAppliesAtOnce(applies) {
      hub.speakAppliesAtOnce = applies;
    },
    refuseVoice(closeCode, times) {
      Object.assign(hub.voice.settings, { closeOnIdentify: closeCode, closeOnIdentifyTimes: times });
    },
    changeVoiceServer(guildId, { closeCode = 4022, afterMs = 1_500, emptyEndpoint = false } = {}) {
      changeVoiceServer(hub, guildId, { closeCode, afterMs, emptyEndpoint });
    },
    cutVoice(guildId, { resumeAfterMs = 0 } = {}) {
      hub.voice.settings.resumeDelayMs = resumeAfterMs;
      hub.voice.cut({ guildId, userId: hub.model.application.botId });
    },
    replayVoiceBeforeResumed(before) {
      hub.voice.settings.replayBeforeResumed = before;
    },
    announceVoiceMembersLate(delayMs) {
      hub.voice.settings.clientsConnectDelayMs = delayMs;
    },
    withholdGroup(channelId, withheld) {
      const { channelsWithoutGroup } = hub.voice.settings;
      if (withheld) channelsWithoutGroup.add(channelId);
      else channelsWithoutGroup.delete(channelId);
    },
    setProtocolVersion: (call, version) => hub.voice.setProtocolVersion(call, version),
    blockUdp(blocked) {
      hub.voice.settings.answerIpDiscovery = !blocked;
    },
    loseDiscoveries(datagrams) {
      hub.voice.settings.discoveriesToLose = datagrams;
    },
    withholdVoiceAnswer(op, withheld) {
      const { withheldOps } = hub.voice.settings;
      if (withheld) withheldOps.add(op);
      else withheldOps.delete(op);
    },
    silenceUdp(silent) {
      hub.voice.settings.isUdpSilent = silent;
    },
    echoKeepAlives(echo) {
      hub.voice.settings.echoKeepAlives = echo;
    },
    rest: (fault) => rest.addFault(fault),
  };
}
