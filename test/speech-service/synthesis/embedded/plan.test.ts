import { describe, expect, test } from 'vitest';
import { loadLanguageDetector } from '../../../../src/language/detection.ts';
import { languageRuns } from '../../../../src/speech-service/synthesis/embedded/language.ts';
import { planUtterance, prosodyOfChance } from '../../../../src/speech-service/synthesis/embedded/plan.ts';
import type { TimbredJob } from '../../../../src/speech-service/synthesis/engine.ts';
import { jobOf } from '../../running-service.ts';

const detector = await loadLanguageDetector();

const plan = (text: string, change: Partial<TimbredJob> = {}) =>
  planUtterance(jobOf(text, { tags: 'closed', ...change }), { detector });
const outline = (text: string, change?: Partial<TimbredJob>) =>
  plan(text, change).map((piece) =>
    piece.kind === 'speech' ? piece.text.trim() : piece.kind === 'silence' ? piece.durationMs : `*${piece.event}*`,
  );

describe('a plan', () => {
  test('puts a pause where a sentence ends before the next piece', () => {
    const spoken = outline('Wait. <loud>Now, go!</loud> And on, <soft>quietly</soft>');
    expect(spoken).toEqual(['Wait.', 260, 'Now, go!', 260, 'And on,', 120, 'quietly']);
  });

  test('limits a wrapping tag to the text it wraps', () => {
    const pieces = plan('a <slow>b <loud>c</loud></slow> d');
    const prosodies = pieces.map((piece) => (piece.kind === 'speech' ? piece.prosody : undefined));
    expect(prosodies.map((prosody) => prosody?.rate)).toEqual([1, 0.65, 0.65, 1]);
    expect(prosodies.map((prosody) => prosody?.gainDb)).toEqual([0, 0, 6, 0]);
  });

  test('reads the open lists: pauses, sounds, ways of speaking, and never the words in the brackets', () => {
    const square = outline('[excited] Hi [short pause] you [laughs softly] there', { tags: 'square-open' });
    expect(square).toEqual(['Hi', 250, 'you', '*laugh*', 'there']);
    const angle = outline('Hi <long pause> you <sighs> and <wistful> go', { tags: 'angle-open' });
    expect(angle).toEqual(['Hi', 1_200, 'you', '*sigh*', 'and', '*breath*', 'go']);
    const whispering = plan('Loud. [whispering] quiet', { tags: 'square-open' }).at(-1);
    expect(whispering?.kind === 'speech' && whispering.prosody.whisper).toBe(true);
  });
});

describe('languages', () => {
  test.each<[text: string, language: string | undefined, expected: string[]]>([
    ['Hallo zusammen', undefined, ['de']],
    ['lmao that was insane', undefined, ['en-us']],
    ['Привіт, як справи?', undefined, ['uk']],
    ['Hello, мир, again', undefined, ['en-us', 'ru', 'en-us']],
    ['How do you say that in German? Das weiß ich leider auch nicht.', undefined, ['en-us', 'de']],
    ['Ich komme heute etwas später nach Hause. OK.', undefined, ['de']],
    ['123 !!', undefined, ['en-us']],
    ['No', 'es', ['es']],
    ['Good morning everyone', 'de', ['de']],
    ['Hello, мир, again', 'fr', ['fr', 'ru', 'fr']],
    ['Привіт, як справи?', 'ru', ['ru']],
    ['Hello', 'ru', ['en-us']],
    ['我说中文', 'ja', ['cmn']],
  ])('%j named as %s is %j', (text, language, expected) => {
    expect(languageRuns(text, 'en-us', { detector, language }).map((run) => run.language)).toEqual(expected);
  });

  test.each([
    ['Das ist nicht der Weg.', undefined],
    ['No', 'es'],
  ])('an English-only voice speaks %j as English, named as %s', (text, language) => {
    const pieces = plan(text, { multilingual: false, language });
    expect(pieces.map((piece) => piece.kind === 'speech' && piece.language)).toEqual(['en-us']);
  });
});

test('the chance in prosody is the seed’s alone, and moves more at a higher temperature', () => {
  expect(prosodyOfChance(5, 1)).toEqual(prosodyOfChance(5, 1));
  expect(prosodyOfChance(5, 1)).not.toEqual(prosodyOfChance(6, 1));
  const moved = (temperature: number) => Math.abs(prosodyOfChance(5, temperature).rate - 1);
  expect(moved(2)).toBeGreaterThan(moved(0));
  expect(prosodyOfChance(undefined, 1.5).pitchRange).toBeGreaterThan(prosodyOfChance(undefined, 0.5).pitchRange);
});
