import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { standInOf } from '../../services/voices/voice-choice.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalogue.ts';

/** Which voice spoke a text that its usual one cannot: at all, or at the moment. */
export function insteadOfLine(usual: Voice, voice: Voice): Text {
  if (usual.spoken_by === undefined) {
    return text('say.instead-of', { usual: voiceLabel(usual), voice: voiceLabel(voice) });
  }
  return text('say.stood-in', { voice: voiceLabel(usual), other: voiceLabel(voice) });
}

/** Of a voice whose engine is down: which one speaks its texts meanwhile. */
export function standInLines(voice: Voice, voices: readonly Voice[]): Text[] {
  const other = standInOf(voice, voices);
  return other ? [text('voice.stand-in', { voice: voiceLabel(voice), other: voiceLabel(other) })] : [];
}
