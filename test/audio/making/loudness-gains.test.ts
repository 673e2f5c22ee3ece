import { describe, expect, test } from 'vitest';
import {
  createVoiceGains,
  type KnownVoice,
  MAX_GAIN_DB,
  TARGET_LUFS,
} from '../../../src/audio/making/loudness-gains.ts';

describe('the gain of a voice', () => {
  test('is nothing before the voice was heard', () => {
    expect(createVoiceGains().get('aria')).toBe(0);
  });

  test('brings each voice to the target by its measured loudness', () => {
    const gains = createVoiceGains();
    gains.learn('quiet', { lufs: TARGET_LUFS - 5, seconds: 3 });
    gains.learn('loud', { lufs: TARGET_LUFS + 4, seconds: 3 });
    expect(gains.get('quiet')).toBeCloseTo(5);
    expect(gains.get('loud')).toBeCloseTo(-4);
    expect(gains.get('other')).toBe(0);
  });

  test('stays within bounds', () => {
    const gains = createVoiceGains();
    gains.learn('whisper', { lufs: -50, seconds: 3 });
    gains.learn('shout', { lufs: -2, seconds: 3 });
    expect(gains.get('whisper')).toBe(MAX_GAIN_DB);
    expect(gains.get('shout')).toBe(-MAX_GAIN_DB);
  });

  test('is not learned from one short cry', () => {
    const gains = createVoiceGains();
    gains.learn('aria', { lufs: -8, seconds: 0.4 });
    expect(gains.get('aria')).toBe(0);
    gains.learn('aria', { lufs: -24, seconds: 4 });
    expect(gains.get('aria')).toBeGreaterThan(3);
  });

  test('stays where it is for less than 1 dB', () => {
    const gains = createVoiceGains();
    gains.learn('aria', { lufs: -22, seconds: 10 });
    const before = gains.get('aria');
    gains.learn('aria', { lufs: -23, seconds: 10 });
    expect(gains.get('aria')).toBe(before);
  });

  test('follows a voice that has changed for good, not one odd clip', () => {
    const gains = createVoiceGains();
    for (let i = 0; i < 20; i++) gains.learn('aria', { lufs: -20, seconds: 5 });
    gains.learn('aria', { lufs: -30, seconds: 5 });
    expect(gains.get('aria')).toBeLessThan(3.5);
    for (let i = 0; i < 60; i++) gains.learn('aria', { lufs: -28, seconds: 5 });
    expect(gains.get('aria')).toBeGreaterThan(8.9);
  });

  test('outlives a restart when it is stored', () => {
    const kept = new Map<string, KnownVoice>();
    const before = createVoiceGains({ onLearned: (voiceKey, voice) => kept.set(voiceKey, voice) });
    before.learn('aria', { lufs: -25, seconds: 5 });
    expect(createVoiceGains({ known: kept }).get('aria')).toBeCloseTo(7);
  });

  test('is forgotten for the voices not used for longest when there are too many', () => {
    const gains = createVoiceGains();
    for (let i = 0; i < 1_000; i++) gains.learn(`voice ${i}`, { lufs: -25, seconds: 5 });
    gains.learn('voice 0', { lufs: -25, seconds: 5 });
    gains.learn('one more', { lufs: -25, seconds: 5 });
    expect(gains.get('voice 0')).toBeGreaterThan(0);
    expect(gains.get('voice 1')).toBe(0);
  });
});
