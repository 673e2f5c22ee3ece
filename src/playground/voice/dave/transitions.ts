import { DAVE_VERSION, Op } from '../protocol.ts';
import type { Participant, ProtocolVersion } from '../types.ts';

/** How long the server waits for everyone's op 23: 'roughly two seconds', https://daveprotocol.com/#member-remove. */
const TRANSITION_TIMEOUT_MS = 2_000;

/** The one transition to a new epoch that may be under way: executed when all are ready, or have had their time. */
export class Transitions {
  readonly #onExecute: (id: number) => void;
  #lastId = 0;
  #current: { id: number; waiting: Set<Participant>; timer: NodeJS.Timeout } | undefined;

  constructor(onExecute: (id: number) => void) {
    this.#onExecute = onExecute;
  }

  get pending(): boolean {
    return this.#current !== undefined;
  }

  /** Returns the new transition's id; one still under way is executed first. */
  begin(members: Iterable<Participant>): number {
    this.#execute();
    this.#lastId = (this.#lastId % 0xffff) + 1;
    const timer = setTimeout(() => this.#execute(), TRANSITION_TIMEOUT_MS);
    this.#current = { id: this.#lastId, waiting: new Set(members), timer };
    return this.#lastId;
  }

  /** The first of a group takes effect at once, as transition 0. */
  beginAtOnce(): number {
    this.#execute();
    return 0;
  }

  ready(participant: Participant, id: number): void {
    if (this.#current?.id !== id) return;
    this.forget(participant);
    this.executeIfReady();
  }

  /** This member is not waited for any more; `executeIfReady` decides the next step. */
  forget(participant: Participant): void {
    this.#current?.waiting.delete(participant);
  }

  executeIfReady(): void {
    if (this.#current?.waiting.size === 0) this.#execute();
  }

  /** Cancels the open transition without executing it. */
  end(): void {
    clearTimeout(this.#current?.timer);
    this.#current = undefined;
  }

  #execute(): void {
    const current = this.#current;
    this.end();
    if (current) this.#onExecute(current.id);
  }
}

/**
 * The protocol version of a call, and the announcements of its changes: https://daveprotocol.com/#protocol-transitions.
 */
export class CallVersion {
  readonly #members: { keys(): Iterable<Participant> };
  readonly #sendSender: (to: Participant) => void;
  readonly #introduced = new WeakSet<Participant>();
  current: ProtocolVersion = DAVE_VERSION;
  /** The transition under way to version 0, or from there to the next group. */
  #change: 'down' | 'up' | undefined;

  constructor(members: { keys(): Iterable<Participant> }, sendSender: (to: Participant) => void) {
    this.#members = members;
    this.#sendSender = sendSender;
  }

  get isChangingDown(): boolean {
    return this.#change === 'down';
  }

  /** There is no group, or soon none: what members send about one is of no use. */
  get isWithoutGroup(): boolean {
    return this.current === 0 || this.isChangingDown;
  }

  beginDowngrade(transitionId: number): void {
    this.#change = 'down';
    for (const participant of this.#members.keys()) this.#prepareVersion(participant, 0, transitionId);
  }

  /** Members change to the next group together. */
  beginUpgrade(): void {
    this.current = DAVE_VERSION;
    this.#change = 'up';
    for (const participant of this.#members.keys()) {
      this.#prepareFirstEpoch(participant);
      this.#introduce(participant);
    }
  }

  downgraded(): void {
    this.#change = undefined;
    this.current = 0;
  }

  /** Whether a first group takes effect at once: no member was in a call without one before. */
  isFirstAtOnce(): boolean {
    const isAtOnce = this.#change !== 'up';
    this.#change = undefined;
    return isAtOnce;
  }

  /** A newcomer got the version when it connected; if a version has ended since then, it learns that at once. */
  greet(participant: Participant): void {
    if (this.isChangingDown) this.#prepareVersion(participant, 0, 0);
    else if (this.current > 0) this.#introduce(participant);
  }

  startAnew(participant: Participant): void {
    this.#prepareFirstEpoch(participant);
    this.#prepareVersion(participant, DAVE_VERSION, 0);
  }

  #introduce(participant: Participant): void {
    if (this.#introduced.has(participant)) return;
    this.#introduced.add(participant);
    this.#sendSender(participant);
  }

  #prepareVersion(participant: Participant, to: ProtocolVersion, transitionId: number): void {
    participant.send(Op.davePrepareTransition, { transition_id: transitionId, protocol_version: to });
  }

  #prepareFirstEpoch(participant: Participant): void {
    participant.send(Op.davePrepareEpoch, { transition_id: 0, protocol_version: DAVE_VERSION, epoch: 1 });
  }
}
