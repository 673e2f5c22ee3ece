import { expect, it } from 'vitest';
import * as z from 'zod';
import { createOptOuts } from '../../../src/services/servers/admission.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

function open() {
  const { store, rows } = openMemoryStore();
  return { optOuts: createOptOuts(store), again: () => createOptOuts(store), rows };
}

it('keeps who has opted out, until they take it back, and nothing of others', async () => {
  const { optOuts, again, rows } = open();
  expect(await optOuts.has('7')).toBe(false);
  expect(await optOuts.set('7', true)).toBe(false);
  expect(await again().has('7')).toBe(true);
  expect(await optOuts.has('8')).toBe(false);
  expect(await optOuts.set('7', true)).toBe(true);
  expect(await optOuts.set('7', false)).toBe(true);
  expect(await optOuts.set('8', false)).toBe(false);
  expect(rows()).toEqual([]);
});

it('tells at once of those who opt out', async () => {
  const { optOuts } = open();
  const told: string[] = [];
  const stop = optOuts.onOptedOut((userId) => told.push(userId));
  await optOuts.set('7', true);
  await optOuts.set('7', false);
  expect(told).toEqual(['7']);
  stop();
  await optOuts.set('8', true);
  expect(told).toEqual(['7']);
});

it('tells of those who opted out in another process, and not of those who took it back there', async () => {
  const { optOuts, again } = open();
  const told: string[] = [];
  optOuts.onOptedOut((userId) => told.push(userId));
  await again().set('7', true);
  await optOuts.changedElsewhere('7');
  await again().set('7', false);
  await optOuts.changedElsewhere('7');
  await optOuts.changedElsewhere();
  expect(told).toEqual(['7']);
});

it('counts one that cannot be read as opted out: in doubt a member is not read out', async () => {
  const { store } = openMemoryStore();
  await store.table('opt-outs', z.unknown()).set('7', { since: 'yesterday' });
  const optOuts = createOptOuts(store);
  expect(await optOuts.has('7')).toBe(true);
  expect(await optOuts.set('7', false)).toBe(true);
  expect(await optOuts.has('7')).toBe(false);
});
