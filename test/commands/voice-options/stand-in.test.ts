import { expect, it } from 'vitest';
import { insteadOfLine } from '../../../src/commands/voice-options/stand-in.ts';
import { mustBeChosen } from '../../../src/commands/voice-options/voice-option.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { chooseVoice } from '../../../src/services/voices/voice-choice.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { render } from '../../../src/texts/catalogue.ts';

const voice = (id: string, languages: string[]): Voice => ({
  ...{ id, name: id, model: 'kokoro', language: 'multiple', languages, formats: ['wav'] },
});
const irina = voice('irina', ['ru']);
const amy = voice('amy', ['en']);
const absent = { ...irina, id: 'olga', name: 'olga', spoken_by: 'amy' };

it('nothing is said to be beyond a voice that is only not available', () => {
  const refusal = (asked: string, ...voices: readonly Voice[]): string => {
    try {
      mustBeChosen(chooseVoice(voices, { asked, words: 'Привет' }));
    } catch (error) {
      if (error instanceof UserError) return render(error.text);
      throw error;
    }
    return '';
  };
  expect(refusal('olga', amy, absent, irina)).toBe(
    'amy (kokoro), which speaks for olga (kokoro) right now, can’t speak Привет. Choose another voice, for example irina (kokoro).',
  );
  expect(refusal('amy', amy, irina)).toMatch(/^amy \(kokoro\) can’t speak Привет\./);
  expect(render(insteadOfLine(absent, irina))).toBe(
    '-# olga (kokoro) isn’t available right now, so irina (kokoro) spoke instead.',
  );
  expect(render(insteadOfLine(amy, irina))).toBe('-# amy (kokoro) can’t speak this text, so irina (kokoro) did.');
});

it('says that the usual voice does not speak the language that was named, where that is why', () => {
  const german = voice('hans', ['de']);
  expect(render(insteadOfLine(amy, german, 'de'))).toBe('-# amy (kokoro) doesn’t speak German, so hans (kokoro) did.');
  expect(render(insteadOfLine(amy, german, 'de'), 'de')).toBe(
    '-# amy (kokoro) spricht kein Deutsch, daher hans (kokoro).',
  );
  expect(render(insteadOfLine(amy, german, 'en'))).toContain('can’t speak this text');
});
