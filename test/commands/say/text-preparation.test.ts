import { expect, it } from 'vitest';
import { leaveOutTags } from '../../../src/commands/say/text-preparation.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';

const voice = (name: string, model: string): Voice => ({
  ...{ id: `${name}-${model}`, name, model, language: 'multiple', formats: ['wav'], supports_style: true },
});

it('a passage of tags that its voice would read aloud is left out, and the next one’s voice speaks first', () => {
  const [aria, basil] = [voice('aria', 'gpro'), voice('basil', 'ext')];
  const passages = [
    { input: '[laugh]\n', voice: aria },
    { input: 'Well [sigh] then.\n', voice: basil },
  ];
  const input = passages.map((passage) => passage.input).join('');
  const heard = leaveOutTags({ input, voice: aria, passages });
  expect(heard).toMatchObject({ voice: basil, leftOut: aria, passages: [passages[1]] });
  expect(heard.passages).toHaveLength(1);
});

it.each([
  ['[whispering] good evening', 'good evening'],
  ['uno[pause]dos', 'uno dos'],
  ['Well <sigh> there <Short pause> it is', 'Well there it is'],
  ['a <soft>quiet</soft> word', 'a quiet word'],
])('the tags that /tags names are left out, and words stay apart: %s', (input, words) => {
  expect(leaveOutTags({ input, voice: voice('aria', 'gpro') })).toMatchObject({ input: words });
});

it('other brackets are words', () => {
  const cast = { input: 'He said [sic] so', voice: voice('aria', 'gpro') };
  expect(leaveOutTags(cast)).toBe(cast);
});

it('a text of such tags alone is refused', () => {
  expect(() => leaveOutTags({ input: '[laugh]', voice: voice('aria', 'gpro') })).toThrow(UserError);
});
