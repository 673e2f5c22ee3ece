import { expect, it } from 'vitest';
import { refusal } from '../../../src/errors/refusals.ts';
import { type ComebackFacts, decideComeback, type KeptText } from '../../../src/services/playback/unspoken.ts';
import type { RecalledPurchase } from '../../../src/services/synthesis/purchases.ts';
import { text } from '../../../src/texts/catalog.ts';
import { orderOf, requestedOf } from '../queue/items.ts';

const KEPT: KeptText = {
  id: 'one',
  acceptedAtMs: 1_000,
  state: 'waiting',
  comebacks: 0,
  words: { order: orderOf(), requested: requestedOf() },
  origin: { kind: 'say', guildId: '1', userId: '2', channelId: '3' },
};
const REPLAY: KeptText = { ...KEPT, origin: { ...KEPT.origin, kind: 'replay' } };
const FACTS: ComebackFacts = {
  isServerThere: true,
  obstacle: undefined,
  listeners: 1,
  isFree: false,
  sound: [{ kind: 'to-buy' }],
};
const AT_HAND = { kind: 'at-hand' } as const;
const url = new URL('https://audio.example.com');
const paid = (credits: number, atMs: number) =>
  ({ kind: 'at-hand', paid: { kind: 'paid', url, credits, atMs } }) as const;

const why = (kept: Partial<KeptText>, facts: Partial<ComebackFacts> = {}) => {
  const decided = decideComeback({ ...KEPT, ...kept }, { ...FACTS, ...facts });
  return decided.kind === 'speak' ? 'speak' : decided.why.key;
};

it.each([
  ['that waited', {}, {}],
  ['whose sound is there', {}, { sound: [AT_HAND, AT_HAND] }],
  ['that has come back once', { comebacks: 1 }, {}],
  ['that may have been made before, with a free voice', {}, { isFree: true, sound: [{ kind: 'maybe-billed' }] }],
  ['that was heard a short while ago, from its sound', REPLAY, { sound: [AT_HAND] }],
] as const)('a text %s is spoken', (_, kept, facts) => {
  expect(why(kept, facts)).toBe('speak');
});

it.each([
  ['was spoken', 'resumed.spoken', { state: 'spoken', words: undefined }, {}],
  ['had failed', 'resumed.failed', { state: 'failed', words: undefined }, {}],
  ['is older than its words are kept', 'resumed.too-late', { words: undefined }, {}],
  ['is of a server without the bot', 'play.server-left', {}, { isServerThere: false }],
  ['has come back twice in vain', 'resumed.not-spoken', { comebacks: 2 }, {}],
  ['has no listeners any more', 'resumed.nobody', {}, { listeners: 0 }],
  [
    'has no channel any more',
    'play.channel-gone',
    {},
    { obstacle: refusal('channel-gone', { heard: 'nothing' }), listeners: 0 },
  ],
  ['may be billed already', 'resumed.maybe-billed', {}, { sound: [AT_HAND, { kind: 'maybe-billed' }] }],
  ['was heard in part', 'resumed.not-spoken', { state: 'started' }, { sound: [AT_HAND], isFree: true }],
  ['was to cost nothing', 'resumed.not-spoken', REPLAY, {}],
] as const)('a text that %s is told of', (_, key, kept, facts) => {
  expect(why(kept as Partial<KeptText>, facts)).toBe(key);
});

it.each([
  ['which costs, may be billed', 'unknown', KEPT, {}],
  ['which is free, is not', 'none', KEPT, { isFree: true }],
  ['which was spoken again, is not', 'none', REPLAY, {}],
] as const)('a text without its words, %s', (_, kind, kept, facts) => {
  const decided = decideComeback({ ...kept, state: 'failed', words: undefined }, { ...FACTS, ...facts });
  expect(decided).toMatchObject({ cost: { kind } });
});

it('of a file that was being made it is told that it may be billed', () => {
  const asked = { ...KEPT, words: undefined, origin: { ...KEPT.origin, kind: 'file' } } as const;
  const decided = decideComeback(asked, FACTS);
  expect(decided).toMatchObject({ why: text('resumed.file'), cost: { kind: 'unknown' }, mayTryAgain: false });
  expect(decideComeback(asked, { ...FACTS, isFree: true })).toMatchObject({ cost: { kind: 'none' } });
});

it.each<[string, readonly RecalledPurchase[], object]>([
  ['what may be billed', [{ kind: 'maybe-billed' }], { kind: 'unknown' }],
  ['what was paid, and may be billed', [paid(7, 1_500), { kind: 'maybe-billed' }], { credits: 7, mayBeMore: true }],
  ['what was paid, and nothing older', [paid(7, 1_500), AT_HAND, paid(5, 900)], { kind: 'used', credits: 7 }],
  ['nothing where nothing was paid', [{ kind: 'to-buy' }], { kind: 'none' }],
])('a text that nobody listens to costs %s', (_, sound, cost) => {
  expect(decideComeback(KEPT, { ...FACTS, listeners: 0, sound })).toMatchObject({ cost });
});
