import { describe, expect, it, vi } from 'vitest';
import { refusal } from '../../../src/errors/user-errors.ts';
import type { Submission } from '../../../src/services/playback/speaker-queue.ts';
import {
  type AcceptedText,
  type ComebackFacts,
  createUnspokenKeeper,
  decideComeback,
  type KeptText,
  type KeptWords,
  WORDS_KEPT_MS,
} from '../../../src/services/playback/unspoken.ts';
import type { RecalledPurchase } from '../../../src/services/synthesis/sound-store.ts';
import { orderOf, requestedOf } from '../queue/items.ts';
import { createMemoryRows } from '../storage/memory-rows.ts';
import { GENERAL, MUSIC, settle, stage, utterance } from './speaker-stage.ts';

const CHAT = { textChannelId: 'chat' };
const REPLY = { applicationId: 'app', interactionId: '1', token: 'token', locale: 'en-US' };

function open(isKept = true, billed?: Promise<void>) {
  const scene = stage({ ...(billed && { billed }) });
  const rows = { texts: createMemoryRows<AcceptedText>(), words: createMemoryRows<KeptWords>(WORDS_KEPT_MS) };
  const keeper = createUnspokenKeeper({ ...rows, isKept });
  const all = () => rows.texts.entries().map(([key, { value }]) => ({ ...value, words: rows.words.get(key)?.value }));
  const say = (words: string, reply = true, userId = 'alice') => {
    const submission: Submission = scene.speaker.submit(utterance(words, GENERAL, userId));
    const kept = keeper.keep(submission, {
      words: { order: submission.item().order, requested: submission.item().requested },
      origin: { kind: 'say', guildId: 'guild', userId, channelId: GENERAL, ...CHAT, ...(reply && { reply: REPLY }) },
    });
    return { submission, kept };
  };
  return { scene, rows, all, keeper, say };
}

describe('an accepted text', () => {
  it('is kept with whether some of it was heard, and where the bot was moved to', async () => {
    const { scene, all, say } = open();
    say('One');
    say('Two');
    const states = () => all().map(({ state, words }) => `${words?.requested.request.input} ${state}`);
    expect(states()).toEqual(['One waiting', 'Two waiting']);
    const present = await scene.begin();
    expect(states()).toEqual(['One started', 'Two waiting']);
    present.move(MUSIC);
    await settle();
    expect(all().map(({ origin }) => origin.channelId)).toEqual([MUSIC, MUSIC]);
  });

  it('is deleted when it was spoken, and what its reply needs once that is told', async () => {
    const { scene, all, keeper, say } = open();
    const { kept } = say('One');
    await scene.arrive();
    await scene.speaks(0, 0);
    expect(keeper.left()).toEqual([]);
    expect(all()).toMatchObject([{ state: 'spoken', words: undefined, origin: { reply: REPLY } }]);
    kept?.told();
    expect(all()).toEqual([]);

    say('Without a reply', false);
    await scene.speaks(1, 1);
    expect(all()).toEqual([]);
  });

  it('that is skipped does not come back, though its bill is still awaited', async () => {
    const { scene, all, say } = open(true, new Promise(() => undefined));
    const { submission } = say('One');
    const message = say('A message, without a reply', false);
    await scene.arrive();
    scene.speaker.skip(submission.id);
    await settle();
    scene.speaker.skip(message.submission.id);
    await settle();
    expect(all()).toMatchObject([{ state: 'failed', words: undefined, origin: { reply: REPLY } }]);
  });

  it('stays when the bot is stopped, and comes back', async () => {
    const { scene, all, say } = open();
    const said = ['One', 'Two'].map((words) => say(words));
    await scene.begin();
    void scene.speaker.close(refusal('stopping'));
    await settle();
    for (const { kept } of said) {
      expect(kept?.comesBack).toBe(true);
      kept?.told();
    }
    expect(all().map(({ words }) => words?.requested.request.input)).toEqual(['One', 'Two']);
  });

  it('loses its words after ten minutes', async () => {
    const { all, say } = open();
    const { submission, kept } = say('One');
    submission.delivery.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(WORDS_KEPT_MS);
    expect(all()).toMatchObject([{ words: undefined, origin: { reply: REPLY } }]);
    expect(kept?.comesBack).toBe(false);
  });

  it('is not kept where it is not to come back', () => {
    const { all, say } = open(false);
    expect(say('One').kept).toBeUndefined();
    expect(all()).toEqual([]);
  });

  it('is forgotten with its member', async () => {
    const { scene, all, keeper, say } = open();
    say('Hers');
    say('His', true, 'bob');
    void scene.speaker.close(refusal('stopping'));
    await settle();
    expect([keeper.countOf('alice'), keeper.countOf('bob')]).toEqual([1, 1]);
    void keeper.forgetMember('alice');
    expect(all().map(({ origin }) => origin.userId)).toEqual(['bob']);
  });
});

