import { expect, it } from 'vitest';
import { onlyLabel, readFields, unknownField } from '../../../src/playground/demo/screen.ts';
import type { VisibleModal } from '../../../src/playground/interface/world-types.ts';

it('a form takes several lines at the prompt, with a field’s name and without', () => {
  const modal = { fields: [{ label: 'Lines' }] } as unknown as VisibleModal;
  const lines = { Lines: 'aria: Hello!\nbasil: Good morning.' };
  expect(readFields(modal, 'Lines=aria: Hello!\\nbasil: Good morning.')).toEqual(lines);
  expect(readFields(modal, 'aria: Hello!\\nbasil: Good morning.')).toEqual(lines);
});

it('a field is called by a part of its label too, where no other one has it', () => {
  const fields = [{ label: 'Word' }, { label: 'Spoken as (IPA)' }, { label: 'Spoken by' }];
  const modal = { fields } as unknown as VisibleModal;
  expect(readFields(modal, 'Word=GIF = a spoken as=jif by=b')).toEqual({
    Word: 'GIF = a',
    'Spoken as (IPA)': 'jif by=b',
  });
  expect(readFields(modal, 'wor=GIF')).toEqual({ Word: 'GIF' });
  const speech = { fields: [{ label: 'Default style' }, { label: 'Default speed' }] } as unknown as VisibleModal;
  expect(readFields(speech, 'style=slow, Speed=1.2')).toEqual({ 'Default style': 'slow,', 'Default speed': '1.2' });
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
