import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { refusal } from '../../../src/errors/refusals.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import type { Submission } from '../../../src/services/playback/guild-speaker-types.ts';
import {
  createUnspokenKeeper,
  type KeptOrigin,
  type KeptWords,
} from '../../../src/services/playback/unspoken-keeper.ts';
import { createUnspokenTexts, WORDS_KEPT_MS } from '../../../src/services/queue/unspoken-texts.ts';
import { openUnspokenFile } from '../../../src/services/storage/unspoken-file.ts';
import { createValueCipher } from '../../../src/services/storage/value-cipher.ts';
import { cacheSecret } from '../../../src/services/synthesis/cache-key.ts';
import { GENERAL, MUSIC, played, result, settle, stage, utterance } from './speaker-stage.ts';

const REPLY = { applicationId: 'app', interactionId: '1', token: 'token', locale: 'en-US' };

function open(keeps: 'texts' | 'origins' | 'nothing' = 'texts', billed?: Promise<void>) {
  const scene = stage({ ...(billed && { billed }) });
  const rules = { keeps };
  const texts = createUnspokenTexts<KeptWords, KeptOrigin>({
    database: openUnspokenFile(':memory:'),
    seal: createValueCipher(cacheSecret({ service: 'service', apiKey: 'key' })),
    log: pino({ level: 'silent' }),
  });
  const keeper = createUnspokenKeeper({ texts, keeps: () => rules.keeps });
  const say = (words: string, reply = true, userId = 'alice') => {
    const submission: Submission = scene.speaker.submit(utterance(words, GENERAL, userId));
    const kept = keeper.keep(submission, {
      words: { request: submission.item().request },
      origin: { kind: 'say', guildId: 'guild', userId, channelId: GENERAL, ...(reply && { reply: REPLY }) },
      locateReply: async () => 'message',
    });
    return { submission, kept };
  };
  return { scene, rules, texts, keeper, say };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('an accepted text', () => {
  it('is kept with how much of it was heard, and where the bot was moved to', async () => {
    const { scene, texts, say } = open();
    say('One');
    say('Two');
    const present = await scene.begin();
    await vi.advanceTimersByTimeAsync(1_600);
    expect(texts.all()).toMatchObject([
      { state: 'speaking', words: { request: { input: 'One' } } },
      { state: 'waiting', heardMs: 0, position: 1, words: { request: { input: 'Two' } } },
    ]);
    expect(texts.all()[0]?.heardMs).toBeGreaterThanOrEqual(1_000);
    present.move(MUSIC);
    await settle();
    expect(texts.all().map(({ origin }) => origin.channelId)).toEqual([MUSIC, MUSIC]);
  });

  it('is written where its state or place in the queue changed, and not at every step on the way', async () => {
    const { scene, texts, say } = open();
    const progress = vi.spyOn(texts, 'progress');
    say('One');
    await scene.begin();
    expect(progress.mock.calls.map(([, { state, position }]) => [state, position])).toEqual([
      ['preparing', 0],
      ['speaking', 0],
    ]);
  });

  it('is deleted when it was spoken, and what its reply needs once that is told', async () => {
    const { scene, texts, keeper, say } = open();
    const { kept } = say('One');
    await scene.begin();
    scene.plays[0]?.answer(played);
    await settle();
    expect(keeper.left()).toEqual([]);
    expect(texts.all()).toMatchObject([{ state: 'spoken', words: undefined, origin: { reply: REPLY } }]);
    kept?.told();
    expect(texts.all()).toEqual([]);

    const another = say('Without a reply', false);
    await scene.begin();
    scene.plays[1]?.answer(played);
    await another.submission.delivery;
    await settle();
    expect(texts.all()).toEqual([]);
  });

  it('is deleted when it is skipped or stopped', async () => {
    const { scene, texts, say } = open();
    for (const words of ['One', 'Two', 'Three']) say(words);
    await scene.begin();
    scene.speaker.stop();
    await settle();
    expect(texts.all().map(({ words }) => words)).toEqual([undefined, undefined, undefined]);
  });

  it('that is skipped does not come back, though its bill is still awaited', async () => {
    const { scene, texts, say } = open('texts', new Promise(() => undefined));
    const { submission } = say('One');
    const message = say('A message, without a reply', false);
    scene.joins[0]?.answer(scene.session(GENERAL).fake);
    await settle();
    scene.speaker.skip(submission.id);
    await settle();
    scene.speaker.skip(message.submission.id);
    await settle();
    expect(texts.all()).toMatchObject([{ state: 'failed', words: undefined, origin: { reply: REPLY } }]);
  });

  it('stays when the bot is stopped, and comes back', async () => {
    const { scene, texts, say } = open();
    const said = ['One', 'Two'].map((words) => say(words));
    await scene.begin();
    void scene.speaker.close(refusal('stopping'));
    await settle();
    for (const { kept } of said) {
      expect(kept?.comesBack).toBe(true);
      kept?.told();
    }
    expect(texts.all()).toMatchObject([{ words: { request: { input: 'One' } } }, { words: { request: {} } }]);
  });

  it('loses its words after ten minutes, while its reply is still to be found', async () => {
    const { texts, say } = open();
    const { submission, kept } = say('One');
    submission.delivery.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(WORDS_KEPT_MS);
    expect(texts.all()).toMatchObject([{ words: undefined, origin: { reply: { messageId: 'message' } } }]);
    expect(kept?.comesBack).toBe(false);
  });

  it('is kept no longer than the admins allow, and not at all where they do not', async () => {
    const { rules, texts, keeper, say } = open();
    say('One');
    rules.keeps = 'nothing';
    keeper.rulesChanged('guild');
    expect(texts.all()).toEqual([]);
    expect(say('Two').kept).toBeUndefined();
    expect(texts.all()).toEqual([]);
  });

  it('gets an answer, where admins do not want it back: of it, only where it was asked for is kept', async () => {
    const { rules, scene, texts, keeper, say } = open();
    const before = say('One');
    say('Without a reply', false, 'bob');
    rules.keeps = 'origins';
    keeper.rulesChanged('guild');
    const since = say('Two');
    expect(say('Without a reply either', false, 'carol').kept).toBeUndefined();
    const left = [
      { words: undefined, origin: { reply: REPLY } },
      { words: undefined, origin: { reply: REPLY } },
    ];
    expect(texts.all()).toMatchObject(left);
    void scene.speaker.close(refusal('stopping'));
    await settle();
    for (const { kept } of [before, since]) {
      expect(kept?.comesBack).toBe(false);
      kept?.told();
    }
    expect(texts.all()).toEqual([]);
  });

  it('is forgotten with its member', async () => {
    const { scene, texts, keeper, say } = open();
    say('Hers');
    say('His', true, 'bob');
    void scene.speaker.close(refusal('stopping'));
    await settle();
    expect([keeper.countOf('alice'), keeper.countOf('bob')]).toEqual([1, 1]);
    keeper.forgetMember('alice');
    expect(texts.all().map(({ origin }) => origin.userId)).toEqual(['bob']);
  });
});

it('a text that comes back goes on where it was, by the same id', async () => {
  const { scene } = open();
  const { id } = scene.speaker.submit({ ...utterance('One'), id: 'kept', heardMs: 2_010 });
  expect(id).toBe('kept');
  await scene.begin(GENERAL, result('/audio?packets=150'));
  expect(scene.plays[0]?.fromPacket).toBe(100);
  expect(() => scene.speaker.submit(utterance('Another', 'nowhere'))).toThrow(UserError);
});

it('where a file was asked for is kept, without words, until its requester was told, unless nothing is', () => {
  const { texts, keeper, rules } = open();
  const origin = { kind: 'file', guildId: 'guild', userId: 'alice', channelId: 'chat', reply: REPLY } as const;
  const kept = keeper.keepReply(origin);
  expect(texts.all()).toMatchObject([{ state: 'waiting', words: undefined, origin }]);
  expect(createUnspokenKeeper({ texts, keeps: () => 'texts' }).left()).toHaveLength(1);
  expect(keeper.left()).toEqual([]);
  for (const { id } of texts.all()) expect(keeper.stillLeft(id)).toBeUndefined();
  expect(keeper.countOf('alice')).toBe(0);
  kept?.over();
  // It is in the moderation log already.
  expect(texts.all()).toMatchObject([{ state: 'failed', origin }]);
  kept?.told();
  expect(texts.all()).toEqual([]);
  keeper.keepReply(origin);
  keeper.forgetMember('alice');
  expect(texts.all()).toEqual([]);
  rules.keeps = 'nothing';
  expect(keeper.keepReply(origin)).toBeUndefined();
  expect(texts.all()).toEqual([]);
});
