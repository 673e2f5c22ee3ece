import { describe, expect, test } from 'vitest';
import { INSTANT_TAGS } from '../../../../src/speech/interface/models.ts';
import { TIMBRES } from '../../../../src/speech-service/api/catalog.ts';
import { loadEspeak } from '../../../../src/speech-service/synthesis/embedded/espeak.ts';
import { renderSpeech } from '../../../../src/speech-service/synthesis/embedded/render.ts';
import type { Timbre, TimbredJob } from '../../../../src/speech-service/synthesis/engine.ts';
import { longestSilence, medianPitchHz, peak, rmsDb } from '../../measure-audio.ts';
import { jobOf } from '../../running-service.ts';

const espeak = await loadEspeak();
const SENTENCE = 'The quick brown fox jumps over the lazy dog.';
const RATE_HZ = 24_000;

const speak = (text: string, change: Partial<TimbredJob> = {}): Float32Array =>
  renderSpeech(jobOf(text, { tags: 'closed', ...change }), { espeak });

const seconds = (samples: Float32Array) => samples.length / RATE_HZ;
const plain = speak(SENTENCE);

describe('speech', () => {
  test('lasts as long as a person needs for it, neither silent nor clipped, and begins and ends in silence', () => {
    expect(seconds(plain)).toBeGreaterThan(2);
    expect(seconds(plain)).toBeLessThan(4);
    expect(rmsDb(plain)).toBeGreaterThan(-26);
    expect(peak(plain)).toBeLessThan(1);
    expect(peak(plain.subarray(0, RATE_HZ * 0.015))).toBeLessThan(0.002);
    expect(peak(plain.subarray(plain.length - RATE_HZ * 0.05))).toBeLessThan(0.002);
  });

  test('is the same for the same job, whatever was spoken in between', () => {
    speak('Something else entirely, with <loud>other</loud> settings.', { timbre: TIMBRES.dune as Timbre });
    expect(speak(SENTENCE)).toEqual(plain);
  });

  test.each(['Привет, как дела?', '🎉 📢', '[[a]] [[', 'a\u0000b', '-v de'])('of %j is heard', (text) => {
    const samples = speak(text, { tags: 'none' });
    expect(seconds(samples)).toBeGreaterThan(0.3);
    expect(rmsDb(samples)).toBeGreaterThan(-30);
  });

  test('of nothing but punctuation is a moment of silence, not an error', () => {
    expect(peak(speak('...'))).toBe(0);
  });
});

