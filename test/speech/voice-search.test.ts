import { describe, expect, it } from 'vitest';
import type { Voice } from '../../src/speech/interface/schemas.ts';
import { rankVoices, resolveVoice } from '../../src/speech/voice-search.ts';

let serial = 0;
function voice(name: string, model: string, language = 'multiple'): Voice {
  const id = `00000000-0000-4000-8000-${String(serial++).padStart(12, '0')}`;
  return { id, name, model, language, formats: ['wav'], supports_style: true };
}
const anna = voice('anna', 'gpro');
const anna31 = voice('anna', 'gpro31');
const anna38 = voice('anna', 'gpro38');
const bella = voice('bella', 'ext');
const zoe = voice('Zoë', 'orpheus', 'en-GB 🇬🇧');
const tara = voice('tara', 'orpheus', 'en-US 🇺🇸');
const longName = voice('Mary Ann', 'ext');
/** One of any language that says which. */
const reader = { ...voice('mona', 'ext'), languages: ['de', 'ja', 'pt-BR'] };
const all = [tara, zoe, bella, anna38, anna31, anna, longName];

describe('resolving a voice', () => {
  it.each<[string, string, ReturnType<typeof resolveVoice>]>([
    [anna38.id, '', { kind: 'unique', voice: anna38 }],
    [anna38.id.toUpperCase(), '', { kind: 'unique', voice: anna38 }],
    [' Bella ', '', { kind: 'unique', voice: bella }],
    ['anna', 'gpro31', { kind: 'unique', voice: anna31 }],
    ['anna', '', { kind: 'ambiguous', asked: 'anna', candidates: [anna, anna31, anna38] }],
    ['anna gpro38', 'gpro', { kind: 'unique', voice: anna38 }],
    ['gpro38/anna', '', { kind: 'unique', voice: anna38 }],
    ['bella GROK', '', { kind: 'unique', voice: bella }],
    ['grok Mary Ann', '', { kind: 'unique', voice: longName }],
    ['ana', '', { kind: 'unknown', asked: 'ana', suggestions: [anna, anna31, anna38] }],
    ['an', '', { kind: 'unknown', asked: 'an', suggestions: [anna, anna31, anna38, longName] }],
    ['', '', { kind: 'unknown', asked: '', suggestions: [anna, anna31, anna38, bella, longName] }],
  ])('%j with %j', (query, preferredModel, expected) => {
    expect(resolveVoice(query, all, preferredModel)).toEqual(expected);
  });

  it('takes the first of voices that share a name and sound alike, and finds it by a label', () => {
    const sounding = (of: Voice): Voice => ({ ...of, gender: 'female', accent: 'Irish' });
    const [first, second] = [sounding(anna38), sounding(anna)];
    const unique = { kind: 'unique', voice: first };
    expect(resolveVoice('anna', [first, second])).toEqual(unique);
    expect(resolveVoice('anna · female, Irish', [first, second])).toEqual(unique);
    expect(resolveVoice('anna (gpro) · female, Irish', [first, second])).toEqual({ kind: 'unique', voice: second });
    expect(resolveVoice('anna', [first, anna])).toMatchObject({ kind: 'ambiguous' });
  });

  it('keeps apart the voices of one name of engines, which are other persons', () => {
    const sounding = (of: Voice): Voice => ({ ...of, gender: 'male', accent: 'British' });
    const [own, installed] = [sounding(voice('fable', 'ext')), sounding(voice('fable', 'kokoro'))];
    expect(resolveVoice('fable', [own, installed])).toMatchObject({ kind: 'ambiguous' });
    expect(resolveVoice('fable', [own, installed], 'ext')).toEqual({ kind: 'unique', voice: own });
    expect(resolveVoice('fable kokoro', [own, installed])).toEqual({ kind: 'unique', voice: installed });
    const woman: Voice = { ...voice('echo', 'ext'), gender: 'female', accent: 'British' };
    const man: Voice = { ...voice('echo', 'kokoro'), gender: 'male', accent: 'American' };
    const resolved = resolveVoice('echo · male, American', [woman, man], 'ext');
    expect(resolved).toEqual({ kind: 'unique', voice: man });
  });

  it('lets exact spelling win over another case', () => {
    const upper = voice('Anna', 'gpro');
    expect(resolveVoice('Anna', [anna, upper])).toEqual({ kind: 'unique', voice: upper });
    expect(resolveVoice('ANNA', [anna, upper])).toMatchObject({ kind: 'ambiguous' });
  });
});

describe('ranking voices for autocomplete', () => {
  it('puts the preferred model first when nothing is typed', () => {
    expect(rankVoices('', all, { preferredModel: 'grok' }).slice(0, 2)).toEqual([bella, longName]);
  });

  it('finds by the beginning of the name, by model with its alias, and by language', () => {
    expect(rankVoices('ann', all)).toEqual([anna, anna31, anna38, longName]);
    expect(rankVoices('gpro3', all)).toEqual([anna31, anna38]);
    expect(rankVoices('grok', all)).toEqual([bella, longName]);
    expect(rankVoices('en-gb', all)).toEqual([zoe]);
    expect(rankVoices('british', all)).toEqual([zoe]);
    for (const typed of ['english', 'Englisch', 'inglés']) {
      expect(rankVoices(typed, [tara, zoe, reader, bella]), typed).toEqual([tara, zoe, bella]);
    }
    expect(rankVoices(anna38.id.slice(0, 30), [anna38])).toEqual([anna38]);
  });

  it('finds voices of several languages by each of them, after those of that one alone', () => {
    const german = voice('kai', 'ext', 'de-DE 🇩🇪');
    for (const typed of ['german', 'Deutsch', 'alemán', 'de']) {
      expect(rankVoices(typed, [reader, german, tara]), typed).toEqual([german, reader]);
    }
    expect(rankVoices('japanese anna', [reader, anna])).toEqual([anna]);
    expect(rankVoices('germ', [reader, tara])).toEqual([reader]);
    expect(rankVoices('japan', [voice('Japan', 'ext'), reader])).toHaveLength(1);
  });
});
