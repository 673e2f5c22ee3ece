import { describe, expect, it } from 'vitest';
import type { KeptVoice } from '../../../src/services/voices/preferences.ts';
import {
  chooseVoice,
  localeToSpeak,
  offerVoices,
  type VoiceOrders,
} from '../../../src/services/voices/voice-choice.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';

function voice(id: string, name: string, model: string, language = 'multiple'): Voice {
  return { id, name, model, language, formats: ['wav'], supports_style: false };
}

const VOICES = [
  voice('1', 'kore', 'gpro'),
  voice('2', 'kore', 'gpro31'),
  voice('3', 'ara', 'ext'),
  voice('4', 'tara', 'orpheus', 'en-US 🇺🇸'),
  voice('5', 'puck', 'gpro'),
];
const kept = (voiceId: string, name: string, model: string, source: KeptVoice['source'] = 'server'): KeptVoice => ({
  source,
  choice: { voiceId, name, model },
});
const ids = (voices: readonly Voice[]) => voices.map(({ id }) => id).join('');

describe('choosing a voice', () => {
  const USUAL = [kept('5', 'puck', 'gpro')];
  const allowing = (...allowedModels: string[]) => ({ rules: { allowedModels } });
  const chosen = (id: string) => ({ kind: 'chosen', voice: { id } });
  const notAllowed = { kind: 'not-allowed', voice: { name: 'kore' } };
  const NONE_ALLOWED = { kind: 'none-allowed' };
  it.each<[string, VoiceOrders, object]>([
    ['takes the id of a suggestion', { asked: '2' }, { ...chosen('2'), source: 'option' }],
    [
      'does not guess between models that share a name where another is usual, and names a forced voice',
      { asked: 'kore', kept: [kept('3', 'ara', 'ext', 'forced')] },
      { kind: 'ambiguous', candidates: [{ id: '1' }, { id: '2' }], forced: { name: 'ara' } },
    ],
    ['says that a name is forbidden, though several voices have it', { asked: 'kore', ...allowing('ext') }, notAllowed],
    ['knows a forbidden voice from none', { asked: 'nobody', ...allowing('ext') }, { kind: 'unknown' }],
    [
      'takes an allowed voice before a forbidden one of that name',
      { asked: 'kore', kept: USUAL, takesForbidden: true, ...allowing('gpro31') },
      chosen('2'),
    ],
    [
      'takes a forbidden voice where that is wanted',
      { asked: 'kore', kept: USUAL, takesForbidden: true, ...allowing('ext') },
      chosen('1'),
    ],
    [
      'resolves a name alike in texts of all languages',
      { asked: 'kore', kept: [kept('2', 'kore', 'gpro31', 'own-language'), kept('5', 'puck', 'gpro', 'own-here')] },
      chosen('1'),
    ],
    ['lets the usual voice decide between models that share a name', { asked: 'kore', kept: USUAL }, chosen('1')],
    [
      'lets one’s own voice decide before the server’s',
      { asked: 'kore', kept: [kept('2', 'kore', 'gpro31', 'own-here'), ...USUAL] },
      chosen('2'),
    ],
    ['lets the bot’s own voice decide where nothing is kept', { asked: 'kore' }, chosen('1')],
    ['lets the first allowed voice decide then', { asked: 'kore', ...allowing('gpro31', 'orpheus') }, chosen('2')],
    ['tells voices that are all forbidden from none at all', { asked: 'kore', ...allowing('x') }, NONE_ALLOWED],
    ['names the first allowed voice for what it is', allowing('orpheus'), { voice: { id: '4' }, source: 'allowed' }],
    [
      'passes over one’s own voice that is forbidden without a word',
      { kept: [kept('1', 'kore', 'gpro', 'own-here')], ...allowing('orpheus') },
      { voice: { id: '4' }, vanished: [] },
    ],
  ])('%s', (_, orders, found) => {
    expect(chooseVoice(VOICES, orders)).toMatchObject(found);
  });

  it('offers what speaks a language by the name that the language has for itself, or in that of the member', () => {
    const voices = [
      { ...VOICES[0], id: 'a', name: 'mona', language: 'multiple', languages: ['de', 'ja'] },
      { ...VOICES[0], id: 'b', name: 'tara', language: 'en-US' },
    ] as Voice[];
    expect(ids(offerVoices(voices, '日本語', []))).toBe('a');
    expect(ids(offerVoices(voices, 'allemand', [], 'fr'))).toBe('a');
  });

  it('takes the first kept voice that still exists, else the first of the list, and tells which are gone', () => {
    const [own, everywhere, server] = [
      kept('3', 'ara', 'ext', 'own-here'),
      kept('4', 'tara', 'orpheus', 'own-everywhere'),
      kept('5', 'puck', 'gpro'),
    ];
    const all = [own, everywhere, server];
    const without = (...gone: string[]) =>
      chooseVoice(
        VOICES.filter(({ id }) => !gone.includes(id)),
        { kept: all },
      );
    expect(chooseVoice(VOICES, {})).toMatchObject({ voice: { id: '1' }, source: 'bot', vanished: [] });
    expect(without()).toMatchObject({ voice: { id: '3' }, source: 'own-here', vanished: [] });
    expect(without('3')).toMatchObject({ voice: { id: '4' }, source: 'own-everywhere', vanished: [own] });
    expect(without('3', '4', '5')).toMatchObject({ voice: { id: '1' }, source: 'bot', vanished: all });
  });

  it('has the bot’s own words in a language that the voice speaks', () => {
    const known = { voices: [...VOICES, voice('9', 'greta', 'kokoro', 'de-DE')], models: [], fetchedAtMs: 0 };
    const locale = (asked: string) => localeToSpeak('de', known, { asked });
    expect(locale('greta')).toBe('de');
    expect(locale('4')).toBeUndefined();
  });
});

