import { LRUCache } from 'lru-cache';
import type { Loudness } from './loudness-meter.ts';

/**
 * The target loudness of voices, measured in mono. Google's assistant speaks at -19
 * (https://developers.google.com/assistant/tools/audio-loudness), Alexa at -14 with both channels equal, which is -17
 * (https://developer.amazon.com/docs/flashbriefing/normalizing-the-loudness-of-audio-content.html).
 */
export const TARGET_LUFS = -18;
/** A larger difference does not come from a quiet voice, and amplifying it would amplify its noise. */
export const MAX_GAIN_DB = 12;
/** Less speech than this says little about a voice, such as one short cry or whisper. */
const ENOUGH_SECONDS = 1;
/** The weight of earlier speech decays with this time. */
const MEMORY_SECONDS = 60;
/** Smaller corrections are ignored: two clips, one of them from a cache, should not differ without need. */
const STEP_DB = 1;
/** Far more than any service has; the least recently used ones are dropped. */
const MAX_VOICES = 1000;

/** The measured loudness of a voice. */
export interface KnownVoice {
  readonly lufs: number;
  /** Seconds of measured speech, 60 at most. */
  readonly seconds: number;
  readonly gainDb: number;
}

interface VoiceGainsOptions {
  /** State learned before a restart. */
  known?: Iterable<readonly [voiceKey: string, voice: KnownVoice]>;
  /** Called after the state has changed. */
  onLearned?: (voiceKey: string, voice: KnownVoice) => void;
}

function gainFor(lufs: number): number {
  return Math.max(-MAX_GAIN_DB, Math.min(MAX_GAIN_DB, TARGET_LUFS - lufs));
}

/** The gain that each voice needs. */
export function createVoiceGains({ known = [], onLearned }: VoiceGainsOptions = {}) {
  const voices = new LRUCache<string, KnownVoice>({ max: MAX_VOICES });
  for (const [voiceKey, voice] of known) voices.set(voiceKey, voice);

  return {
    /** In dB, for the voice's next clip; 0 for an unknown voice. */
    get: (voiceKey: string) => voices.peek(voiceKey)?.gainDb ?? 0,
    /** Whether enough of it has been heard. */
    knows: (voiceKey: string) => (voices.peek(voiceKey)?.seconds ?? 0) >= ENOUGH_SECONDS,
    learn(voiceKey: string, { lufs, seconds }: Loudness): void {
      const before = voices.peek(voiceKey) ?? { lufs: 0, seconds: 0, gainDb: 0 };
      const total = before.seconds + seconds;
      const average = (before.lufs * before.seconds + lufs * seconds) / total;
      const wanted = total < ENOUGH_SECONDS ? 0 : gainFor(average);
      const voice: KnownVoice = {
        lufs: average,
        seconds: Math.min(total, MEMORY_SECONDS),
        gainDb: Math.abs(wanted - before.gainDb) < STEP_DB ? before.gainDb : wanted,
      };
      voices.set(voiceKey, voice);
      onLearned?.(voiceKey, voice);
    },
  };
}

export type VoiceGains = ReturnType<typeof createVoiceGains>;
