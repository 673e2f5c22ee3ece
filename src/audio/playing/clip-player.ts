import type { Buffer } from 'node:buffer';
import { asBuffer, type Clip, PACKET_MS, SILENCE_PACKET } from '../clips/clip.ts';
import type { PacketClock } from './clock.ts';

/**
 * 100 ms of silence after speech, so that listeners' decoders stop interpolating.
 * https://discord.com/developers/docs/topics/voice-connections#voice-data-interpolation
 */
const TAIL_PACKETS = 5;
/** A packet counts as late if it is sent more than 10 ms after its time. */
const LATE_MS = 10;
/** After a pause, this value replaces the time of the last packet. It lies in the future, so the pause does not count as lateness. */
const PAUSED_UNTIL_MS = Number.MAX_SAFE_INTEGER;
/** Sending may throw for a moment while an encryption key changes, so the player keeps trying for a second. */
const MAX_FAILURES = 1000 / PACKET_MS;

/** 'hold': listeners cannot hear packets yet, usually because their encryption group is not ready. */
export type Gate = 'encrypted' | 'clear' | 'hold';

export interface PacketSink {
  /** False if no packet is taken now. Packets of `following` from `next` on may be encrypted in advance. */
  send(packet: Buffer, following?: readonly Uint8Array[], next?: number): boolean;
  gate(): Gate;
  /** Reads the data that send() will need, so that the CPU cache holds them. The result is meaningless. */
  warm(): number;
  /** Announces the end of speaking. send() announces the start, together with the first packet. */
  stopSpeaking(): void;
  /** True if the last packets may not have arrived. Their clip is unfinished then: they may be sent again. */
  isInDoubt(): boolean;
  /** Must be called every 20 ms while isInDoubt() is true and no packet is sent. Some calls send a probe. */
  ask(): void;
}

export type ClipPlayer = ReturnType<typeof createClipPlayer>;

type Playing = ReturnType<typeof createPlaying>;

function createPlaying(clip: Clip, options: PlayOptions | undefined, settle: (result: PlayResult) => void) {
  return {
    clip,
    packetsSent: 0,
    lateCount: 0,
    skippedCount: 0,
    firstPacketAtMs: undefined as number | undefined,
    lastPacketAtMs: 0,
    wasClear: false,
    /** The number of packets that the clip must have before the player wakes. Each number is awaited only once. */
    awaited: -1,
    ended: new AbortController(),
    isHeld: false,
    onFlowing: options?.onFlowing,
    settle,
  };
}

