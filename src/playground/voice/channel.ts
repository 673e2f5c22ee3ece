import { createDeliveryService } from './dave/delivery-service.ts';
import {
  ClientFault,
  Close,
  type Deadline,
  Op,
  type Participant,
  type ProtocolVersion,
  type VoiceMember,
  type VoiceServerSettings,
  waitWithin,
} from './protocol.ts';

interface Seat {
  /** 'due': the client waits for op 4. 'delayed': the server holds back op 25. 'joined': the client is admitted. */
  dave: 'due' | 'delayed' | 'joined';
  timer: NodeJS.Timeout | undefined;
  keyPackage: Buffer | undefined;
}

export type VoiceGroupChannel = ReturnType<typeof createGroupChannel>;

export function createGroupChannel({ channelId, dave }: VoiceMember, settings: VoiceServerSettings) {
  const seats = new Map<Participant, Seat>();
  const watchers = new Set<() => void>();
  const group = createDeliveryService({
    channelId,
    onChange: changed,
    alter: (userId, op, payload) =>
      settings.alterDaveMessage ? settings.alterDaveMessage({ userId, op, payload }) : payload,
  });

  function isSettled(): boolean {
    if (!dave || seats.size < 2) return true;
    return [...seats.values()].every((seat) => seat.dave === 'joined') && group.settled();
  }

  function changed(): void {
    for (const watcher of watchers) watcher();
  }

  function broadcast(from: Participant, op: number, d: unknown): void {
    for (const participant of seats.keys()) if (participant !== from) participant.send(op, d);
  }

  function seatOf(participant: Participant): Seat {
    const seat = seats.get(participant);
    if (seat === undefined) throw new ClientFault(Close.sessionInvalid, 'Not in this channel');
    return seat;
  }

  function admit(participant: Participant, seat: Seat): void {
    seat.dave = 'joined';
    group.join(participant);
    if (seat.keyPackage) group.keyPackage(participant, seat.keyPackage);
  }

  return {
    channelId,
    dave,
    get protocolVersion(): ProtocolVersion {
      return dave ? group.protocolVersion : 0;
    },
    /** A new participant of a call and the others learn of each other (op 11, clients connect). */
    connect(participant: Participant): void {
      const others = [...seats.keys()].map(({ userId }) => userId);
      seats.set(participant, { dave: 'due', timer: undefined, keyPackage: undefined });
      if (others.length > 0) participant.send(Op.clientsConnect, { user_ids: others });
      broadcast(participant, Op.clientsConnect, { user_ids: [participant.userId] });
    },
    /** Admits a client to end-to-end encryption `delayMs` after op 4 (session description); never if infinite. */
    beginDave(participant: Participant, delayMs: number): void {
      if (!dave) return;
      const seat = seatOf(participant);
      if (delayMs === 0) {
        admit(participant, seat);
        return;
      }
      seat.dave = 'delayed';
      if (delayMs !== Number.POSITIVE_INFINITY) seat.timer = setTimeout(() => admit(participant, seat), delayMs);
    },
    receive(participant: Participant, op: number, d: unknown): void {
      seatOf(participant);
      const transition = d as { transition_id: number };
      if (op === Op.speaking) broadcast(participant, op, { ...(d as object), user_id: participant.userId });
      else if (op === Op.daveTransitionReady) group.transitionReady(participant, transition.transition_id);
      else if (op === Op.daveInvalidCommitWelcome) group.invalidCommitWelcome(participant);
    },
    receiveBinary(participant: Participant, op: number, payload: Buffer): void {
      const seat = seatOf(participant);
      if (op === Op.daveKeyPackage && seat.dave !== 'joined') seat.keyPackage = payload;
      else if (op === Op.daveKeyPackage) group.keyPackage(participant, payload);
      else if (op === Op.daveCommitWelcome) {
        if (seat.dave !== 'joined') throw new ClientFault(Close.badRequest, 'A commit before op 25');
        const commit = () => {
          if (seats.has(participant)) group.commitWelcome(participant, payload);
        };
        if (settings.daveCommitDelayMs === 0) commit();
        else setTimeout(commit, settings.daveCommitDelayMs).unref();
      }
    },
    leave(participant: Participant): void {
      const seat = seats.get(participant);
      if (seat === undefined) return;
      clearTimeout(seat.timer);
      seats.delete(participant);
      broadcast(participant, Op.clientDisconnect, { user_id: participant.userId });
      group.leave(participant);
      changed();
    },
    has: (participant: Participant) => seats.has(participant),
    isEmpty: () => seats.size === 0,
    inGroup: (participant: Participant) => group.leafIndex(participant) !== undefined,
    setProtocolVersion: (next: ProtocolVersion) => group.setProtocolVersion(next),
    whenSettled(wait: Deadline): Promise<void> {
      return waitWithin(
        wait,
        (timeoutMs) => new Error(`No group within ${timeoutMs} ms`),
        (resolve) => {
          const check = () => {
            if (isSettled()) resolve();
          };
          watchers.add(check);
          check();
          return () => watchers.delete(check);
        },
      );
    },
    close(): void {
      for (const seat of seats.values()) clearTimeout(seat.timer);
      seats.clear();
      group.close();
    },
  };
}
