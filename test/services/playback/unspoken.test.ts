import { describe, expect, it, vi } from 'vitest';
import { refusal } from '../../../src/errors/refusals.ts';
import type { Submission } from '../../../src/services/playback/speaker-queue.ts';
import {
  type AcceptedText,
  createUnspokenKeeper,
  type KeptWords,
  WORDS_KEPT_MS,
} from '../../../src/services/playback/unspoken.ts';
import { createMemoryRows } from '../storage/memory-rows.ts';
import { GENERAL, MUSIC, played, settle, stage, utterance } from './speaker-stage.ts';

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
      origin: { kind: 'say', guildId: 'guild', userId, channelId: GENERAL, ...(reply && { reply: REPLY }) },
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
    expect(all().map(({ state }) => state)).toEqual(['waiting', 'waiting']);
    const present = await scene.begin();
    expect(all()).toMatchObject([
      { state: 'started', words: { requested: { request: { input: 'One' } } } },
      { state: 'waiting', words: { requested: { request: { input: 'Two' } } } },
    ]);
    present.move(MUSIC);
    await settle();
    expect(all().map(({ origin }) => origin.channelId)).toEqual([MUSIC, MUSIC]);
  });

  it('is deleted when it was spoken, and what its reply needs once that is told', async () => {
    const { scene, all, keeper, say } = open();
    const { kept } = say('One');
    await scene.begin();
    scene.plays[0]?.answer(played);
    await settle();
    expect(keeper.left()).toEqual([]);
    expect(all()).toMatchObject([{ state: 'spoken', words: undefined, origin: { reply: REPLY } }]);
    kept?.told();
    expect(all()).toEqual([]);

    const another = say('Without a reply', false);
    await scene.begin();
    scene.plays[1]?.answer(played);
    await another.submission.delivery;
    await settle();
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
    expect(all()).toMatchObject([
      { words: { requested: { request: { input: 'One' } } } },
      { words: { requested: {} } },
    ]);
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
  expect(next.left().map(({ words, state }) => words?.requested.request.input ?? state)).toEqual([
    'spoken',
    'Two',
    'Three',
  ]);
  expect(keeper.left()).toEqual([]);
});

it('where a file was asked for is kept, without words, until its requester was told, unless nothing is', () => {
  const { rows, all, keeper } = open();
  const origin = { kind: 'file', guildId: 'guild', userId: 'alice', channelId: 'chat', reply: REPLY } as const;
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
