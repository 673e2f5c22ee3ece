import { describe, expect, it, vi } from 'vitest';
import { causeOf, refusal, UserError } from '../../../src/errors/user-errors.ts';
import type { GuildSpeaker } from '../../../src/services/playback/guild-speaker.ts';
import { StoppedByMember, underWay } from '../../../src/services/queue/queue-item.ts';
import { text } from '../../../src/texts/catalog.ts';
import { failure, GENERAL, keyOf, played, result, settle, stage, utterance } from './speaker-stage.ts';

const TEN_SECONDS = result('/audio?packets=500');
const PRESS = { place: utterance('').place, textChannelId: 'chat', signal: new AbortController().signal };

const ask = (speaker: GuildSpeaker, input: string, userId = 'alice') =>
  speaker.submit(utterance(input, GENERAL, userId));

/** A press on the button below the reply to a text. */
const replay = (speaker: GuildSpeaker, itemId: string, userId = 'alice', acknowledged = Promise.resolve()) =>
  speaker.replay({ ...PRESS, itemId, userId, acknowledged, askedAtMs: performance.now() });

describe('a member’s text that is forgotten', () => {
  /** A message of hers that was read, and a text of her own, both spoken; bob is having the message spoken again. */
  async function spokenAgain() {
    const { speaker, plays, hears } = stage({ queueLimit: 9, memberQueueLimit: 9 });
    const message = utterance('secret', GENERAL, 'alice', { from: 'reading', authorId: 'alice' });
    const { submission: read } = await hears(message);
    await hears(utterance('mine'));
    const replayed = replay(speaker, read.id, 'bob');
    await settle();
    return { speaker, plays, read, replayed };
  }

  it('is not kept as another’s who is having it spoken again', async () => {
    const { speaker, plays, replayed } = await spokenAgain();
    speaker.forgetMember('alice');
    plays[2]?.answer(played);
    await replayed.delivery;
    await settle();
    expect(speaker.queue().recent).toEqual([]);
  });

  it('as a message of theirs is ended and dropped whoever asked for it, and for that reason', async () => {
    const { speaker, read, replayed } = await spokenAgain();
    const waiting = replay(speaker, read.id, 'carol');
    const asked = speaker.submit(utterance('a private thought', GENERAL, 'bob', { authorId: 'alice' }));
    const told = utterance('Alice joined', GENERAL, 'alice', { from: 'announcement', authorId: 'alice' });
    const announced = speaker.submit(told);
    const own = speaker.submit(utterance('read to me', GENERAL, 'alice', { from: 'message', authorId: 'alice' }));
    const other = speaker.submit(utterance('bob’s own', GENERAL, 'bob'));
    for (const { delivery } of [own, other]) delivery.catch(() => undefined);
    const why = new UserError(refusal('opted-out'));
    speaker.forgetAuthor('alice', why);
    await expect(announced.delivery).rejects.toMatchObject({ cause: expect.any(StoppedByMember) });
    for (const { delivery } of [replayed, waiting, asked]) {
      expect(causeOf(await delivery.catch((error: unknown) => error))).toBe(why);
    }
    await settle();
    expect(speaker.queue().recent.map(({ requested }) => requested.request.input)).toEqual(['mine']);
    const left = underWay(speaker.queue()).map(({ requested }) => requested.request.input);
    expect(left.toSorted()).toEqual(['bob’s own', 'read to me']);
  });
});