/** Plays clips one after another. At `onFailure`, all clips have ended as truncated. */
export function createClipPlayer(clock: PacketClock, sink: PacketSink, onFailure: (error: Error) => void) {
  const queue: Playing[] = [];
  /** How many packets of silence are left to send before speech (the lead-in) and after it (the tail). */
  const silence = { leadIn: 0, tail: 0 };
  let isSpeaking = false;
  let isPaused = false;
  let failures = 0;
  let isClosed = false;

  const handle = clock.add({
    tick,
    hasNext() {
      const item = queue[0];
      // The clock must not call the player early for a packet that is still being made, because listeners would hear a gap.
      return item === undefined || item.clip.state !== 'growing' || item.clip.packets.length > item.packetsSent + 1;
    },
    warm() {
      const item = queue[0];
      return item === undefined ? 0 : item.packetsSent + item.clip.packets.length + sink.warm();
    },
    failed(error) {
      const failure = error instanceof Error ? error : new Error('Sending failed', { cause: error });
      close(failure);
      onFailure(failure);
    },
  });

  function finish(item: Playing, outcome: PlayResult['outcome'], error?: Error): void {
    const at = queue.indexOf(item);
    if (at < 0) return;
    queue.splice(at, 1);
    item.ended.abort();
    const { packetsSent, lateCount, skippedCount, firstPacketAtMs, wasClear } = item;
    const encrypted = packetsSent > 0 && !wasClear;
    item.settle({ outcome, packetsSent, lateCount, skippedCount, encrypted, firstPacketAtMs, error });
  }

  /** 'refused': nothing can be sent until wake(). 'failed': the player tries again every 20 ms, for up to a second. */
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

  /** Sends a packet of silence, if any is left. True if the player must be called again after 20 ms. */
  function sendSilence(part: keyof typeof silence): boolean {
    if (silence[part] === 0) return false;
    const result = send(SILENCE_PACKET);
    if (result !== 'sent') return result === 'failed';
    isSpeaking = true;
    silence[part] -= 1;
    // The speaking indicator stays on while a clip waits for audio, because flickering helps no listener.
    if (silence[part] === 0 && !isDue()) stopSpeaking();
    return silence[part] > 0 || (part === 'leadIn' && isDue());
  }

  function isDue(): boolean {
    return queue.length > 0 && !isPaused;
  }

  function stopSpeaking(): void {
    if (isSpeaking) sink.stopSpeaking();
    isSpeaking = false;
  }

  function awaitPacket(item: Playing, count: number): void {
    if (item.awaited === count) return;
    item.awaited = count;
    item.clip.waitFor(count, item.ended.signal).then(wake, () => undefined);
  }

  /** Returns the current clip, after ending clips that have no more packets. */
  function current(): Playing | undefined {
    for (let item = queue[0]; item; item = queue[0]) {
      const { clip, packetsSent } = item;
      if (packetsSent < clip.packets.length || clip.state === 'growing') return item;
      if (clip.state !== 'failed' && packetsSent > 0 && sink.isInDoubt()) return item;
      if (clip.state === 'failed') finish(item, 'truncated', clip.error);
      else finish(item, 'finished');
    }
    return undefined;
  }

  function countLate(item: Playing, nowMs: number, lateMs: number): void {
    const turnsSinceLast = item.packetsSent === 0 ? 1 : Math.round((nowMs - item.lastPacketAtMs) / PACKET_MS);
    if (turnsSinceLast > 1) {
      item.lateCount += turnsSinceLast - 1;
      item.skippedCount += turnsSinceLast - 1;
    } else if (lateMs > LATE_MS) {
      item.lateCount += 1;
    }
  }

  function noteFlowing(item: Playing, nowMs: number): void {
    if (item.firstPacketAtMs !== undefined && !item.isHeld) return;
    item.firstPacketAtMs ??= nowMs;
    item.isHeld = false;
    item.onFlowing?.();
  }

  function tick(nowMs: number, lateMs: number): boolean {
    // During a pause, the inserted silence before speech (the lead-in) is not sent, because no speech follows.
    if (silence.leadIn > 0 && !isPaused) return sendSilence('leadIn');
    const item = isPaused ? undefined : current();
    if (!item) {
      if (silence.tail === 0 && !isDue()) stopSpeaking();
      return sendSilence('tail');
    }
    const gate = sink.gate();
    const packet = item.clip.packets[item.packetsSent];
    if (!packet && item.clip.state !== 'growing') {
      if (silence.tail > 0) sendSilence('tail');
      else sink.ask();
      return true;
    }
    if (gate === 'hold' || !packet) {
      if (gate === 'hold') item.isHeld = true;
      if (!packet) awaitPacket(item, item.packetsSent);
      // A player that waits for the encryption group checks it every 20 ms. A clip's next packet wakes the player.
      return sendSilence('tail') || gate === 'hold';
    }
    const result = send(asBuffer(packet), item.clip.packets, item.packetsSent + 1);
    if (result !== 'sent') {
      item.isHeld = true;
      return result === 'failed';
    }
    isSpeaking = true;
    silence.tail = TAIL_PACKETS;
    countLate(item, nowMs, lateMs);
    item.packetsSent += 1;
    noteFlowing(item, nowMs);
    item.lastPacketAtMs = Math.round(nowMs);
    item.clip.played?.(item.packetsSent);
    if (gate === 'clear') item.wasClear = true;
    // Reports a clip as finished with its last packet, so that the next clip can follow without a gap.
    if (item.packetsSent >= item.clip.packets.length) current();
    return true;
  }

  /** Must be called when the connection takes packets again, or when the encryption group may be ready. */
  function wake(): void {
    if (isClosed) return;
    current();
    if ((silence.leadIn > 0 && !isPaused) || isDue() || silence.tail > 0) handle.start();
    else stopSpeaking();
  }

  function finishAll(error?: Error): void {
    for (const item of [...queue]) finish(item, error ? 'truncated' : 'stopped', error);
  }

  function close(error?: Error): void {
    isClosed = true;
    handle.stop();
    finishAll(error);
  }

  return {
    play(clip: Clip, options?: PlayOptions): Promise<PlayResult> {
      const signal = options?.signal;
      return new Promise((settle) => {
        const item = createPlaying(clip, options, settle);
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
        if (clip.packets.length > 0 || clip.state !== 'growing') wake();
        else awaitPacket(item, 0);
      });
    },
    leadIn(packets: number): void {
      silence.leadIn = packets;
      wake();
    },
    wake,
    /** Pauses all clips after 100 ms of silence. resume() continues with the next packet. Idempotent. */
    pause(): void {
      isPaused = true;
      wake();
    },
    resume(): void {
      if (!isPaused) return;
      isPaused = false;
      const [item] = queue;
      // Nobody expected packets during the pause, so the next packet does not count as late.
      if (item) item.lastPacketAtMs = PAUSED_UNTIL_MS;
      wake();
    },
    /** Plays the last `packets` packets of the current clip again, because listeners did not hear them. */
    goBack(packets: number): void {
      const [item] = queue;
      if (item) item.packetsSent = Math.max(0, item.packetsSent - packets);
    },
    /** Ends all playing and waiting clips as truncated. Clips that come later are played. */
    cutOff(error: Error): void {
      finishAll(error);
      wake();
    },
    /** Ends all clips and sends nothing more: with an error, they end as truncated. */
    close,
  };
}

export interface PlayOptions {
  signal: AbortSignal;
  /** Called with the clip's first packet, and when sending continues after packets were held back. */
  onFlowing: () => void;
}

export interface PlayResult {
  /** 'stopped': the signal aborted, or the bot left by itself. 'truncated': the clip or the session failed. */
  outcome: 'finished' | 'stopped' | 'truncated';
  packetsSent: number;
  /** performance.now() of the clip's first packet; undefined if no packet was sent. */
  firstPacketAtMs: number | undefined;
  /** Counts packets sent more than 10 ms late. If whole 20 ms turns passed without a packet, each of these turns counts instead. */
  lateCount: number;
  /** The number of 20 ms turns within the clip that passed without a packet. */
  skippedCount: number;
  encrypted: boolean;
  error: Error | undefined;
}
