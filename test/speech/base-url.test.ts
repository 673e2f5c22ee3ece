import { describe, expect, it } from 'vitest';
import { endpoint, PATHS, parseBaseUrl } from '../../src/speech/base-url.ts';

describe('the configured address', () => {
  it.each([
    ['https://api.example', 'https://api.example/api/v1/voices'],
    ['https://api.example/api/v1/speech/', 'https://api.example/api/v1/voices'],
    ['https://api.example/api/v1/speech?x=1#y', 'https://api.example/api/v1/voices'],
    ['https://api.example/tts/', 'https://api.example/tts/api/v1/voices'],
    ['https://api.example/tts/api/v1/speech', 'https://api.example/tts/api/v1/voices'],
  ])('%s leads to %s', (configured, expected) => {
    expect(endpoint(parseBaseUrl(configured), PATHS.voices).href).toBe(expected);
    expect(endpoint(parseBaseUrl(new URL(configured)), PATHS.voices).href).toBe(expected);
  });

  it.each(['127.0.0.1:8640', 'api.example'])('%s lacks https:// or http://', (configured) => {
    expect(() => parseBaseUrl(configured)).toThrow('must begin with https:// or http://');
  });

  it.each(['', 'ftp://api.example', 'https://user:secret@api.example'])('%j is refused', (configured) => {
    expect(() => parseBaseUrl(configured)).toThrow(TypeError);
    expect(() => parseBaseUrl(configured)).not.toThrow(/secret/);
  });
});
