import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mergeUnread, readRecord } from '../../../src/services/storage/record-fields.ts';

const schema = z.object({
  name: z.string().optional(),
  mode: z.enum(['a', 'b']).optional(),
  credits: z.number().min(0).optional(),
  members: z.array(z.string().regex(/^\d+$/)).min(1).optional(),
});

describe('reading a stored record', () => {
  it('takes all of one that fits, and leaves out what it does not know', () => {
    expect(readRecord(schema, { name: 'x', later: 1 })).toEqual({ value: { name: 'x' }, unreadable: [] });
  });

  it('loses the field that cannot be read, and no other', () => {
    const kept = { name: 'x', mode: 'c', members: ['1', '2'] };
    expect(readRecord(schema, kept)).toEqual({ value: { name: 'x', members: ['1', '2'] }, unreadable: ['mode'] });
    expect(kept.mode).toBe('c');
  });

  it('loses the element of a list that cannot be read, and no other', () => {
    const read = readRecord(schema, { members: ['1', 'two', '3', 4] });
    expect(read).toEqual({ value: { members: ['1', '3'] }, unreadable: ['members'] });
  });

  it('loses a list whose elements can all not be read', () => {
    expect(readRecord(schema, { name: 'x', members: ['one'] })).toEqual({
      value: { name: 'x' },
      unreadable: ['members'],
    });
    expect(readRecord(schema, { members: 'all' })).toEqual({ value: {}, unreadable: ['members'] });
  });

  it('loses the entries of a list that cannot be read, and no others', () => {
    const list = z.array(z.object({ from: z.string() })).max(3);
    const kept = [{ from: 'a' }, { from: 5 }, { from: 'c' }];
    expect(readRecord(list, kept)).toEqual({ value: [{ from: 'a' }, { from: 'c' }], unreadable: [''] });
    expect(mergeUnread(list, kept, [{ from: 'b' }])).toEqual([{ from: 'b' }, { from: 5 }]);
    const full = ['b', 'c', 'd'].map((from) => ({ from }));
    expect(mergeUnread(list, kept, full)).toEqual(full);
  });

  it('puts the fallback in the place of a field that must not count as absent', () => {
    const fallback = { credits: 0, members: ['0'] };
    expect(readRecord(schema, { credits: 'many', members: ['one'] }, fallback).value).toEqual(fallback);
    expect(readRecord(schema, {}, fallback).value).toEqual({});
    expect(readRecord(schema, { members: ['one', '2'] }, fallback).value).toEqual({ members: ['2', '0'] });
  });

  it.each([[5], [null], ['words'], [[1]]])('reads nothing of %j', (kept) => {
    expect(readRecord(schema, kept)).toEqual({ value: undefined, unreadable: [''] });
  });

  it('reads nothing of a record that lacks a field which it cannot be without', () => {
    expect(readRecord(z.object({ sinceMs: z.number() }), { since: 1 })).toEqual({ value: undefined, unreadable: [''] });
  });
});

describe('writing over a stored record', () => {
  it('keeps the fields of a newer version', () => {
    expect(mergeUnread(schema, { name: 'old', later: { deep: 1 } }, { name: 'new' })).toEqual({
      name: 'new',
      later: { deep: 1 },
    });
  });

  it('keeps what it could not read, until that is changed', () => {
    const kept = { name: 'old', mode: 'c', credits: 'many' };
    const fallback = { credits: 0 };
    expect(mergeUnread(schema, kept, { name: 'new', credits: 0 }, fallback)).toEqual({ ...kept, name: 'new' });
    expect(mergeUnread(schema, kept, { mode: 'a', credits: 5 }, fallback)).toEqual({ mode: 'a', credits: 5 });
  });

  it('removes what was taken away', () => {
    expect(mergeUnread(schema, { name: 'old', mode: 'a' }, { mode: 'a' })).toEqual({ mode: 'a' });
  });
});
