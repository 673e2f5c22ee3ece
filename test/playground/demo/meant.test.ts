import { expect, it } from 'vitest';
import { find, meant } from '../../../src/playground/demo/meant.ts';

it('a label is meant by itself in any case, or else by its only beginning, or else by words in it', () => {
  const labels = ['voice channel', 'audio file', 'voice message', 'script (several voices)', 'general', 'General'];
  const of = (typed: string) => find(labels, typed, (label) => [label]);
  expect(of('Audio')).toBe('audio file');
  expect(of('SCRIPT')).toBe('script (several voices)');
  expect(of('message')).toBe('voice message');
  expect([of('general'), of('General'), of('GENERAL')]).toEqual(['general', 'General', 'general']);
  for (const typed of ['voice', 'xyz', '']) expect(of(typed)).toBeUndefined();
});

it('what is not there, or may be several, is answered with what is there', () => {
  expect(() => meant('button', ['Skip', 'Stop'], 's')).toThrow('There is no button s here; there are: Skip, Stop.');
  expect(() => meant('button', ['Skip', 'Stop'], '')).toThrow('Name a button; there are: Skip, Stop.');
});
