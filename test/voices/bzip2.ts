/*
 * A writer of bzip2, for archives of a few kilobytes: nothing of Node and of the packages in use writes it. It sorts
 * plainly and gives every symbol a code of the same length, which is slow and large, and valid.
 */

const POLYNOMIAL = 0x04c11db7;

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  }
  return ~crc >>> 0;
}

function bitWriter() {
  const bits: number[] = [];
  return {
    write(value: number, count: number) {
      for (let bit = count - 1; bit >= 0; bit--) bits.push(Math.floor(value / 2 ** bit) % 2);
    },
    bytes() {
      const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
      for (const [index, bit] of bits.entries())
        if (bit) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (0x80 >> (index & 7));
      return bytes;
    },
  };
}

/** Four equal bytes in a row are followed by the number of further ones, up to 251. */
function withRuns(bytes: Uint8Array): number[] {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = 1;
    while (length < 255 && bytes[at + length] === bytes[at]) length++;
    for (let copy = 0; copy < Math.min(length, 4); copy++) out.push(bytes[at] as number);
    if (length >= 4) out.push(length - 4);
    at += length;
  }
  return out;
}

/** The last column of the sorted rotations, and the row of the text itself. */
function burrowsWheeler(text: readonly number[]): { last: number[]; origin: number } {
  const { length } = text;
  const rotations = text
    .map((_, index) => index)
    .sort((a, b) => {
      for (let at = 0; at < length; at++) {
        const difference = (text[(a + at) % length] as number) - (text[(b + at) % length] as number);
        if (difference !== 0) return difference;
      }
      return 0;
    });
  return {
    last: rotations.map((start) => text[(start + length - 1) % length] as number),
    origin: rotations.indexOf(0),
  };
}

/** Places in a list of the last symbols, with runs of the first place written in digits of their own (0 and 1). */
function symbolsOf(bytes: readonly number[], alphabet: readonly number[]): number[] {
  const recent = [...alphabet];
  const out: number[] = [];
  let zeros = 0;
  const flush = () => {
    for (; zeros > 0; zeros = (zeros - (zeros % 2 === 1 ? 1 : 2)) / 2) out.push(zeros % 2 === 1 ? 0 : 1);
  };
  for (const byte of bytes) {
    const place = recent.indexOf(byte);
    if (place === 0) zeros++;
    else {
      flush();
      out.push(place + 1);
      recent.splice(place, 1);
      recent.unshift(byte);
    }
  }
  flush();
  out.push(alphabet.length + 1);
  return out;
}

/** Compresses bytes, `copies` times one after the other: with many copies, a small file that becomes a huge one. */
export function bzip2(bytes: Uint8Array, copies = 1): Buffer {
  const { write, bytes: written } = bitWriter();
  write(0x425a6839, 32);
  const { last, origin } = burrowsWheeler(withRuns(bytes));
  const alphabet = [...new Set(last)].sort((a, b) => a - b);
  const symbols = symbolsOf(last, alphabet);
  const size = alphabet.length + 2;
  const length = Math.ceil(Math.log2(size));
  const crc = crcOf(bytes);
  let total = 0;
  for (let copy = 0; copy < copies; copy++) {
    total = ((((total << 1) | (total >>> 31)) ^ crc) >>> 0) as number;
    write(0x314159265359, 48);
    write(crc, 32);
    write(0, 1);
    write(origin, 24);
    const inGroup = (group: number) => alphabet.some((symbol) => symbol >> 4 === group);
    for (let group = 0; group < 16; group++) write(inGroup(group) ? 1 : 0, 1);
    for (let group = 0; group < 16; group++) {
      if (!inGroup(group)) continue;
      for (let symbol = 0; symbol < 16; symbol++) write(alphabet.includes(group * 16 + symbol) ? 1 : 0, 1);
    }
    // Two tables, of which only the first one is used, for each 50 symbols.
    write(2, 3);
    const selectors = Math.ceil(symbols.length / 50);
    write(selectors, 15);
    write(0, selectors);
    for (let table = 0; table < 2; table++) {
      write(length, 5);
      write(0, size);
    }
    for (const symbol of symbols) write(symbol, length);
  }
  write(0x177245385090, 48);
  write(total, 32);
  return written();
}
