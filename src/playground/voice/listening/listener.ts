import Davey from '@snazzah/davey';
import type { VoiceGroupChannel } from '../channel.ts';
import { DAVE_VERSION, type Deadline, type HeardPacket, type ListenerOptions, Op, type TimeSpan } from '../protocol.ts';
import { Hearing, isSilenceFrame, type Opened, waitForAudible, waitForUtterance } from './hearing.ts';

const { DAVESession } = Davey;
/** The value of davey's MediaType.AUDIO. Node's type stripping cannot import it, because it is in a const enum. */
const AUDIO = 0;
/** How long a newcomer may fail to decrypt frames, until senders change keys: https://daveprotocol.com/#welcome-handling */
const NEWCOMER_MS = 2_000;

export type ListeningParticipant = ReturnType<typeof createListener>;
export type Listener = ListeningParticipant['listener'];

type Message = { op: number; d: unknown } | { op: number; payload: Buffer };

/** Simulates a listening client: the voice server's messages wait in a queue, and answers go directly to `channel`. */
export function createListener(channel: VoiceGroupChannel, options: ListenerOptions, onLeave: () => void) {
  const { userId, channelId, decode = true } = options;
  const hearing = new Hearing(decode);
  const session = channel.dave ? new DAVESession(DAVE_VERSION, userId, channelId) : undefined;
  const known = new Set<string>([userId]);
  const inbox: Message[] = [];
  let turn: NodeJS.Immediate | undefined;
  let closed = false;
  let deaf = false;
  let welcomedAtMs = 0;
  /** True if unencrypted frames are accepted: in an unencrypted call, and once the end of encryption is announced. */
  let acceptsClear = channel.protocolVersion === 0;
  let epochTransitionId: number | undefined;
  const opened = new Set<string>();
  const ended = new AbortController();
  /** When the listener leaves, its waits for audio end with an error. */
  const withEnd = (wait: Deadline & { quietMs?: number } = {}) => ({
    ...wait,
    signal: AbortSignal.any([ended.signal, ...(wait.signal ? [wait.signal] : [])]),
  });

  function enqueue(message: Message): void {
    if (closed) return;
    inbox.push(message);
    turn ??= setImmediate(work);
  }

  function work(): void {
    turn = undefined;
    for (const message of inbox.splice(0)) {
      if (closed) return;
      if ('payload' in message) onBinary(message.op, message.payload);
      else onJson(message.op, message.d);
    }
  }

  function onJson(op: number, d: unknown): void {
    if (op === Op.clientsConnect) for (const id of (d as { user_ids: string[] }).user_ids) known.add(id);
    if (op === Op.clientDisconnect) known.delete((d as { user_id: string }).user_id);
    if (op === Op.davePrepareTransition) prepare(d as { transition_id: number; protocol_version: number });
    if (op === Op.daveExecuteTransition) execute((d as { transition_id: number }).transition_id);
    if (op === Op.davePrepareEpoch && (d as { epoch: number }).epoch === 1) startOver();
  }

  function prepare({ transition_id, protocol_version }: { transition_id: number; protocol_version: number }): void {
    if (protocol_version > 0) return;
    acceptsClear = true;
    if (transition_id !== 0) channel.receive(participant, Op.daveTransitionReady, { transition_id });
  }

  function execute(transitionId: number): void {
    if (transitionId === epochTransitionId) acceptsClear = false;
  }

  function startOver(): void {
    if (session === undefined) return;
    session.reinit(DAVE_VERSION, userId, channelId);
    channel.receiveBinary(participant, Op.daveKeyPackage, session.getSerializedKeyPackage());
  }

  function onBinary(op: number, payload: Buffer): void {
    if (session === undefined) return;
    if (op === Op.daveExternalSender) session.setExternalSender(payload);
    if (op === Op.daveProposals) propose(session, payload);
    if (op === Op.daveAnnounceCommit) transition(payload, () => session.processCommit(payload.subarray(2)));
    if (op === Op.daveWelcome) {
      welcomedAtMs = performance.now();
      opened.clear();
      transition(payload, () => session.processWelcome(payload.subarray(2)));
    }
  }

  /** Proposals for an encryption group that the member has just lost are ignored, as DAVE's whitepaper says. */
  function propose(group: InstanceType<typeof DAVESession>, payload: Buffer): void {
    let result: ReturnType<typeof group.processProposals>;
    try {
      result = group.processProposals(payload.readUInt8(0), payload.subarray(1), [...known]);
    } catch {
      return;
    }
    const { commit, welcome } = result;
    if (commit)
      channel.receiveBinary(participant, Op.daveCommitWelcome, Buffer.concat([commit, welcome ?? Buffer.alloc(0)]));
  }

  /**
   * A member that cannot process a commit or a welcome reports it (op 31) and sends a new key package:
   * https://daveprotocol.com/#recovery-from-invalid-commit-or-welcome
   */
  function transition(payload: Buffer, process: () => void): void {
    const transitionId = payload.readUInt16BE(0);
    try {
      process();
    } catch {
      channel.receive(participant, Op.daveInvalidCommitWelcome, { transition_id: transitionId });
      startOver();
      return;
    }
    epochTransitionId = transitionId;
    if (transitionId === 0) execute(0);
    else channel.receive(participant, Op.daveTransitionReady, { transition_id: transitionId });
  }

  const participant = {
    userId,
    send: (op: number, d: unknown) => enqueue({ op, d }),
    sendBinary: (op: number, payload: Uint8Array) => enqueue({ op, payload: Buffer.from(payload) }),
    /** `frame` has no transport encryption. If `clear`, the channel needs no end-to-end encryption. */
    hear(packet: HeardPacket, frame: Buffer, clear: boolean): void {
      if (deaf) return;
      packet.silence = isSilenceFrame(frame);
      packet.encrypted = isDaveFrame(frame);
      hearing.frame({ packet, ...open(packet, frame, clear) });
    },
    listener: {
      userId,
      /** The audio heard since the last `clear()`; with `within`, only what arrived in that span. */
      heard: (within?: TimeSpan) => hearing.heard(within),
      /** The Opus frame is undefined if it could not be decrypted or lacked the required encryption. */
      onFrame: (callback: (packet: HeardPacket, opus: Uint8Array | undefined) => void) =>
        hearing.onFrame(({ packet, opus }) => callback(packet, opus)),
      clear: () => hearing.clear(),
      /** Sets whether the member is deafened, by itself or by a moderator. A deafened member hears nothing. */
      setDeaf(value: boolean): void {
        deaf = value;
      },
      leave: onLeave,
      /** Resolves after audible speech and `quietMs` of quiet (default 300, or 1,000 without silence frames). */
      utterance: (wait?: Deadline & { quietMs?: number }) => waitForUtterance(hearing, withEnd(wait)),
      /** Resolves after `packets` audible packets since the last `clear()`, so that a test can interrupt the speech. */
      audible: (packets: number, wait?: Deadline) => waitForAudible(hearing, packets, withEnd(wait)),
      /** Resolves when all clients in the channel share an encryption group; at once if the call is unencrypted. */
      ready: (wait?: Deadline) => channel.whenSettled(withEnd(wait)),
    },
    close(): void {
      if (closed) return;
      closed = true;
      ended.abort(new Error('The listener has left the channel'));
      clearImmediate(turn);
      session?.reset();
      hearing.close();
    },
  };

  function open({ userId: senderId, atMs, silence, encrypted }: HeardPacket, frame: Buffer, clear: boolean): Opened {
    if (clear || silence || (acceptsClear && !encrypted)) return { opus: frame, refused: undefined };
    if (!encrypted) return { opus: undefined, refused: 'unencrypted' };
    if (session?.ready !== true) return { opus: undefined, refused: 'early' };
    if (!decode) return { opus: frame, refused: undefined };
    try {
      const opus = session.decrypt(senderId, AUDIO, frame);
      opened.add(senderId);
      return { opus, refused: undefined };
    } catch {
      // Decryption fails with a key of another group or epoch, which is normal just after a member has joined.
      const newcomer = !opened.has(senderId) && atMs - welcomedAtMs < NEWCOMER_MS;
      return { opus: undefined, refused: newcomer ? 'early' : 'undecryptable' };
    }
  }

  channel.connect(participant);
  channel.beginDave(participant, 0);
  if (session !== undefined) channel.receiveBinary(participant, Op.daveKeyPackage, session.getSerializedKeyPackage());
  return participant;
}

/** True for a DAVE frame. Opus frames are encrypted as a whole, so the check is short: https://daveprotocol.com/#protocol-frame-check */
export function isDaveFrame(frame: Buffer): boolean {
  // A DAVE frame ends with a tag (8 bytes), a nonce (1 or more), the size of this ending (1) and a marker (2).
  if (frame.length < 12 || frame.readUInt16BE(frame.length - 2) !== 0xfafa) return false;
  const supplementBytes = frame.readUInt8(frame.length - 3);
  return supplementBytes >= 12 && supplementBytes < frame.length;
}
