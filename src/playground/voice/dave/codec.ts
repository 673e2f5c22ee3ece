// The TLS presentation language as MLS uses it: RFC 9420 section 2.1.

/** Bytes that violate the format. */
export class MlsDecodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MlsDecodeError';
  }
}

export interface ByteReader {
  /** Bytes read so far. */
  readonly offset: number;
  u8(): number;
  u16(): number;
  u32(): number;
  u64(): bigint;
  take(length: number): Buffer;
  /** `opaque x<V>` */
  vector(): Buffer;
  /** `T x<V>`: reads elements until the vector is used up. */
  vectorOf<T>(element: (reader: ByteReader) => T): T[];
  /** The bytes from `from` to here. */
  since(from: number): Buffer;
  /** Fails unless everything was read. */
  end(): void;
}

/** Reads `bytes` from the start; throws MlsDecodeError where they run out. */
export function reader(bytes: Uint8Array): ByteReader {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  const take = (length: number): Buffer => {
    if (offset + length > buffer.length)
      throw new MlsDecodeError(`${length} bytes wanted at ${offset}, ${buffer.length - offset} left`);
    offset += length;
    return buffer.subarray(offset - length, offset);
  };
  // Section 2.1.2: the two top bits give the length of the length; 3 is invalid and so is a longer form than needed.
  const length = (): number => {
    const first = take(1).readUInt8();
    const size = 1 << (first >> 6);
    if (size === 8) throw new MlsDecodeError('Invalid vector length');
    const value =
      size === 1 ? first & 0x3f : (first & 0x3f) * 2 ** (8 * (size - 1)) + take(size - 1).readUIntBE(0, size - 1);
    if ((size === 2 && value < 0x40) || (size === 4 && value < 0x4000))
      throw new MlsDecodeError('Vector length not minimal');
    return value;
  };
  const self: ByteReader = {
    get offset() {
      return offset;
    },
    u8: () => take(1).readUInt8(),
    u16: () => take(2).readUInt16BE(),
    u32: () => take(4).readUInt32BE(),
    u64: () => take(8).readBigUInt64BE(),
    take,
    vector: () => take(length()),
    vectorOf(element) {
      const size = length();
      const end = offset + size;
      const elements = [];
      while (offset < end) elements.push(element(self));
      if (offset !== end) throw new MlsDecodeError('An element reaches past its vector');
      return elements;
    },
    since: (from) => buffer.subarray(from, offset),
    end() {
      if (offset !== buffer.length) throw new MlsDecodeError(`${buffer.length - offset} bytes too many`);
    },
  };
  return self;
}

export function u8(value: number): Buffer {
  return Buffer.of(value);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

/** `opaque x<V>` */
export function vector(bytes: Uint8Array): Buffer {
  const { length } = bytes;
  if (length < 0x40) return Buffer.concat([u8(length), bytes]);
  if (length < 0x4000) return Buffer.concat([u16(0x4000 | length), bytes]);
  return Buffer.concat([u32(0x80000000 + length), bytes]);
}
