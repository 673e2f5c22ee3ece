import type { Loudness } from './loudness-meter.ts';

/**
 * What voices are brought to, measured as the mono they are. Google's assistant speaks at -19
 * (https://developers.google.com/assistant/tools/audio-loudness), Alexa at -14 with both channels of the same sound, which
 * is -17 (https://developer.amazon.com/docs/flashbriefing/normalizing-the-loudness-of-audio-content.html).
 */
export const TARGET_LUFS = -18;
/** Further off than this is no quiet voice but something else, and its noise would come up with it. */
export const MAX_GAIN_DB = 12;
/** Less speech than this says little about a voice: one short cry, one short whisper. */
const ENOUGH_SECONDS = 1;
/** What was heard longer ago than this counts for less and less. */
const MEMORY_SECONDS = 60;
/** Smaller corrections are not worth it: two clips, one of them from a cache, should not differ for nothing. */
const STEP_DB = 1;
/** Far more than any service has; the ones not used for longest are forgotten. */
const MAX_VOICES = 1000;

/** How much louder each voice has to be made. */
export interface VoiceGains {
  /** In dB, for the voice's next clip; 0 for a voice that is not known. */
  get(voiceKey: string): number;
  learn(voiceKey: string, measured: Loudness): void;
}

/** What is known of a voice. */
export interface KnownVoice {
  readonly lufs: number;
  /** Speech it was learned from, 60 at most. */
  readonly seconds: number;
  readonly gainDb: number;
}

interface VoiceGainsOptions {
  /** What was learned before a restart. */
  known?: Iterable<readonly [voiceKey: string, voice: KnownVoice]>;
  /** Something was learned. */
  onLearned?: (voiceKey: string, voice: KnownVoice) => void;
}

function gainFor(lufs: number): number {
  return Math.max(-MAX_GAIN_DB, Math.min(MAX_GAIN_DB, TARGET_LUFS - lufs));
}

export function createVoiceGains({ known = [], onLearned }: VoiceGainsOptions = {}): VoiceGains {
  const voices = new Map<string, KnownVoice>(known);

  return {
    get: (voiceKey) => voices.get(voiceKey)?.gainDb ?? 0,
    learn(voiceKey, { lufs, seconds }) {
      const before = voices.get(voiceKey) ?? { lufs: 0, seconds: 0, gainDb: 0 };
      const total = before.seconds + seconds;
      const average = (before.lufs * before.seconds + lufs * seconds) / total;
      const wanted = total < ENOUGH_SECONDS ? 0 : gainFor(average);
      const voice: KnownVoice = {
        lufs: average,
        seconds: Math.min(total, MEMORY_SECONDS),
        gainDb: Math.abs(wanted - before.gainDb) < STEP_DB ? before.gainDb : wanted,
      };
      // At the end again: the first are those that were not used for longest.
      voices.delete(voiceKey);
      voices.set(voiceKey, voice);
      for (const oldest of voices.keys()) {
        if (voices.size <= MAX_VOICES) break;
        voices.delete(oldest);
      }
      onLearned?.(voiceKey, voice);
    },
  };
}
