import { expect, it } from 'vitest';
import { leaveOutTags } from '../../../src/commands/say/text-preparation.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { knownOptions } from '../../../src/speech/request.ts';

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

it.each([
  ['gpro31', '[very sad] Hello [sic] there', 'Hello there', '[laughs softly]'],
  ['gpro31', 'a [very [sad] or so] b', 'a b', '[very [sad]]'],
  ['gpro38', 'Well <soft laugh> then [laugh]', 'Well then', '<soft laugh>'],
])('any words in the brackets of %s are left out where the voice takes no tags', (model, input, words, alone) => {
  const silent = { ...voice('ash', model), supports_tags: false };
  expect(leaveOutTags({ input, voice: silent })).toMatchObject({ input: words, leftOut: silent });
  expect(() => leaveOutTags({ input: alone, voice: silent })).toThrow(UserError);
});

it('the tags of a model are left out where the voice list says that the voice takes none', () => {
  const silent = { ...voice('ash', 'ext'), supports_tags: false };
  expect(leaveOutTags({ input: 'Well [sigh] then', voice: silent })).toMatchObject({
    input: 'Well then',
    leftOut: silent,
  });
  expect(() => leaveOutTags({ input: '[laugh]', voice: silent })).toThrow(UserError);
  expect([knownOptions(silent).includes('tags'), knownOptions(voice('ash', 'ext')).includes('tags')]).toEqual([
    false,
    true,
  ]);
});