describe('what an item tells about itself', () => {
  it('its place in line and how long it takes until its turn, from what is left of those before', async () => {
    const { speaker, spoken, plays, begin } = stage({ queueLimit: 9 });
    const first = ask(speaker, 'x'.repeat(100));
    const second = ask(speaker, 'y'.repeat(100));
    const third = ask(speaker, 'z'.repeat(100));
    // 100 characters at 65 ms and the pauses around them.
    expect(first.item()).toMatchObject({ position: 0, waitMs: 0 });
    expect([second.item().waitMs, third.item().waitMs]).toEqual([6_800, 13_600]);
    await begin(GENERAL, TEN_SECONDS);
    expect(first.item()).toMatchObject({ state: 'speaking' });
    expect(second.item().waitMs).toBe(10_000);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(second.item()).toMatchObject({ state: 'waiting', position: 1, waitMs: 6_000 });
    spoken[1]?.answer(TEN_SECONDS);
    await settle();
    expect(third.item()).toMatchObject({ position: 2, waitMs: 16_000 });
    expect(speaker.queue()).toMatchObject({ current: { id: first.id } });
    plays[0]?.answer(played);
    await settle();
    expect(first.item()).toMatchObject({ state: 'done' });
  });

  it('goes from joining over synthesizing to speaking, then is done; one who follows it badly harms nobody', async () => {
    const { speaker, speaks, arrive } = stage();
    const steps: string[] = [];
    const submission = ask(speaker, 'hello');
    expect(submission.item().state).toBe('joining');
    submission.onChanged(() => {
      throw new Error('a fault in a button');
    });
    submission.onChanged(({ state }) => steps.push(state));
    await settle();
    await arrive();
    await speaks(0, 0);
    expect(steps).toEqual(['synthesizing', 'speaking', 'done']);
    expect(await submission.delivery).toMatchObject({ outcome: 'finished' });
  });

  it('is told of once for what happens together, and not for nothing', async () => {
    const { speaker, begin } = stage({ queueLimit: 9 });
    const changed = vi.fn();
    ask(speaker, 'one');
    ask(speaker, 'two');
    const stopListening = ask(speaker, 'three').onChanged(changed);
    ask(speaker, 'from bob', 'bob');
    ask(speaker, 'from carol', 'carol');
    await settle();
    expect(changed).toHaveBeenCalledOnce();
    await begin(GENERAL, TEN_SECONDS);
    changed.mockClear();
    await vi.advanceTimersByTimeAsync(5_000);
    speaker.audienceChanged();
    speaker.accessChanged();
    await settle();
    expect(changed).not.toHaveBeenCalled();
    stopListening();
    speaker.stop();
    await settle();
    expect(changed).not.toHaveBeenCalled();
  });
});

describe('skipping', () => {
  it('holds the next one up for no bill, and tells a text that was made from one that waited', async () => {
    const bill = Promise.withResolvers<void>();
    const { speaker, arrive } = stage({ billed: bill.promise });
    const [first, second, third] = [ask(speaker, 'one'), ask(speaker, 'two'), ask(speaker, 'three')];
    await arrive();
    expect(first.item()).toMatchObject({ state: 'synthesizing' });
    speaker.skip(first.id);
    speaker.skip(third.id);
    await settle();
    expect([first.item().state, second.item().state]).toEqual(['skipped', 'synthesizing']);
    bill.resolve();
    expect(causeOf(await failure(first.delivery))).toMatchObject({ words: 'one', wasWaiting: false });
    expect(causeOf(await failure(third.delivery))).toMatchObject({ words: 'three', wasWaiting: true });
  });

  it('also ends what was asked for before a stop and comes into the queue after it', () => {
    const { speaker } = stage();
    const come = (userId: string, askedAtMs: number) =>
      speaker.submit({ ...utterance(`by ${userId} at ${askedAtMs}`, GENERAL, userId), askedAtMs });
    speaker.stopWhatComes({ askedAtMs: 1_000, byUserId: 'alice', isOfAll: false });
    expect(() => come('alice', 999)).toThrow(
      expect.objectContaining({ command: 'stop', words: 'by alice at 999', byUserId: undefined, wasWaiting: false }),
    );
    come('alice', 1_000);
    come('bob', 999);
    speaker.stopWhatComes({ askedAtMs: 2_000, byUserId: 'mod', isOfAll: true });
    expect(() => come('carol', 1_500)).toThrow(expect.objectContaining({ command: 'stop', byUserId: 'mod' }));
    come('carol', 2_500);
    // A minute later none is looked up any more.
    speaker.stopWhatComes({ askedAtMs: 62_001, byUserId: 'dora', isOfAll: false });
    come('emma', 1_500);
  });
});

