import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createUnspokenTexts, ORIGIN_KEPT_MS, WORDS_KEPT_MS } from '../../../src/services/queue/unspoken-texts.ts';
import { openUnspokenFile } from '../../../src/services/storage/unspoken-file.ts';
import { createValueCipher } from '../../../src/services/storage/value-cipher.ts';
import { cacheSecret } from '../../../src/services/synthesis/cache-key.ts';
import { createPurchaseJournal } from '../../../src/services/synthesis/purchase-journal.ts';

const log = pino({ level: 'silent' });
const SCOPE = { service: 'https://speech.example.com', apiKey: 'key' };

interface Words {
  readonly input: string;
}
interface Origin {
  readonly userId: string;
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'crier-unspoken-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function opened(path: string, { apiKey = SCOPE.apiKey, now = Date.now } = {}) {
  const database = openUnspokenFile(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  const seal = createValueCipher(cacheSecret({ ...SCOPE, apiKey }));
  return {
    database,
    texts: createUnspokenTexts<Words, Origin>({ database, seal, log, now }),
    journal: createPurchaseJournal({ database, seal, log, now }),
  };
}

const HERS = { id: 'one', words: { input: 'A secret of hers' }, origin: { userId: 'alice' } };
const HIS = { id: 'two', words: { input: 'Another of his' }, origin: { userId: 'bob' } };

it('gives back what another process left, in order, with how much of it was heard', () => {
  const path = join(folder(), 'unspoken.sqlite');
  const before = opened(path);
  before.texts.keep(HIS);
  before.texts.keep(HERS);
  before.texts.progress('one', { state: 'speaking', heardMs: 1_480.7, position: 0 });
  before.texts.progress('two', { state: 'waiting', heardMs: 0, position: 1 });
  before.texts.move('two', { userId: 'carol' });
  before.texts.cameBack('two');
  // The process ends without closing anything.
  expect(opened(path).texts.all()).toMatchObject([
    { ...HERS, state: 'speaking', heardMs: 1_481, comebacks: 0 },
    { ...HIS, origin: { userId: 'carol' }, state: 'waiting', heardMs: 0, comebacks: 1 },
  ]);
});

it('is unreadable without the key of the cache, and forgets what another key sealed', () => {
  const path = join(folder(), 'unspoken.sqlite');
  const { database, texts, journal } = opened(path);
  texts.keep(HERS);
  journal.paid('sound', { url: new URL('https://audio.example.com/signed'), credits: 7 });
  const bytes = () => ['', '-wal'].map((suffix) => readFileSync(`${path}${suffix}`, 'latin1')).join('');
  for (const secret of ['secret', 'alice', 'signed']) expect(bytes()).not.toContain(secret);
  database.close();
  expect(opened(path, { apiKey: 'another' }).texts.all()).toEqual([]);
  expect(opened(path).texts.all()).toEqual([]);
});

it('keeps words for ten minutes, where they were asked for until it is over, and nothing longer than a day', () => {
  const path = join(folder(), 'unspoken.sqlite');
  let nowMs = Date.now();
  const { texts } = opened(path, { now: () => nowMs });
  texts.keep(HERS);
  nowMs += WORDS_KEPT_MS - 1;
  expect(texts.all()).toMatchObject([HERS]);
  nowMs += 1;
  expect(texts.all()).toMatchObject([{ id: 'one', origin: HERS.origin, words: undefined }]);
  nowMs += 24 * 60 * 60_000;
  expect(texts.all()).toEqual([]);
});

it('deletes the words of what was spoken, and the rest once it has been told', () => {
  const { texts, database } = opened(join(folder(), 'unspoken.sqlite'));
  texts.keep(HERS);
  texts.dropWords('one', 'spoken');
  expect(texts.all()).toMatchObject([{ state: 'spoken', words: undefined, origin: HERS.origin }]);
  texts.delete('one');
  expect(texts.all()).toEqual([]);
  database.close();
  // A disk that fails costs no speech.
  expect(() => texts.keep(HIS)).not.toThrow();
  expect(texts.all()).toEqual([]);
});

it('makes a damaged file anew', () => {
  const path = join(folder(), 'unspoken.sqlite');
  writeFileSync(path, 'rubbish '.repeat(999));
  const { texts } = opened(path);
  texts.keep(HERS);
  expect(texts.all()).toMatchObject([HERS]);
});

it('knows what an earlier process sent, and what it paid for', () => {
  const path = join(folder(), 'unspoken.sqlite');
  const url = new URL('https://audio.example.com/1');
  let nowMs = Date.now();
  const first = opened(path, { now: () => nowMs }).journal;
  expect(first.earlier.size).toBe(0);
  first.sent('refused');
  first.unbilled('refused');
  first.sent('lost');
  first.sent('bought');
  first.paid('bought', { url, credits: 7 });
  const { earlier } = opened(path).journal;
  expect([...earlier]).toEqual([
    ['bought', { kind: 'paid', url, credits: 7, atMs: nowMs }],
    ['lost', { kind: 'sent' }],
  ]);
  nowMs += 15 * 60_000;
  expect(opened(path, { now: () => nowMs }).journal.earlier.size).toBe(0);
});

it('gives back one alone, with its words for ten minutes', () => {
  let nowMs = 0;
  const { texts } = opened(':memory:', { now: () => nowMs });
  texts.keep(HERS);
  texts.keep(HIS);
  expect(texts.one('one')).toEqual(texts.all()[0]);
  expect(texts.one('three')).toBeUndefined();
  nowMs = WORDS_KEPT_MS;
  expect(texts.one('one')).toMatchObject({ words: undefined, origin: HERS.origin });
  nowMs = ORIGIN_KEPT_MS;
  expect(texts.one('one')).toBeUndefined();
});
