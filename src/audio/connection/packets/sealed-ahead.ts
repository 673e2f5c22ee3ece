import { Buffer } from 'node:buffer';

/** Some packets of speech, which have 200 to 330 bytes; fewer of longer ones. */
const BYTES = 4_096;
/** 160 ms: what is thrown away when the text is stopped or the group changes. */
const MOST = 8;
/** Header, tag, nonce, and what end-to-end encryption adds. */
const MOST_ADDED_BYTES = 64;
/** 20 ms of RTP's 48 kHz clock. */
export const TICKS = 960;

/**
 * Packets of one player that were sealed before their turns, in a row: the keys and the encryption's state, which thousands of
 * others have driven out of the processor's cache in between, are fetched once for all of them.
 */
export class SealedAhead {
  readonly bytes: Buffer = Buffer.allocUnsafeSlow(BYTES);
  readonly #opus: (Uint8Array | undefined)[] = new Array(MOST).fill(undefined);
  readonly #ends: number[] = new Array(MOST).fill(0);
  /** Those of the first one. */
  #sequence = 0;
  #timestamp = 0;
  #count = 0;
  #taken = 0;
  /** Of the one that was taken last. */
  start = 0;
  end = 0;

  get isEmpty(): boolean {
    return this.#taken === this.#count;
  }

  /** Takes the next one if it is this packet, sealed with these numbers; throws all away otherwise. */
  take(opus: Uint8Array | undefined, sequence: number, timestamp: number): boolean {
    const at = this.#taken;
    if (at === this.#count) return false;
    const isNext = this.#opus[at] === opus && this.sequence(at) === sequence && this.timestamp(at) === timestamp;
    if (!isNext) {
      this.clear();
      return false;
    }
    this.start = at === 0 ? 0 : (this.#ends[at - 1] as number);
    this.end = this.#ends[at] as number;
    this.#opus[at] = undefined;
    this.#taken = at + 1;
    return true;
  }

  /** To be called before the first add(), with the numbers of the first one. */
  begin(sequence: number, timestamp: number): void {
    this.clear();
    this.#sequence = sequence;
    this.#timestamp = timestamp;
  }

  sequence(at = this.#count): number {
    return (this.#sequence + at) & 0xffff;
  }

  timestamp(at = this.#count): number {
    return (this.#timestamp + at * TICKS) >>> 0;
  }

  hasRoomFor(opus: Uint8Array): boolean {
    const used = this.#count === 0 ? 0 : (this.#ends[this.#count - 1] as number);
    return this.#count < MOST && used + opus.length + MOST_ADDED_BYTES <= BYTES;
  }

  /** Adds a copy of the first `length` bytes: the packet, sealed with sequence() and timestamp(). */
  add(opus: Uint8Array, sealed: Buffer, length: number): void {
    const start = this.#count === 0 ? 0 : (this.#ends[this.#count - 1] as number);
    sealed.copy(this.bytes, start, 0, length);
    this.#opus[this.#count] = opus;
    this.#ends[this.#count] = start + length;
    this.#count += 1;
  }

  clear(): void {
    for (let at = this.#taken; at < this.#count; at++) this.#opus[at] = undefined;
    this.#count = 0;
    this.#taken = 0;
  }
}
