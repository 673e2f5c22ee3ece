import { describe, expect, it } from 'vitest';
import { billedWithin } from '../../src/reading/billed-within.ts';
import { lineOf, lowestLimit } from '../../src/reading/spoken-line.ts';
import { billedTexts, charactersOf, planParts } from '../../src/services/synthesis/chunk-plan.ts';
import type { SpeechRequest } from '../../src/speech/request.ts';

/** Billed as it is sent: the style with every part. */
const billed = (request: SpeechRequest) => charactersOf(billedTexts(planParts(request, 5_000)));

function heard(words: string, { style, most }: { readonly style: string; readonly most: number }) {
  const parts = { words, name: 'Ann', kind: 'text', locale: 'en-US' } as const;
  const line = { within: (limit: number) => lineOf({ ...parts, limit }), lowestLimit: lowestLimit(parts) };
  const voice = { kind: 'id', voiceId: 'v', model: 'gpro' } as const;
  return billedWithin(most, { input: line.within(most), voice, style }, line, billed);
}

const LONG = 'and so on '.repeat(100);

describe('a message whose style is billed', () => {
  it('keeps both where both fit', () => {
    expect(heard('Hello everybody', { style: 's'.repeat(60), most: 100 })).toMatchObject({
      input: 'Ann says: Hello everybody',
      style: 's'.repeat(60),
    });
  });

  it('keeps its words where the style leaves no room for them, and is not one letter', () => {
    const request = heard('Hello everybody', { style: 's'.repeat(120), most: 100 });
    expect(request).toEqual({ input: 'Ann says: Hello everybody', voice: request.voice });
    expect(heard(LONG, { style: 's'.repeat(70), most: 100 }).style).toBeUndefined();
    expect(heard(LONG, { style: 's'.repeat(50), most: 100 })).toMatchObject({
      input: 'Ann says: and so on and so on and … and more',
      style: 's'.repeat(50),
    });
  });

  it('loses no more words than it must, where the shorter text is billed for its style only once', () => {
    const request = heard(LONG, { style: 's'.repeat(200), most: 500 });
    expect(request.input.length).toBeGreaterThan(180);
    expect(request.style).toHaveLength(200);
  });

  it('is never billed for more than that', () => {
    for (let most = 50; most < 1_000; most += 23) {
      for (const length of [1, 60, 200, 400]) {
        const request = heard(LONG, { style: 's'.repeat(length), most });
        expect(billed(request)).toBeLessThanOrEqual(most);
        expect(request.input.length).toBeGreaterThan(28);
      }
    }
  });
});
