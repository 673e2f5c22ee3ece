import type { GatewayServer } from '../gateway/server.ts';
import type { RestFault, RestServer } from '../rest/server.ts';
import type { Hub } from '../state/hub.ts';
import { changeVoiceServer } from '../state/voice-states.ts';
import type { ProtocolVersion } from '../voice/protocol.ts';

export class Faults {
  readonly #hub: Hub;
  readonly #rest: RestServer;
  readonly #gateway: GatewayServer;

  constructor(hub: Hub, rest: RestServer, gateway: GatewayServer) {
    this.#hub = hub;
    this.#rest = rest;
    this.#gateway = gateway;
  }

  dropGateway(): void {
    for (const connection of [...this.#gateway.connections]) connection.cut();
  }

  askToReconnect(): void {
    for (const connection of [...this.#gateway.connections]) connection.askToReconnect();
  }

  /** Sessions that are not `resumable` end, and so does the bot's voice connection. */
  invalidateSession({ resumable }: { readonly resumable: boolean }): void {
    for (const connection of [...this.#gateway.connections]) connection.invalidate(resumable);
  }

  closeGateway(code: number): void {
    for (const connection of [...this.#gateway.connections]) connection.close(code);
  }

  answerHeartbeats(answer: boolean): void {
    this.#gateway.faults.answerHeartbeats = answer;
  }

  refuseGateway(refuse: boolean): void {
    this.#gateway.faults.refuseConnections = refuse;
  }

  delayEvent(name: string, delayMs: number): () => void {
    const { delayedEvents } = this.#gateway.faults;
    delayedEvents.set(published(name), delayMs);
    return () => delayedEvents.delete(name);
  }

  loseEvent(name: string): () => void {
    const { lostEvents } = this.#gateway.faults;
    lostEvents.add(published(name));
    return () => lostEvents.delete(name);
  }

  repeatEvent(name: string): () => void {
    const { repeatedEvents } = this.#gateway.faults;
    repeatedEvents.add(published(name));
    return () => repeatedEvents.delete(name);
  }

  /** Repeats the last event with changed data, as a faulty Discord might. Returns false if no session got it. */
  distortEvent(name: string, change: (last: unknown) => unknown): boolean {
    const { sessions } = this.#gateway;
    let isSent = false;
    for (const session of sessions.all.values()) {
      const last = sessions.lastSent(session, name);
      if (last === undefined) continue;
      sessions.dispatch(session, name, change(last));
      isSent = true;
    }
    return isSent;
  }

  swapVoiceEvents(swap: boolean): void {
    this.#hub.swapVoiceEvents = swap;
  }

  /** By default, a changed permission applies at the next join or move (discord-api-docs issue 4032). */
  speakAppliesAtOnce(applies: boolean): void {
    this.#hub.speakAppliesAtOnce = applies;
  }

  /** With `emptyEndpoint`, Discord first announces that the old voice server is lost. */
  changeVoiceServer(guildId: string, { closeCode = 4022, afterMs = 1_500, emptyEndpoint = false } = {}): void {
    changeVoiceServer(this.#hub, guildId, { closeCode, afterMs, emptyEndpoint });
  }

  /** If true, clients that connect to the voice channel never get a group for end-to-end encryption. */
  withholdGroup(channelId: string, withheld: boolean): void {
    const { channelsWithoutGroup } = this.#hub.voice.settings;
    if (withheld) channelsWithoutGroup.add(channelId);
    else channelsWithoutGroup.delete(channelId);
  }

  setProtocolVersion(call: { readonly guildId: string; readonly channelId: string }, version: ProtocolVersion): void {
    this.#hub.voice.setProtocolVersion(call, version);
  }

  /** If true, voice servers do not tell the bot its address over UDP (IP discovery), as behind a firewall. */
  blockUdp(blocked: boolean): void {
    this.#hub.voice.settings.answerIpDiscovery = !blocked;
  }

  rest(fault: RestFault): () => void {
    return this.#rest.addFault(fault);
  }
}

/** READY and RESUMED answer a single gateway session: faults of events do not affect them. */
function published(name: string): string {
  if (name === 'READY' || name === 'RESUMED')
    throw new Error(`${name} is not published: nothing can happen to it here`);
  return name;
}
