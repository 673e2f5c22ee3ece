import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { speaksLanguage } from '../../services/voices/spoken-languages.ts';
import { standInOf } from '../../services/voices/voice-choice.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalogue.ts';

/**
 * Which voice spoke a text that its usual one cannot: at all, or at the moment. `language` is the one that was named for it.
 */
export function insteadOfLine(usual: Voice, voice: Voice, language?: string): Text {
  const labels = { usual: voiceLabel(usual), voice: voiceLabel(voice) };
  if (usual.spoken_by !== undefined) return text('say.stood-in', { voice: labels.usual, other: labels.voice });
  if (language === undefined || speaksLanguage(usual, language)) return text('say.instead-of', labels);
  return text('say.in-language', { ...labels, language: { language } });
}

/** Of a voice whose engine is down: which one speaks its texts meanwhile. */
export function standInLines(voice: Voice, voices: readonly Voice[]): Text[] {
  const other = standInOf(voice, voices);
  return other ? [text('voice.stand-in', { voice: voiceLabel(voice), other: voiceLabel(other) })] : [];
}
