import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { standInOf } from '../../services/voices/voice-choice.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalogue.ts';

/** Of a voice whose engine is down: which one speaks its texts meanwhile. */
export function standInLines(voice: Voice, voices: readonly Voice[]): Text[] {
  const other = standInOf(voice, voices);
  return other ? [text('voice.stand-in', { voice: voiceLabel(voice), other: voiceLabel(other) })] : [];
}
