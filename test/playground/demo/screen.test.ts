import { expect, it } from 'vitest';
import { onlyLabel, readFields, unknownField } from '../../../src/playground/demo/screen.ts';
import type { VisibleModal } from '../../../src/playground/interface/world-types.ts';

it('a form takes several lines at the prompt, with a field’s name and without', () => {
  const modal = { fields: [{ label: 'Lines', customId: 'text' }] } as unknown as VisibleModal;
  const lines = { Lines: 'aria: Hello!\nbasil: Good morning.' };
  expect(readFields(modal, 'Lines=aria: Hello!\\nbasil: Good morning.')).toEqual(lines);
  expect(readFields(modal, 'aria: Hello!\\nbasil: Good morning.')).toEqual(lines);
});

it('a field is called by the name of the option too', () => {
  const only = { fields: [{ label: 'What to say', customId: 'text' }] } as unknown as VisibleModal;
  expect(unknownField(only, 'text=Hello')).toBeUndefined();
  expect(readFields(only, 'text=Hello')).toEqual({ 'What to say': 'Hello' });
  expect(unknownField(only, 'words=Hello')).toBe('words');
  const fields = [
    { label: 'Word', customId: 'from' },
    { label: 'Spoken as', customId: 'to' },
  ];
  const modal = { fields } as unknown as VisibleModal;
  expect(unknownField(modal, 'from=GIF to=jif')).toBeUndefined();
  expect(readFields(modal, 'from=GIF to=jif')).toEqual({ Word: 'GIF', 'Spoken as': 'jif' });
});

it('the name of an only field is a word within its text', () => {
  const modal = { fields: [{ label: 'What to say', customId: 'text' }] } as unknown as VisibleModal;
  for (const words of ['Then what=5', 'The text=a', 'x=y']) {
    expect(readFields(modal, words)).toEqual({ 'What to say': words });
  }
  expect(readFields(modal, 'text=a text=b')).toEqual({ 'What to say': 'a text=b' });
  expect(readFields(modal, 'text\\=a')).toEqual({ 'What to say': 'text=a' });
});

it('a field is called by a part of its label too, where no other one has it', () => {
  const fields = ['Word', 'Spoken as (IPA)', 'Spoken by'].map((label) => ({ label, customId: label }));
  const modal = { fields } as unknown as VisibleModal;
  expect(readFields(modal, 'Word=GIF = a spoken as=jif by=b')).toEqual({
    Word: 'GIF = a',
    'Spoken as (IPA)': 'jif by=b',
  });
  expect(readFields(modal, 'wor=GIF')).toEqual({ Word: 'GIF' });
  const speech = {
    fields: ['Default style', 'Default speed'].map((label) => ({ label, customId: label })),
  } as unknown as VisibleModal;
  expect(readFields(speech, 'style=slow, Speed=1.2')).toEqual({ 'Default style': 'slow,', 'Default speed': '1.2' });
  const pace = {
    fields: ['Cooldown between texts', 'Texts in 10 seconds'].map((label) => ({ label, customId: label })),
  } as unknown as VisibleModal;
  expect(readFields(pace, '10 seconds=2')).toEqual({ 'Texts in 10 seconds': '2' });
  expect(unknownField(modal, 'spoken a=jif')).toBeUndefined();
  expect(unknownField(modal, 'Spoken=jif')).toBe('Spoken');
});

it('a label is meant by its only beginning, or else by words in it', () => {
  const labels = ['voice channel', 'audio file', 'voice message', 'a script: several voices'];
  expect(onlyLabel(labels, 'Audio')).toBe('audio file');
  expect(onlyLabel(labels, 'script')).toBe('a script: several voices');
  expect(onlyLabel(labels, 'message')).toBe('voice message');
  for (const typed of ['voice', 'ript', '', '…']) expect(onlyLabel(labels, typed)).toBeUndefined();
});
