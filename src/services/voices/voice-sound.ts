import type { Voice } from '../../speech/interface/schemas.ts';
import { type PlainTextKey, render, type Text, text } from '../../texts/catalog.ts';

/** A voice's gender and accent; each is undefined if the speech service does not state it. */
export type Sound = Pick<Voice, 'gender' | 'accent'>;

const ACCENTS: Readonly<Record<string, PlainTextKey>> = {
  American: 'voice.accent.american',
  Australian: 'voice.accent.australian',
  British: 'voice.accent.british',
  Indian: 'voice.accent.indian',
  Irish: 'voice.accent.irish',
  'New York': 'voice.accent.new-york',
  Scottish: 'voice.accent.scottish',
};

/** How a voice sounds, such as 'female, American'. An accent without a translation is shown as it is. */
export function soundLabel({ gender, accent }: Sound, quoted = (words: string) => words): Text | string | undefined {
  const key = accent === undefined ? undefined : ACCENTS[accent];
  const spoken = key === undefined ? accent && quoted(accent) : text(key);
  const person = gender && text(`voice.gender.${gender}`);
  return person && spoken ? text('voice.sound', { gender: person, accent: spoken }) : (person ?? spoken);
}

/** Search words that describe a voice's sound, in English and in the language of `locale`. */
export function soundWords(voice: Sound, locale: string): string {
  const label = soundLabel(voice);
  const own = typeof label === 'object' ? render(label, locale) : '';
  return [voice.gender, voice.accent, own].join(' ');
}
