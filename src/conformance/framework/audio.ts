import { readAudio } from '../../sound/audio-file.ts';

/** Audio as far as rules look at it. */
export interface HeardAudio {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  /** By its bytes. */
  readonly format: 'wav' | 'mp3' | 'unknown';
  readonly seconds: number;
}

export function hear(bytes: Uint8Array, contentType: string | undefined): HeardAudio {
  try {
    const { format, seconds } = readAudio(bytes);
    return { bytes, contentType, format, seconds };
  } catch (error) {
    if (error instanceof RangeError) return { bytes, contentType, format: 'unknown', seconds: 0 };
    throw error;
  }
}