it('what was left is looked after in the order in which it was accepted, what had begun first', async () => {
  const { scene, rows, keeper, say } = open();
  for (const words of ['One', 'Two', 'Three']) say(words, true, words);
  await scene.begin();
  scene.speaker.skip();
  await settle();
  void scene.speaker.close(refusal('stopping'));
  await settle();
  const next = createUnspokenKeeper({ ...rows, isKept: true });
  const left = next.left().map(({ words, state }) => words?.requested.request.input ?? state);
  expect(left).toEqual(['spoken', 'Two', 'Three']);
  expect(keeper.left()).toEqual([]);
});

it('where a file was asked for is kept, without words, until its requester was told, unless nothing is', () => {
  const { rows, all, keeper } = open();
  const origin = { kind: 'file', guildId: 'guild', userId: 'alice', channelId: 'chat', ...CHAT, reply: REPLY } as const;
  const kept = keeper.keepReply(origin);
  expect(all()).toMatchObject([{ state: 'waiting', words: undefined, origin }]);
  expect(createUnspokenKeeper({ ...rows, isKept: true }).left()).toHaveLength(1);
  expect(keeper.left()).toEqual([]);
  kept?.over();
  // It is in the moderation log already.
  expect(all()).toMatchObject([{ state: 'failed', origin }]);
  kept?.told();
  expect(all()).toEqual([]);
  expect(open(false).keeper.keepReply(origin)).toBeUndefined();
});

const KEPT: KeptText = {
  id: 'one',
  acceptedAtMs: 1_000,
  state: 'waiting',
  comebacks: 0,
  words: { order: orderOf(), requested: requestedOf() },
  origin: { kind: 'say', guildId: '1', userId: '2', channelId: '3', ...CHAT },
};
const REPLAY: KeptText = { ...KEPT, origin: { ...KEPT.origin, kind: 'replay' } };
const FACTS: ComebackFacts = {
  isServerThere: true,
  obstacle: undefined,
  listeners: 1,
  isFree: false,
  sound: [{ kind: 'to-buy' }],
};
const CHANNEL_GONE = refusal('channel-gone', { heard: 'nothing' });
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
  ['has no channel any more', 'play.channel-gone', {}, { obstacle: CHANNEL_GONE, listeners: 0 }],
  ['may be billed already', 'resumed.maybe-billed', {}, { sound: [AT_HAND, { kind: 'maybe-billed' }] }],
  ['was heard in part', 'resumed.not-spoken', { state: 'started' }, { sound: [AT_HAND], isFree: true }],
  ['was to cost nothing', 'resumed.not-spoken', REPLAY, {}],
] as const)('a text that %s is told of', (_, key, kept, facts) => {
  expect(why(kept as Partial<KeptText>, facts)).toBe(key);
});

const FILE: KeptText = { ...KEPT, origin: { ...KEPT.origin, kind: 'file' } };

it.each([
  ['a text, which costs, may be billed', 'resumed.too-late', 'unknown', KEPT, {}],
  ['a text, which is free, is not billed', 'resumed.too-late', 'none', KEPT, { isFree: true }],
  ['a text, which was spoken again, is not billed', 'resumed.too-late', 'none', REPLAY, {}],
  ['a file that was being made may be billed', 'resumed.file', 'unknown', FILE, {}],
  ['a file that was being made, which is free, is not billed', 'resumed.file', 'none', FILE, { isFree: true }],
] as const)('without its words, %s', (_, key, kind, kept, facts) => {
  const decided = decideComeback({ ...kept, words: undefined }, { ...FACTS, ...facts });
  expect(decided).toMatchObject({ why: { key }, cost: { kind }, mayTryAgain: false });
});

it.each<[string, readonly RecalledPurchase[], object]>([
  ['what may be billed', [{ kind: 'maybe-billed' }], { kind: 'unknown' }],
  ['what was paid, and may be billed', [paid(7, 1_500), { kind: 'maybe-billed' }], { credits: 7, mayBeMore: true }],
  ['what was paid, and nothing older', [paid(7, 1_500), AT_HAND, paid(5, 900)], { kind: 'used', credits: 7 }],
  ['nothing where nothing was paid', [{ kind: 'to-buy' }], { kind: 'none' }],
])('a text that nobody listens to costs %s', (_, sound, cost) => {
  expect(decideComeback(KEPT, { ...FACTS, listeners: 0, sound })).toMatchObject({ cost });
});
