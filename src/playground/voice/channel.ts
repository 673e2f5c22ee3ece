import { createDeliveryService } from './dave/delivery-service.ts';
import { ClientFault, Close, Op } from './protocol.ts';
import type { Participant, VoiceServerSettings } from './types.ts';

interface ChannelOptions {
  channelId: string;
  dave: boolean;
  settings: VoiceServerSettings;
  onRefusedCommit(userId: string, reason: string): void;
}

interface Seat {
  /** 'due' until op 4, 'delayed' until op 25, which may never come. */
  dave: 'due' | 'delayed' | 'joined';
  timer: NodeJS.Timeout | undefined;
  /** Op 26 may come before op 25 has gone out. */
  keyPackage: Buffer | undefined;
}

/** One voice channel's call: the connected participants and their end-to-end encryption. */
export type VoiceGroupChannel = ReturnType<typeof createChannel>;

export function createChannel({ channelId, dave, settings, onRefusedCommit }: ChannelOptions) {
  const seats = new Map<Participant, Seat>();
  const watchers = new Set<() => void>();
  const timers = new Set<NodeJS.Timeout>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  const group = createDeliveryService({
    channelId,
    onRefusedCommit,
    onChange: changed,
    alter: (userId, op, payload) =>
      settings.alterDaveMessage ? settings.alterDaveMessage({ userId, op, payload }) : payload,
  });

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

  function later(delayMs: number, work: () => void): void {
    if (delayMs === 0) {
      work();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, delayMs);
    timers.add(timer);
  }

  const settled = () =>
    !dave || seats.size < 2 || ([...seats.values()].every((seat) => seat.dave === 'joined') && group.settled());

  return {
    channelId,
    dave,
    /** Announces a participant to the others and the others to it (op 11). */
    connect(participant: Participant): void {
      const others = [...seats.keys()].map(({ userId }) => userId);
      seats.set(participant, { dave: 'due', timer: undefined, keyPackage: undefined });
      if (others.length > 0) participant.send(Op.clientsConnect, { user_ids: others });
      broadcast(participant, Op.clientsConnect, { user_ids: [participant.userId] });
    },
    /** After op 4: the participant joins the group's negotiation once `delayMs` have passed; never when infinite. */
    beginDave(participant: Participant, delayMs: number): void {
      if (!dave) return;
      const seat = seatOf(participant);
      if (delayMs === 0) admit(participant, seat);
      else {
        seat.dave = 'delayed';
        if (delayMs !== Number.POSITIVE_INFINITY) seat.timer = setTimeout(admit, delayMs, participant, seat);
      }
    },
    /** Any JSON message of DAVE, and op 5. */
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
        later(settings.daveCommitDelayMs, () => {
          if (seats.has(participant)) group.commitWelcome(participant, payload);
        });
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
    get protocolVersion() {
      return dave ? group.protocolVersion : 0;
    },
    setProtocolVersion: group.setProtocolVersion,
    epoch: group.epoch,
    leafIndex: group.leafIndex,
    /** Resolves when all connected participants are in one group (at once where DAVE is off or there is only one). */
    whenSettled: ({ timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal }) =>
      new Promise<void>((resolve, reject) => {
        const finish = (end: () => void) => {
          watchers.delete(check);
          clearTimeout(deadline);
          signal?.removeEventListener('abort', aborted);
          end();
        };
        const check = () => {
          if (settled()) finish(resolve);
        };
        const aborted = () => finish(() => reject(signal?.reason));
        const deadline = setTimeout(
          () => finish(() => reject(new Error(`No group within ${timeoutMs} ms`))),
          timeoutMs,
        );
        watchers.add(check);
        signal?.addEventListener('abort', aborted);
        if (signal?.aborted) aborted();
        else check();
      }),
    close(): void {
      for (const seat of seats.values()) clearTimeout(seat.timer);
      for (const timer of timers) clearTimeout(timer);
      group.close();
    },
  };
}
