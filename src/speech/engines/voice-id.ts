import { createHash } from 'node:crypto';

/**
 * The id that the embedded service gives a voice, the same on every machine and in every version: a name-based UUID (RFC 9562,
 * version 5 layout).
 */
export function voiceIdOf(model: string, name: string): string {
  const hex = createHash('sha1').update(`crier speech service voice ${model} ${name}`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
