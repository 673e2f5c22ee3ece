import type { GatewayServer } from '../gateway/server.ts';
import type { RestFault, RestServer } from '../rest/server.ts';
import type { Hub } from '../state/hub.ts';
import { changeVoiceServer } from '../state/voice-states.ts';
import type { ProtocolVersion } from '../voice/types.ts';

/** Sent to the session that asked for it, not published to all: these faults do not see it. */
const NOT_PUBLISHED: readonly string[] = ['READY', 'RESUMED'];

export class Faults {
  readonly #hub: Hub;
  readonly #rest: RestServer;
  readonly #gateway: GatewayServer;

  constructor(hub: Hub, rest: RestServer, gateway: GatewayServer) {
    this.#hub = hub;
    this.#rest = rest;
    this.#gateway = gateway;
  }

  /** Cuts every gateway connection's TCP; sessions stay resumable. */
  dropGateway(): void {
    for (const connection of [...this.#gateway.connections]) connection.cut();
  }

  askToReconnect(): void {
    for (const connection of [...this.#gateway.connections]) connection.askToReconnect();
  }

  /** Op 9; not resumable ones lose the session and the bot's voice with it. */
  invalidateSession({ resumable }: { readonly resumable: boolean }): void {
    for (const connection of [...this.#gateway.connections]) connection.invalidate(resumable);
  }

  closeGateway(code: number): void {
    for (const connection of [...this.#gateway.connections]) connection.close(code);
  }

  answerHeartbeats(answer: boolean): void {
    this.#gateway.faults.answerHeartbeats = answer;
  }

  /** The next `count` IDENTIFYs are answered with Invalid Session, as though another had come within 5 s. */
  refuseIdentifies(count: number): void {
    this.#gateway.faults.identifiesToRefuse = count;
  }

  refuseGateway(refuse: boolean): void {
    this.#gateway.faults.refuseConnections = refuse;
  }

  /** Refuses connections to the address that sessions resume at, and no others, while true. */
  refuseResumes(refuse: boolean): void {
    this.#gateway.faults.refuseResumes = refuse;
  }

  /** Holds every event of this name back by `delayMs`, until the returned function is called. */
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

  /**
   * Sends the last event of this name once more, changed into anything at all, to sessions that had one: what a Discord
   * gone wrong might send, or one whose documents changed. False where there was none.
   */
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

  /**
   * A changed permission to speak takes effect at once, with a voice state. False, as at first: when the bot next joins or
   * moves, which Discord's developers call intended (https://github.com/discord/discord-api-docs/issues/4032).
   */
  speakAppliesAtOnce(applies: boolean): void {
    this.#hub.speakAppliesAtOnce = applies;
  }

  /**
   * Closes the bot's voice connection in this server with 4022 (also: 4014), and announces a new voice server `afterMs` later;
   * with `emptyEndpoint` it tells before the close that the present server is gone.
   */
  changeVoiceServer(guildId: string, { closeCode = 4022, afterMs = 1_500, emptyEndpoint = false } = {}): void {
    changeVoiceServer(this.#hub, guildId, { closeCode, afterMs, emptyEndpoint });
  }

  /** Clients that connect to this voice channel get no end-to-end encryption group while true. */
  withholdGroup(channelId: string, withheld: boolean): void {
    toggle(this.#hub.voice.settings.channelsWithoutGroup, channelId, withheld);
  }

  /** Changes a call to version 0 of the end-to-end encryption protocol, which is none, or back to 1. */
  setProtocolVersion(call: { readonly guildId: string; readonly channelId: string }, version: ProtocolVersion): void {
    this.#hub.voice.setProtocolVersion(call, version);
  }

  /** Voice servers answer nothing over UDP, as behind a firewall. */
  blockUdp(blocked: boolean): void {
    this.#hub.voice.settings.answerIpDiscovery = !blocked;
  }

  rest(fault: RestFault): () => void {
    return this.#rest.addFault(fault);
  }
}

function published(name: string): string {
  if (NOT_PUBLISHED.includes(name)) throw new Error(`${name} is not published: nothing can happen to it here`);
  return name;
}

function toggle<T>(set: Set<T>, entry: T, isIn: boolean): void {
  if (isIn) set.add(entry);
  else set.delete(entry);
}
