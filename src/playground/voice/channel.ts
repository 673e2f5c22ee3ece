import { createDeliveryService, type DeliveryService } from './dave/delivery-service.ts';
import {
  ClientFault,
  Close,
  type Deadline,
  Op,
  type Participant,
  type ProtocolVersion,
  type VoiceServerSettings,
  waitWithin,
} from './protocol.ts';

interface ChannelOptions {
  channelId: string;
  dave: boolean;
  settings: VoiceServerSettings;
}

interface Seat {
  /** 'due': the client waits for op 4. 'delayed': the server holds back op 25. 'joined': the client is admitted. */
  dave: 'due' | 'delayed' | 'joined';
  timer: NodeJS.Timeout | undefined;
  keyPackage: Buffer | undefined;
}

export class VoiceGroupChannel {
  readonly channelId: string;
  readonly dave: boolean;
  readonly #settings: VoiceServerSettings;
  readonly #group: DeliveryService;
  readonly #seats = new Map<Participant, Seat>();
  readonly #watchers = new Set<() => void>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor({ channelId, dave, settings }: ChannelOptions) {
    this.channelId = channelId;
    this.dave = dave;
    this.#settings = settings;
    this.#group = createDeliveryService({
      channelId,
      onChange: () => this.#changed(),
      alter: (userId, op, payload) =>
        settings.alterDaveMessage ? settings.alterDaveMessage({ userId, op, payload }) : payload,
    });
  }

  get protocolVersion(): ProtocolVersion {
    return this.dave ? this.#group.protocolVersion : 0;
  }

  /** A new participant of a call and the others learn of each other (op 11, clients connect). */
  connect(participant: Participant): void {
    const others = [...this.#seats.keys()].map(({ userId }) => userId);
    this.#seats.set(participant, { dave: 'due', timer: undefined, keyPackage: undefined });
    if (others.length > 0) participant.send(Op.clientsConnect, { user_ids: others });
    this.#broadcast(participant, Op.clientsConnect, { user_ids: [participant.userId] });
  }

  /** Admits a client to end-to-end encryption `delayMs` after op 4 (session description); never if infinite. */
  beginDave(participant: Participant, delayMs: number): void {
    if (!this.dave) return;
    const seat = this.#seatOf(participant);
    if (delayMs === 0) {
      this.#admit(participant, seat);
      return;
    }
    seat.dave = 'delayed';
    if (delayMs !== Number.POSITIVE_INFINITY) seat.timer = setTimeout(() => this.#admit(participant, seat), delayMs);
  }

  receive(participant: Participant, op: number, d: unknown): void {
    this.#seatOf(participant);
    const transition = d as { transition_id: number };
    if (op === Op.speaking) this.#broadcast(participant, op, { ...(d as object), user_id: participant.userId });
    else if (op === Op.daveTransitionReady) this.#group.transitionReady(participant, transition.transition_id);
    else if (op === Op.daveInvalidCommitWelcome) this.#group.invalidCommitWelcome(participant);
  }

  receiveBinary(participant: Participant, op: number, payload: Buffer): void {
    const seat = this.#seatOf(participant);
    if (op === Op.daveKeyPackage && seat.dave !== 'joined') seat.keyPackage = payload;
    else if (op === Op.daveKeyPackage) this.#group.keyPackage(participant, payload);
    else if (op === Op.daveCommitWelcome) {
      if (seat.dave !== 'joined') throw new ClientFault(Close.badRequest, 'A commit before op 25');
      this.#later(this.#settings.daveCommitDelayMs, () => {
        if (this.has(participant)) this.#group.commitWelcome(participant, payload);
      });
    }
  }

  leave(participant: Participant): void {
    const seat = this.#seats.get(participant);
    if (seat === undefined) return;
    clearTimeout(seat.timer);
    this.#seats.delete(participant);
    this.#broadcast(participant, Op.clientDisconnect, { user_id: participant.userId });
    this.#group.leave(participant);
    this.#changed();
  }

  has(participant: Participant): boolean {
    return this.#seats.has(participant);
  }

  isEmpty(): boolean {
    return this.#seats.size === 0;
  }

  inGroup(participant: Participant): boolean {
    return this.#group.leafIndex(participant) !== undefined;
  }

  setProtocolVersion(next: ProtocolVersion): void {
    this.#group.setProtocolVersion(next);
  }

  whenSettled(wait: Deadline): Promise<void> {
    return waitWithin(
      wait,
      (timeoutMs) => new Error(`No group within ${timeoutMs} ms`),
      (resolve) => {
        const check = () => {
          if (this.#isSettled()) resolve();
        };
        this.#watchers.add(check);
        check();
        return () => this.#watchers.delete(check);
      },
    );
  }

  close(): void {
    for (const seat of this.#seats.values()) clearTimeout(seat.timer);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#group.close();
  }

  #isSettled(): boolean {
    if (!this.dave || this.#seats.size < 2) return true;
    return [...this.#seats.values()].every((seat) => seat.dave === 'joined') && this.#group.settled();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #broadcast(from: Participant, op: number, d: unknown): void {
    for (const participant of this.#seats.keys()) if (participant !== from) participant.send(op, d);
  }

  #seatOf(participant: Participant): Seat {
    const seat = this.#seats.get(participant);
    if (seat === undefined) throw new ClientFault(Close.sessionInvalid, 'Not in this channel');
    return seat;
  }

  #admit(participant: Participant, seat: Seat): void {
    seat.dave = 'joined';
    this.#group.join(participant);
    if (seat.keyPackage) this.#group.keyPackage(participant, seat.keyPackage);
  }

  #later(delayMs: number, work: () => void): void {
    if (delayMs === 0) {
      work();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, delayMs);
    this.#timers.add(timer);
  }
}