it('offers the kept voices first, each once, while nothing is typed, and at most the 25 that Discord shows', () => {
  const usual = [kept('4', 'tara', 'orpheus', 'own-here'), kept('4', 'tara', 'orpheus'), kept('5', 'puck', 'gpro')];
  expect(ids(offerVoices(VOICES, '', usual))).toMatch(/^45/);
  expect(offerVoices(VOICES, '', usual)).toHaveLength(VOICES.length);
  expect(ids(offerVoices(VOICES, 'kore', usual))).toBe('12');
  expect(offerVoices(VOICES, '', [kept('gone', 'gone', 'gpro')])).toHaveLength(VOICES.length);
  const many = Array.from({ length: 3000 }, (_, index) => voice(String(index), `voice-${index}`, 'gpro'));
  expect(offerVoices(many, '', [kept('2999', 'voice-2999', 'gpro')])).toHaveLength(25);
});

describe('a text that a voice cannot speak', () => {
  const KANJI = '今日は天気がいいですね。';
  const SYLLABLES: Voice = { ...voice('6', 'local', 'gpro'), languages: ['en', 'ja-Hrkt'] };
  const ENGLISH = voice('7', 'rowan', 'orpheus', 'en-GB 🇬🇧');
  const EVERYTHING = voice('8', 'world', 'gpro');
  const ALL = [ENGLISH, SYLLABLES, EVERYTHING];

  it('prefers one that speaks the language that was named, unless the voice was named or forced too', () => {
    const english = kept('4', 'tara', 'orpheus');
    expect(chooseVoice(VOICES, { kept: [english], language: 'es', words: 'No' })).toMatchObject({
      kind: 'chosen',
      voice: { id: '1' },
      insteadOf: { id: '4' },
    });
    for (const orders of [
      { kept: [english], language: 'en' },
      { asked: 'tara', language: 'es' },
      { kept: [kept('4', 'tara', 'orpheus', 'forced')], language: 'es' },
      { kept: [english], language: 'es', rules: { allowedModels: ['orpheus'] } },
    ]) {
      const found = chooseVoice(VOICES, { ...orders, words: 'No' });
      expect(found).toMatchObject({ kind: 'chosen', voice: { id: '4' } });
      expect(found).not.toHaveProperty('insteadOf');
    }
  });

  it('goes to the next preference that can, and says instead of whom', () => {
    const preferred = [kept('7', 'rowan', 'orpheus', 'own-here'), kept('8', 'world', 'gpro')];
    const found = chooseVoice(ALL, { kept: preferred, words: KANJI });
    expect(found).toMatchObject({ kind: 'chosen', voice: { id: '8' }, source: 'server', insteadOf: { id: '7' } });
  });

  it('goes to a voice of the same model where nobody prefers another, and only where the usual one cannot speak it', () => {
    const usual = [kept('6', 'local', 'gpro', 'own-here')];
    const voices = [ENGLISH, SYLLABLES, voice('9', 'other', 'ext'), EVERYTHING];
    const found = chooseVoice(voices, { kept: usual, words: KANJI });
    expect(found).toMatchObject({ kind: 'chosen', voice: { id: '8' }, source: 'bot' });
    const stays = chooseVoice(voices, { kept: usual, words: 'おはよう' });
    expect(stays).toMatchObject({ kind: 'chosen', voice: { id: '6' } });
    expect(stays).not.toHaveProperty('insteadOf');
  });

  it.each([
    ['was asked for by name', { asked: 'rowan' }],
    ['is forced', { kept: [kept('7', 'rowan', 'orpheus', 'forced')] }],
  ] as const)('is refused where the voice %s, with the words and the voices that can', (_, orders) => {
    expect(chooseVoice(ALL, { ...orders, words: 'Say 今日 to them' })).toEqual({
      kind: 'cannot-speak',
      voice: ENGLISH,
      words: ['今日'],
      others: [EVERYTHING],
    });
  });

  it('goes to a voice that speaks Chinese, where it is that, before those that read its characters as Japanese', () => {
    const japanese: Voice = { ...ENGLISH, id: 'ja', language: 'ja' };
    const nova: Voice = { ...ENGLISH, id: 'nova', languages: ['en', 'de', 'ja'] };
    const aria: Voice = { ...SYLLABLES, id: 'aria', languages: ['en', 'zh', 'ja'] };
    const voices = [ENGLISH, japanese, nova, aria];
    const chosen = (words: string, more: Parameters<typeof chooseVoice>[1] = {}, all = voices) => {
      const found = chooseVoice(all, { words, ...more });
      return found.kind === 'chosen' ? found.voice.id : found.kind;
    };
    expect(chosen('说中文吧')).toBe('aria');
    expect(chosen('了解')).toBe('aria');
    expect(chosen('说中文吧', { kept: [kept('7', 'rowan', 'orpheus'), kept('ja', 'rowan', 'orpheus')] })).toBe('aria');
    expect(chosen('了解', { areKanji: true })).toBe('ja');
    expect(chosen('今日は、元気ですか')).toBe('ja');
    const cantonese: Voice = { ...SYLLABLES, id: 'yue', languages: ['yue'] };
    expect(chosen('说中文吧', {}, [ENGLISH, cantonese, aria])).toBe('aria');
    expect(chosen('说中文吧', {}, [ENGLISH, cantonese])).toBe('yue');
    // Nobody speaks it: better read than refused, and left with a voice that was chosen and reads it.
    expect(chosen('说中文吧', {}, [ENGLISH, japanese, nova])).toBe('ja');
    expect(chosen('了解', { kept: [kept('ja', 'rowan', 'orpheus')] })).toBe('ja');
    expect(chooseVoice(voices, { asked: '7', words: '说中文吧' })).toMatchObject({
      kind: 'cannot-speak',
      others: [{ id: 'aria' }, { id: 'ja' }, { id: 'nova' }],
    });
  });

  it('is refused where no allowed voice can', () => {
    const rules = { allowedModels: [ENGLISH.model] };
    expect(chooseVoice(ALL, { rules, words: KANJI })).toMatchObject({ kind: 'cannot-speak', others: [] });
  });
});