describe('pausing', () => {
  it('holds the session, says so, and goes on where it stopped', async () => {
    const { speaker, plays, begin } = stage();
    expect(speaker.pause()).toBe('nothing-to-pause');
    const first = ask(speaker, 'one');
    const second = ask(speaker, 'two');
    const { fake } = await begin(GENERAL, TEN_SECONDS);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(speaker.pause()).toBe('paused');
    expect(speaker.pause()).toBe('already-paused');
    expect(fake.isPaused).toBe(true);
    expect(first.item().state).toBe('paused');
    expect(speaker.queue()).toMatchObject({ isPaused: true });
    expect(second.item().waitMs).toBeUndefined();
    // Longer than a session may take that gets nothing out.
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    speaker.resume();
    speaker.resume();
    expect(speaker.isPaused).toBe(false);
    expect(fake.isPaused).toBe(false);
    expect(first.item().state).toBe('speaking');
    // The pause was no part of what was heard.
    expect(second.item().waitMs).toBe(7_000);
    plays[0]?.answer(played);
    expect(await first.delivery).toMatchObject({ outcome: 'finished' });
  });

  it('is shown of a text whose audio was still being made, which no packet follows', async () => {
    const { speaker, begin } = stage();
    const first = ask(speaker, 'one');
    const states: string[] = [];
    first.onChanged(({ state }) => states.push(state));
    speaker.pause();
    await begin(GENERAL, TEN_SECONDS);
    expect(states).toEqual(['synthesizing', 'paused']);
    speaker.resume();
    await settle();
    expect(states.slice(2)).toEqual(['speaking']);
  });

  it('survives a lost connection: the item says so, and the next one waits in the new one', async () => {
    const { speaker, plays, spoken, begin } = stage();
    const first = ask(speaker, 'one');
    const second = ask(speaker, 'two');
    const { end } = await begin();
    spoken[1]?.answer(result());
    speaker.pause();
    end({ reason: 'failed', closeCode: 4006 });
    plays[0]?.answer({ ...played, outcome: 'truncated' });
    expect(keyOf(await failure(first.delivery))).toBe('play.connection-lost');
    const { fake } = await begin();
    expect(fake.isPaused).toBe(true);
    expect(second.item().state).toBe('paused');
  });
});

describe('speaking again', () => {
  async function spokenOnce() {
    const world = stage({ queueLimit: 9 });
    const { submission: first } = await world.hears(utterance('one'), TEN_SECONDS);
    return { ...world, first };
  }

  it('comes from the sound that is there once Discord has taken the answer to the press, and costs nothing', async () => {
    const { speaker, plays, inputs, first } = await spokenOnce();
    const taken = Promise.withResolvers<void>();
    const replayed = replay(speaker, first.id, 'alice', taken.promise);
    expect(replayed.id).not.toBe(first.id);
    await settle();
    expect(plays).toHaveLength(1);
    taken.resolve();
    await settle();
    expect(plays[1]?.what).toBe('500');
    plays[1]?.answer(played);
    expect(await replayed.delivery).toMatchObject({ outcome: 'finished', speech: { creditsUsed: 0, cached: true } });
    expect((await replayed.delivery).speech.requestId).toBeUndefined();
    expect(inputs()).toEqual(['one']);
    await settle();
    // The buttons below both replies go on.
    for (const id of [first.id, replayed.id]) expect(speaker.find(id)?.id).toBe(id);
    expect(speaker.queue().recent.map(({ id }) => id)).toEqual([replayed.id]);
  });

  it('waits its turn, and a second press while it waits is refused', async () => {
    const { speaker, plays, first } = await spokenOnce();
    ask(speaker, 'two');
    const replayed = replay(speaker, first.id);
    const next = ask(speaker, 'three');
    expect(replayed.item()).toMatchObject({ state: 'waiting', position: 1 });
    // How long it takes is known, not estimated.
    expect(next.item().waitMs).toBe((replayed.item().waitMs ?? 0) + 10_000);
    expect(() => replay(speaker, first.id)).toThrow(expect.objectContaining({ text: text('refused.duplicate') }));
    replay(speaker, first.id, 'bob');
    expect(plays).toHaveLength(1);
  });

  it('is not possible of what its requester had forgotten while it was spoken, and its reply offers nothing', async () => {
    const { speaker, begin } = await spokenOnce();
    const [second, kept] = [ask(speaker, 'two'), ask(speaker, 'three', 'bob')];
    await begin();
    speaker.forgetMember('alice');
    expect(await second.delivery).toMatchObject({ outcome: 'stopped', isNotKept: true });
    await begin();
    speaker.skip();
    expect((await kept.delivery).isNotKept).toBe(false);
    await settle();
    expect(speaker.queue().recent.map(({ requested }) => requested.request.input)).toEqual(['three']);
  });
});
