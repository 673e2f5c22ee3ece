import { Buffer } from 'node:buffer';
import { type Clip, PACKET_MS, SILENCE_PACKET } from '../clips/clip.ts';
import type { PacketClock } from './clock.ts';

/**
 * Silence after which a decoder stops interpolating;
 * https://discord.com/developers/docs/topics/voice-connections#voice-data-interpolation
 */
const TAIL_PACKETS = 5;
/** A packet that is sent this long after its time is counted as late. */
const LATE_MS = 10;
/** Later than any packet's time. */
const PAUSED_UNTIL_MS = 2 ** 30;
/** Sending may throw temporarily (while a key changes): tried again each turn, for a second. */
const MAX_FAILURES = 1000 / PACKET_MS;

/** Whether sent packets are audible to the listeners: 'hold' until their encryption group is ready. */
export type Gate = 'encrypted' | 'clear' | 'hold';

/** The packet output of one server. */
export interface PacketSink {
  /** False: the connection takes no packets at present. It is `following[next - 1]`, and the next ones come after it, unless that changes. */
  send(packet: Buffer, following?: readonly Uint8Array[], next?: number): boolean;
  gate(): Gate;
  /** Reads the data that send() will read; see Ticking. */
  warm?(): number;
  setSpeaking(isSpeaking: boolean): void;
  /** Whether the last packets may not have arrived: a clip that ended with them waits until that is known. */
  isInDoubt?(): boolean;
  /** Sends a probe while in doubt, once a turn. goBack() reports what did not arrive. */
  ask?(): void;
}

export type ClipPlayer = ReturnType<typeof createClipPlayer>;

interface Playing {
  clip: Clip;
  /** The number of its next packet. */
  sent: number;
  late: number;
  skipped: number;
  firstPacketAtMs: number | undefined;
  /** Whole milliseconds. */
  lastPacketAtMs: number;
  wasClear: boolean;
  /** The packet number whose arrival wakes the player, so that it subscribes only once. */
  awaited: number;
  ended: AbortController;
  /** Since its last packet the gate was closed, or the connection took nothing. */
  isHeld: boolean;
  onFlowing: (() => void) | undefined;
  settle(result: PlayResult): void;
}

export function asBuffer(packet: Uint8Array): Buffer {
  return Buffer.isBuffer(packet) ? packet : Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
}

/**
 * Plays clips one after the other into one voice channel, on the common clock. `onFailure`: the sink could not send, and all
 * clips have been ended as truncated.
 */