describe('what is beyond the limits of eSpeak NG', () => {
  const said = (text: string, sound: RegExp) => espeak.phonemes(`${text} goodbye`, 'en-us').match(sound)?.length ?? 0;

  test.each([
    ['a wall of digits', '7'.repeat(33), /s'Ev@n/g, 33],
    ['a word without end', 'abide'.repeat(100), /d/g, 101],
    ['letters that are spelled', 'w'.repeat(100), /u:/g, 100],
    ['signs', '$'.repeat(400), /d,?'?0l3/g, 400],
  ])('%s: nothing is lost, and the word behind it is heard', (_, text, sound, times) => {
    expect(said(text, sound)).toBe(times);
    expect(said(text, /gUdb'aI/g)).toBe(1);
  });

  test.each([
    ['signs between spaces', '→ ', 200, /ECts/g, 'de'],
    ['Chinese without a comma', '我', 300, /w'?o/g, 'cmn'],
  ])('%s: all are named', (_, sign, times, sound, voice) => {
    expect(espeak.phonemes(sign.repeat(times), voice).match(sound)).toHaveLength(times);
  });

  test.each(['[[[', '[\u00ad['])('%j opens no notation of phonemes', (brackets) => {
    expect(said(`${brackets}hello 123`, /h@l'oU w'Vnh'VndrI2d/g)).toBe(1);
  });

  test('a word that kills it is left out, and the words around it are heard', () => {
    const heard: string[] = [];
    const mortal = {
      ...espeak,
      speak: ({ text }: { text: string }) => {
        if (text.includes('deadly'))
          throw Object.assign(new Error('memory access out of bounds'), { name: 'RuntimeError' });
        heard.push(text.trim());
        return new Float32Array(RATE_HZ);
      },
    };
    renderSpeech(jobOf('one two deadly three four'), { espeak: mortal });
    expect(heard.join(' ')).toBe('one two three four');
    expect(() => renderSpeech(jobOf('deadly'), { espeak: mortal })).toThrow('out of bounds');
  });
});

test('voices are about equally loud', () => {
  const levels = Object.values(TIMBRES).map((timbre) => rmsDb(speak(SENTENCE, { timbre })));
  expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(3.5);
});

describe('tags of ext', () => {
  const wrapped = (tag: string) => speak(`<${tag}>${SENTENCE}</${tag}>`);

  test('of pace, loudness and pitch are heard as such, and not clipped', () => {
    expect(seconds(wrapped('slow'))).toBeGreaterThan(seconds(plain) * 1.3);
    expect(seconds(wrapped('fast'))).toBeLessThan(seconds(plain) * 0.8);
    expect(rmsDb(wrapped('soft'))).toBeLessThan(rmsDb(plain) - 5);
    const loud = wrapped('loud');
    expect(rmsDb(loud)).toBeGreaterThan(rmsDb(plain) + 4);
    expect(peak(loud)).toBeLessThanOrEqual(1);
    const pitchHz = medianPitchHz(plain, RATE_HZ);
    // More than two semitones.
    expect(medianPitchHz(wrapped('higher-pitch'), RATE_HZ)).toBeGreaterThan(pitchHz * 1.12);
    expect(medianPitchHz(wrapped('lower-pitch'), RATE_HZ)).toBeLessThan(pitchHz / 1.12);
  });

  test('whisper is air instead of a voice: it crosses zero far more often', () => {
    const crossings = (samples: Float32Array) =>
      samples.filter((sample, i) => sample > 0 !== (samples[i - 1] ?? 0) > 0).length / samples.length;
    expect(crossings(wrapped('whisper'))).toBeGreaterThan(1.5 * crossings(plain));
  });

  test.each([
    ['build-intensity', 1],
    ['decrease-intensity', -1],
  ])('%s changes the loudness over its span', (tag, direction) => {
    const risesBy = (samples: Float32Array) => {
      const third = Math.floor(samples.length / 3);
      return rmsDb(samples.subarray(samples.length - third)) - rmsDb(samples.subarray(0, third));
    };
    expect((risesBy(wrapped(tag)) - risesBy(plain)) * direction).toBeGreaterThan(3);
  });

  test.each([
    ['[pause]', 0.4, 0.75],
    ['[long-pause]', 1, 1.5],
  ])('%s is a real pause', (tag, least, most) => {
    const silence = longestSilence(speak(`Hello ${tag} there`), RATE_HZ);
    expect(silence).toBeGreaterThan(least);
    expect(silence).toBeLessThan(most);
    expect(longestSilence(speak('Hello there'), RATE_HZ)).toBeLessThan(0.2);
  });

  test.each(INSTANT_TAGS.filter((tag) => !tag.endsWith('pause')))('[%s] is a sound of its own, not the word', (tag) => {
    const samples = speak(`[${tag}]`);
    expect(peak(samples)).toBeGreaterThan(0.1);
    expect(seconds(samples)).toBeLessThan(1.3);
    expect(samples).not.toEqual(speak(tag));
  });
});

describe('parameters', () => {
  test('style words act on rate, pitch and volume; unknown ones do nothing', () => {
    expect(seconds(speak(SENTENCE, { style: 'Speak slowly.' }))).toBeGreaterThan(seconds(plain) * 1.2);
    expect(rmsDb(speak(SENTENCE, { style: 'quiet and gentle' }))).toBeLessThan(rmsDb(plain) - 4);
    expect(medianPitchHz(speak(SENTENCE, { style: 'in a deep voice' }), RATE_HZ)).toBeLessThan(
      medianPitchHz(plain, RATE_HZ) / 1.1,
    );
    expect(speak(SENTENCE, { style: 'like a xylophone' })).toEqual(plain);
  });

  test('the same seed gives the same samples, another seed others, at any temperature', () => {
    for (const temperature of [0, 1, 2]) {
      const takes = [0, 1, 2, 3, 2_147_483_647].map((seed) => speak(SENTENCE, { seed, temperature }));
      expect(speak(SENTENCE, { seed: 2, temperature })).toEqual(takes[2]);
      expect(new Set(takes.map((take) => Buffer.from(take.buffer).toString('base64'))).size).toBe(takes.length);
    }
  });
});
