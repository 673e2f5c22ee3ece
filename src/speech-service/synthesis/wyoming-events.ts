import { Buffer } from 'node:buffer';
import * as z from 'zod';

/** An event of the Wyoming protocol: https://github.com/rhasspy/wyoming#format */
export interface WyomingEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly payload: Uint8Array;
}

/** Headers are a line of a few hundred bytes; a peer that sends none must not fill the memory. */
const MAX_HEADER_BYTES = 64 * 1024;
/** A chunk of audio has a few kilobytes; a whole text in one piece some megabytes. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

const byteCount = z.int().min(0).max(MAX_PART_BYTES).nullish();
const dataSchema = z.record(z.string(), z.unknown());
const headerSchema = z.object({
  type: z.string(),
  data: dataSchema.nullish(),
  data_length: byteCount,
  payload_length: byteCount,
});

/** The bytes of an event without a payload. */
export const writeWyomingEvent = ({ type, data }: Pick<WyomingEvent, 'type' | 'data'>): string =>
  `${JSON.stringify({ type, data })}\n`;

/** Events as they arrive, until the connection ends between two of them. Throws when one is malformed or cut off. */
export async function* readWyomingEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<WyomingEvent> {
  const chunks = bytes[Symbol.asyncIterator]();
  let pending = Buffer.alloc(0);

  /** False at the end of the connection. */
  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (!done) pending = Buffer.concat([pending, value]);
    return !done;
  }

  async function take(count: number): Promise<Buffer> {
    while (pending.length < count)
      if (!(await more())) throw new Error('The connection ended in the middle of an event');
    const taken = pending.subarray(0, count);
    pending = pending.subarray(count);
    return taken;
  }

  for (;;) {
    let end = pending.indexOf('\n');
    while (end < 0) {
      if (pending.length > MAX_HEADER_BYTES) throw new Error('The header of an event is too long');
      if (!(await more())) {
        if (pending.length > 0) throw new Error('The connection ended in the middle of a header');
        return;
      }
      end = pending.indexOf('\n');
    }
    const line = (await take(end + 1)).toString();
    const { type, data, data_length: dataBytes, payload_length: payloadBytes } = headerSchema.parse(JSON.parse(line));
    const further = dataBytes ? dataSchema.parse(JSON.parse((await take(dataBytes)).toString())) : {};
    const payload = payloadBytes ? Uint8Array.from(await take(payloadBytes)) : new Uint8Array();
    yield { type, data: { ...data, ...further }, payload };
  }
}
