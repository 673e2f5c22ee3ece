import { describe, expect, it } from 'vitest';
import { createCacheKey } from '../../../src/services/synthesis/cache-key.ts';
import { asked } from './synthesis-stage.ts';

const keyOf = createCacheKey({ service: 'https://a.example', apiKey: 'one' });

describe('the name under which a sound is kept', () => {
  it('is the same for the same request and after a restart', () => {
    const again = createCacheKey({ service: 'https://a.example', apiKey: 'one' });
    expect(again(asked('Hello'))).toBe(keyOf(asked('Hello')));
  });

  it('differs between services, accounts and texts', () => {
    const keys = [
      keyOf(asked('Hello')),
      keyOf(asked('Hello.')),
      createCacheKey({ service: 'https://b.example', apiKey: 'one' })(asked('Hello')),
      createCacheKey({ service: 'https://a.example', apiKey: 'two' })(asked('Hello')),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('differs by the language that a voice is told, where it can be told one', () => {
    const keyIn = (takesLanguage: boolean, language?: string) =>
      keyOf({ input: 'No', voice: { kind: 'id', voiceId: '1', ...(takesLanguage && { takesLanguage }) }, language });
    expect(new Set([keyIn(true), keyIn(true, 'es'), keyIn(true, 'de')]).size).toBe(3);
    expect(new Set([keyIn(true), keyIn(false), keyIn(false, 'es')]).size).toBe(1);
  });

  it('tells nothing of the text', () => {
    expect(keyOf(asked('A secret that nobody may read'))).toMatch(/^[\w-]{43}$/);
  });
});
