import { describe, expect, it, vi } from 'vitest';
import { loadLanguageDetector } from '../../../../src/language/detection.ts';
import { VOICES } from '../../../../src/speech-service/api/catalog.ts';
import { loadEspeak } from '../../../../src/speech-service/synthesis/embedded/espeak.ts';
import {
  FLITE_SAMPLE_RATE_HZ,
  type Flite,
  type FliteVoice,
  loadFlite,
} from '../../../../src/speech-service/synthesis/embedded/flite.ts';
import { renderSpeech } from '../../../../src/speech-service/synthesis/embedded/render.ts';
import { medianPitchHz, rmsDb } from '../../measure-audio.ts';
import { jobOf } from '../../running-service.ts';

const [loaded, espeak, detector] = await Promise.all([loadFlite(), loadEspeak(), loadLanguageDetector()]);
const flite = loaded as Flite;

const SENTENCE = 'The quick brown fox jumps over the lazy dog.';
const seconds = (samples: Float32Array) => samples.length / FLITE_SAMPLE_RATE_HZ;
const said = (text: string, voice: FliteVoice = 'slt', stretch = 1) =>
  flite.speak(text, voice, stretch) ?? new Float32Array(0);
const plain = said(SENTENCE);

describe('Flite', () => {
  it('speaks with a woman’s voice and two men’s', () => {
    const pitch = (voice: FliteVoice) => medianPitchHz(said(SENTENCE, voice), FLITE_SAMPLE_RATE_HZ);
    expect(pitch('slt')).toBeGreaterThan(160);
    expect(pitch('rms')).toBeLessThan(120);
    expect(pitch('awb')).toBeLessThan(150);
  });

  it('loses nothing of a long text, and nothing of a word without end', () => {
    const once = seconds(said(`${SENTENCE} ${SENTENCE}`)) - seconds(plain);
    expect(seconds(said(`${SENTENCE} `.repeat(10)))).toBeGreaterThan(9 * once);
    expect(seconds(said('abide'.repeat(70)))).toBeGreaterThan(15);
  });

  it.each(['Café “au lait” – it’s here…', '-h'])('reads %j', (text) => {
    expect(seconds(said(text))).toBeGreaterThan(0.2);
  });

  it.each(['Привет', '5 €'])('leaves %j to eSpeak NG', (text) => {
    expect(flite.speak(text, 'slt', 1)).toBeUndefined();
  });
});

describe('the built-in voice', () => {
  /** The texts that each synthesizer was given. */
  function spokenBy(text: string) {
    const [byFlite, byEspeak] = [vi.spyOn(flite, 'speak'), vi.spyOn(espeak, 'speak')];
    renderSpeech(jobOf(text, { tags: 'closed' }), { flite, espeak }, { detector });
    return {
      flite: byFlite.mock.calls.map(([said]) => said.trim()),
      espeak: byEspeak.mock.calls.map(([{ text: said }]) => said.trim()),
    };
  }

  it('speaks English by Flite, and German in the same text by eSpeak NG', () => {
    expect(spokenBy('Good morning, dear friends. Guten Morgen, liebe Freunde, wie geht es euch heute?')).toEqual({
      flite: ['Good morning, dear friends.'],
      espeak: ['Guten Morgen, liebe Freunde, wie geht es euch heute?'],
    });
  });

  it.each(['whisper', 'singing'])('leaves <%s> to eSpeak NG', (tag) => {
    expect(spokenBy(`<${tag}>Hello</${tag}>`)).toEqual({ flite: [], espeak: ['Hello'] });
  });

  it('raises and lowers Flite’s pitch without changing its pace', () => {
    const render = (text: string) => renderSpeech(jobOf(text, { tags: 'closed' }), { espeak, flite });
    const [usual, high] = [render(SENTENCE), render(`<higher-pitch>${SENTENCE}</higher-pitch>`)];
    expect(medianPitchHz(high, 24_000) / medianPitchHz(usual, 24_000)).toBeGreaterThan(1.12);
    expect(high.length / usual.length).toBeCloseTo(1, 1);
  });

  it('is as loud by Flite as by eSpeak NG', () => {
    for (const { name, timbre } of VOICES) {
      if (timbre?.flite === undefined) continue;
      const job = jobOf(SENTENCE, { timbre });
      const levels = [renderSpeech(job, { espeak, flite }), renderSpeech(job, { espeak })].map(rmsDb);
      expect(Math.abs((levels[0] ?? 0) - (levels[1] ?? 0)), name).toBeLessThan(3);
    }
  });
});