export function createClipPlayer(clock: PacketClock, sink: PacketSink, onFailure: (error: Error) => void) {
  const queue: Playing[] = [];
  let leadInLeft = 0;
  /** Silent packets still to send when there is nothing more to play. */
  let tailLeft = 0;
  let isSpeaking = false;
  let isPaused = false;
  let failures = 0;
  let isClosed = false;

  const handle = clock.add({
    tick,
    hasNext() {
      const item = queue[0];
      // A clip that arrives at playing speed has no reserve: an early packet would leave a gap in the first word.
      return item === undefined || item.clip.state !== 'growing' || item.clip.packets.length > item.sent + 1;
    },
    warm() {
      const item = queue[0];
      return item === undefined ? 0 : item.sent + item.clip.packets.length + (sink.warm?.() ?? 0);
    },
    failed(error) {
      const failure = error instanceof Error ? error : new Error('Sending failed', { cause: error });
      close('truncated', failure);
      onFailure(failure);
    },
  });

  function finish(item: Playing, outcome: PlayResult['outcome'], error?: Error): void {
    const at = queue.indexOf(item);
    if (at < 0) return;
    queue.splice(at, 1);
    item.ended.abort();
    item.settle({
      outcome,
      packetsSent: item.sent,
      lateCount: item.late,
      skippedCount: item.skipped,
      encrypted: item.sent > 0 && !item.wasClear,
      firstPacketAtMs: item.firstPacketAtMs,
      error,
    });
  }

  /** 'refused': not now, wake() is called when it may work again; 'failed': tried again in the next turn. */
  function send(packet: Buffer, following?: readonly Uint8Array[], next?: number): 'sent' | 'refused' | 'failed' {
    try {
      if (!sink.send(packet, following, next)) return 'refused';
      failures = 0;
      return 'sent';
    } catch (error) {
      failures += 1;
      if (failures >= MAX_FAILURES) throw error;
      return 'failed';
    }
  }

  /** Sends silence that keeps the stream going; false when none is left to send. */
  function sendTail(): boolean {
    if (tailLeft === 0) return false;
    const result = send(SILENCE_PACKET);
    if (result !== 'sent') return result === 'failed';
    tailLeft -= 1;
    // The next packet of a clip that starves is a matter of moments: an indicator that goes on and off helps no listener.
    if (tailLeft === 0 && !isDue()) setSpeaking(false);
    return tailLeft > 0;
  }

  function sendLeadIn(): boolean {
    const result = send(SILENCE_PACKET);
    if (result !== 'sent') return result === 'failed';
    isSpeaking = true;
    leadInLeft -= 1;
    if (leadInLeft === 0 && !isDue()) setSpeaking(false);
    return leadInLeft > 0 || isDue();
  }

  function isDue(): boolean {
    return queue.length > 0 && !isPaused;
  }

  function setSpeaking(value: boolean): void {
    if (isSpeaking === value) return;
    isSpeaking = value;
    // The library sends the speaking state itself, with the first packet.
    if (!value) sink.setSpeaking(false);
  }

  /** Asks the clip to wake the player when it has packet number `count`, or ends. */
  function awaitPacket(item: Playing, count: number): void {
    if (item.awaited === count) return;
    item.awaited = count;
    item.clip.waitFor(count, item.ended.signal).then(wake, () => undefined);
  }

  /** Drops items from the front without further packets to send. */
  function current(): Playing | undefined {
    for (let item = queue[0]; item; item = queue[0]) {
      const { clip, sent } = item;
      if (sent < clip.packets.length || clip.state === 'growing') return item;
      if (clip.state !== 'failed' && sent > 0 && sink.isInDoubt?.()) return item;
      if (clip.state === 'failed') finish(item, 'truncated', clip.error);
      else finish(item, 'finished');
    }
    return undefined;
  }

  function countLate(item: Playing, nowMs: number, lateMs: number): void {
    const turnsSinceLast = item.sent === 0 ? 1 : Math.round((nowMs - item.lastPacketAtMs) / PACKET_MS);
    if (turnsSinceLast > 1) {
      item.late += turnsSinceLast - 1;
      item.skipped += turnsSinceLast - 1;
    } else if (lateMs > LATE_MS) {
      item.late += 1;
    }
  }

  function noteFlowing(item: Playing, nowMs: number): void {
    if (item.firstPacketAtMs !== undefined && !item.isHeld) return;
    item.firstPacketAtMs ??= nowMs;
    item.isHeld = false;
    item.onFlowing?.();
  }

  function tick(nowMs: number, lateMs: number): boolean {
    // Silence before the floor is taken would lead into nothing.
    if (leadInLeft > 0 && !isPaused) return sendLeadIn();
    const item = isPaused ? undefined : current();
    if (!item) {
      if (tailLeft === 0 && !isDue()) setSpeaking(false);
      return sendTail();
    }
    const gate = sink.gate();
    const packet = item.clip.packets[item.sent];
    if (!packet && item.clip.state !== 'growing') {
      if (tailLeft > 0) sendTail();
      else sink.ask?.();
      return true;
    }
    if (gate === 'hold' || !packet) {
      if (gate === 'hold') item.isHeld = true;
      if (!packet) awaitPacket(item, item.sent);
      // While held the gate is checked in every turn; a starving clip wakes the player itself, to the millisecond.
      return sendTail() || gate === 'hold';
    }
    const result = send(asBuffer(packet), item.clip.packets, item.sent + 1);
    if (result !== 'sent') {
      item.isHeld = true;
      return result === 'failed';
    }
    isSpeaking = true;
    tailLeft = TAIL_PACKETS;
    countLate(item, nowMs, lateMs);
    item.sent += 1;
    noteFlowing(item, nowMs);
    item.lastPacketAtMs = Math.round(nowMs);
    item.clip.played?.(item.sent);
    if (gate === 'clear') item.wasClear = true;
    // Settles a finished clip with its last packet, so that the next one can be added in time to follow without a gap.
    if (item.sent >= item.clip.packets.length) current();
    return true;
  }

  /** The connection takes packets again, or the gate may have opened. */
  function wake(): void {
    if (isClosed) return;
    current();
    if ((leadInLeft > 0 && !isPaused) || isDue() || tailLeft > 0) handle.start();
    else setSpeaking(false);
  }

  function finishAll(outcome: PlayResult['outcome'], error?: Error): void {
    for (const item of [...queue]) finish(item, outcome, error);
  }

  /** Ends all playing and waiting clips with this outcome. Nothing is sent afterwards. */
  function close(outcome: 'stopped' | 'truncated', error?: Error): void {
    isClosed = true;
    handle.stop();
    finishAll(outcome, error);
  }

  return {
    play(clip: Clip, { signal, onFlowing }: PlayOptions = {}): Promise<PlayResult> {
      return new Promise((settle) => {
        const item: Playing = {
          clip,
          sent: 0,
          late: 0,
          skipped: 0,
          firstPacketAtMs: undefined,
          lastPacketAtMs: 0,
          wasClear: false,
          awaited: -1,
          ended: new AbortController(),
          isHeld: false,
          onFlowing,
          settle,
        };
        queue.push(item);
        if (isClosed || signal?.aborted) return finish(item, 'stopped');
        signal?.addEventListener(
          'abort',
          () => {
            finish(item, 'stopped');
            wake();
          },
          { once: true, signal: item.ended.signal },
        );
        // With packets there it starts now; else the first one starts it.
        if (clip.packets.length > 0 || clip.state !== 'growing') wake();
        else awaitPacket(item, 0);
      });
    },
    /** Sends this much silence as soon as possible, before anything else. */
    leadIn(packets: number): void {
      leadInLeft = packets;
      wake();
    },
    wake,
    /** Holds playing and waiting clips, after the silence that ends a spurt; nothing is lost. Idempotent. */
    pause(): void {
      isPaused = true;
      wake();
    },
    /** Continues with the very next packet. Idempotent. */
    resume(): void {
      if (!isPaused) return;
      isPaused = false;
      const [item] = queue;
      // The pause was requested: it does not make the next packet late.
      if (item) item.lastPacketAtMs = PAUSED_UNTIL_MS;
      wake();
    },
    /** The last packets were not heard: those of the playing clip are sent again. */
    goBack(packets: number): void {
      const [item] = queue;
      if (item) item.sent = Math.max(0, item.sent - packets);
    },
    /** Ends all playing and waiting clips as truncated for this reason. Later clips are played. */
    cutOff(error: Error): void {
      finishAll('truncated', error);
      wake();
    },
    close,
  };
}

export interface PlayOptions {
  signal?: AbortSignal;
  /** The clip's first packet has left, or the first one after they were held up. */
  onFlowing?: () => void;
}

export interface PlayResult {
  /** 'finished': completely played; 'stopped': by the signal or leave(); 'truncated': the clip or the session failed. */
  outcome: 'finished' | 'stopped' | 'truncated';
  /** The clip's own packets that were sent, without silence. */
  packetsSent: number;
  /** performance.now() of the clip's first packet; undefined when none was sent. */
  firstPacketAtMs: number | undefined;
  /** Packets that were missing, or not sent, within 10 ms of their time. */
  lateCount: number;
  /** The number of 20 ms turns within the clip that passed without a packet. */
  skippedCount: number;
  /** Whether all of the clip's packets were end-to-end encrypted. */
  encrypted: boolean;
  /** The reason for 'truncated'. */
  error: Error | undefined;
}
