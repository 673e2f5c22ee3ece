/** The format of a WAV or MP3 file by its first bytes: names and types of files can lie. */
export function sniffFile(bytes: Uint8Array): 'wav' | 'mp3' | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, 12));
  if (text.startsWith('RIFF') && text.slice(8) === 'WAVE') return 'wav';
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2;
  return isFrame || text.startsWith('ID3') ? 'mp3' : undefined;
}
