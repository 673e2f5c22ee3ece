import { describe, expect, it } from 'vitest';
import { createDurationEstimate } from '../../../src/services/queue/live-item.ts';
import type { SpeechRequest } from '../../../src/speech/request.ts';

const said = (characters: number, speed?: number): SpeechRequest => ({
  input: 'x'.repeat(characters),
  voice: { kind: 'id', voiceId: 'v' },
  ...(speed !== undefined && { speed }),
});

describe('how long a text takes', () => {
  it('grows with its characters and shrinks with its speed, from the start', () => {
    const estimate = createDurationEstimate();
    expect(estimate.of(said(100))).toBe(6_800);
    expect(estimate.of(said(200))).toBe(13_300);
    expect(estimate.of(said(100, 2))).toBe(3_550);
  });

  it('comes close to what was observed within a few texts, long or short, fast or slow', () => {
    const estimate = createDurationEstimate();
    const truth = ({ input, speed = 1 }: SpeechRequest) => 300 + (input.length * 90) / speed;
    for (const request of [said(20), said(300, 1.5), said(5), said(80, 0.7), said(150), said(40), said(60)]) {
      estimate.learn(request, truth(request));
    }
    for (const request of [said(100), said(1_000), said(100, 1.5)]) {
      expect(Math.abs(estimate.of(request) - truth(request)) / truth(request)).toBeLessThan(0.1);
    }
  });

  it('learns nothing from what makes no sense', () => {
    const estimate = createDurationEstimate();
    estimate.learn(said(0), 5_000);
    estimate.learn(said(10), 0);
    expect(estimate.of(said(100))).toBe(6_800);
  });
});
