import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { quote } from './quote.ts';

/** The label by which members know a voice. */
export function voiceLabel(voice: Pick<Voice, 'name' | 'model'>): Text {
  return text('voice.label', { name: quote(voice.name, 80), model: quote(voice.model, 40) });
}
