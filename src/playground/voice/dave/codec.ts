// MLS messages, which set up a call's end-to-end encryption, have the binary encoding of RFC 9420 section 2.1.

export class MlsDecodeError extends Error {}

/** Throws MlsDecodeError if fewer bytes are left than a value needs. */
export class ByteReader {
  readonly #bytes: Buffer;
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  take(length: number): Buffer {
    const left = this.#bytes.length - this.offset;
    if (length > left) throw new MlsDecodeError(`${length} bytes wanted at ${this.offset}, ${left} left`);
    this.offset += length;
    return this.#bytes.subarray(this.offset - length, this.offset);
  }

  u8(): number {
    return this.take(1).readUInt8();
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u32(): number {
    return this.take(4).readUInt32BE();
  }

  u64(): bigint {
    return this.take(8).readBigUInt64BE();
  }

  vector(): Buffer {
    return this.take(this.#length());
  }

  vectorOf<T>(element: (reader: ByteReader) => T): T[] {
    const size = this.#length();
    const end = this.offset + size;
    const elements = [];
    while (this.offset < end) elements.push(element(this));
    if (this.offset !== end) throw new MlsDecodeError('An element reaches past its vector');
    return elements;
  }

  since(from: number): Buffer {
    return this.#bytes.subarray(from, this.offset);
  }

  end(): void {
    const left = this.#bytes.length - this.offset;
    if (left > 0) throw new MlsDecodeError(`${left} bytes too many`);
  }

  /** The first two bits give the length field's size. A longer field than the length needs is invalid (RFC 9420 section 2.1.2). */
  #length(): number {
    const first = this.u8();
    const size = 1 << (first >> 6);
    if (size === 8) throw new MlsDecodeError('Invalid vector length');
    const value =
      size === 1 ? first & 0x3f : (first & 0x3f) * 2 ** (8 * (size - 1)) + this.take(size - 1).readUIntBE(0, size - 1);
    if ((size === 2 && value < 0x40) || (size === 4 && value < 0x4000))
      throw new MlsDecodeError('Vector length not minimal');
    return value;
  }
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

export function vector(bytes: Uint8Array): Buffer {
  const { length } = bytes;
  if (length < 0x40) return Buffer.concat([Buffer.of(length), bytes]);
  if (length < 0x4000) return Buffer.concat([u16(0x4000 | length), bytes]);
  return Buffer.concat([u32(0x80000000 + length), bytes]);
}
