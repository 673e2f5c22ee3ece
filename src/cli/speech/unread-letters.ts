import { languagesOf, mainScript } from '../../language/scripts.ts';
import { unspeakableWords, writtenWords } from '../../language/speakable-words.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { spokenText } from '../../speech/interface/tags.ts';
import { languageLabel, languagesOfVoice } from '../../speech/voice-languages.ts';
import { usageError } from '../terminal/exit.ts';
import { counted, plain, warn } from '../terminal/terminal.ts';

/** More of a text is no better proof. */
const EXAMINED_CHARACTERS = 10_000;

/** Whether a voice that reads Latin letters does not read all of a text. */
export const hasOtherThanLatin = (text: string): boolean =>
  unspeakableWords(writtenWords(text.slice(0, EXAMINED_CHARACTERS)), ['en']).length > 0;

/**
 * A voice spells out, or leaves out, letters of a script that none of its languages is written in, and they are billed. Refuses
 * a text that is mostly in such letters, and warns of a few words in them: names and quotations may well stand in a long text.
 */
export function mustRead(text: string, voice: Voice | undefined): void {
  if (voice === undefined) return;
  const languages = languagesOfVoice(voice);
  if (languages === undefined) return;
  const spoken = spokenText(text.slice(0, EXAMINED_CHARACTERS), modelRules(voice.model).tags);
  const words = unspeakableWords(writtenWords(spoken), languages);
  const [first] = words;
  if (first === undefined) return;
  const unread = words.join(' ');
  const named = plain(`${voice.name} (${voice.model})`);
  if (lettersIn(unread) * 2 <= lettersIn(spoken)) {
    const others = words.length === 1 ? '' : ` and ${counted(words.length - 1, 'other word')}`;
    warn(
      `${named} cannot read the letters of "${plain(first)}"${others}. If the service speaks the text, they are billed too.`,
    );
    return;
  }
  const script = mainScript(unread);
  const [language] = script === undefined ? [] : languagesOf(script);
  throw usageError(
    `${named} cannot read the letters of this text; nothing was spent.`,
    language === undefined
      ? 'voice voices lists the voices and their languages.'
      : `voice voices --language ${languageLabel(language, 'en')} lists voices that may.`,
  );
}

const lettersIn = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0;
