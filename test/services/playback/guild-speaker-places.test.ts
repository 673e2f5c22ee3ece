import { describe, expect, it, vi } from 'vitest';
import { refusal, UserError } from '../../../src/errors/user-errors.ts';
import type { VoicePlace } from '../../../src/services/presence/channel-presence.ts';
import { text } from '../../../src/texts/catalog.ts';
import { placeAt } from '../presence/place.ts';
import { failure, GENERAL, keyOf, MUSIC, played, settle, stage, utterance } from './speaker-stage.ts';

const MUTED = refusal('server-muted');

it('following turns round on its way to a channel that everybody has left', async () => {
  const { speaker, joins, listeners, speaks, arrive } = stage();
  const first = speaker.submit(utterance('one'));
  let joinsWhenGivenUp = 0;
  joins[0]?.signal.addEventListener('abort', () => {
    joinsWhenGivenUp = joins.length;
  });
  listeners[GENERAL] = 0;
  const second = speaker.submit(utterance('two', MUSIC));
  await settle();
  expect(joins[0]?.signal.aborted).toBe(true);
  // The other way round it would have left first, and Discord ignores who comes right after that.
  expect(joinsWhenGivenUp).toBe(2);
  await arrive(MUSIC);
  for (const index of [0, 1]) await speaks(index, index);
  expect([(await first.delivery).channelId, (await second.delivery).channelId]).toEqual([MUSIC, MUSIC]);
});

describe('joining without speaking', () => {
  it('a text that ends meanwhile does not end the join', async () => {
    const { speaker, spoken, joins, arrive } = stage();
    const joining = speaker.join(placeAt(GENERAL));
    const { delivery } = speaker.submit(utterance('one'));
    spoken[0]?.fail(new Error('no voice'));
    await failure(delivery);
    await settle();
    expect(joins[0]?.signal.aborted).toBe(false);
    await arrive();
    await joining;
    expect(joins).toHaveLength(1);
  });

  it('given up by its asker, it ends', async () => {
    const { speaker, joins } = stage();
    const asker = new AbortController();
    const joining = speaker.join(placeAt(GENERAL), { userId: 'alice', signal: asker.signal });
    asker.abort(new Error('lost'));
    await expect(joining).rejects.toThrow('lost');
    await settle();
    expect(joins[0]?.signal.aborted).toBe(true);
    expect(speaker.channelId).toBeUndefined();
  });

  /** On a stage, where it waits for an invitation. */
  async function waitingForTheFloor() {
    const world = stage();
    const place = { ...placeAt(GENERAL), takeTheFloor: () => new Promise<void>(() => undefined) };
    const joining = world.speaker.join(place);
    return { ...world, joining, ...(await world.begin()) };
  }

  const reason = refusal('stopping');
  const GIVEN_UP = { name: 'VoiceJoinError', kind: 'aborted' };
  it.each<[string, (world: Awaited<ReturnType<typeof waitingForTheFloor>>) => unknown, object]>([
    ['kicked', ({ end }) => end({ reason: 'kicked' }), { text: { key: 'play.kicked' } }],
    ['its connection lost', ({ end }) => end({ reason: 'failed' }), { text: { key: 'play.connection-lost' } }],
    ['draining', ({ speaker }) => speaker.drain(reason, new AbortController().signal), { text: reason }],
    ['closing', ({ speaker }) => speaker.close(reason), { text: reason }],
    ['told to leave', ({ speaker }) => speaker.leave(), GIVEN_UP],
  ])('%s while it waits to be invited on stage, it says so, and is gone', async (_, happens, why) => {
    const world = await waitingForTheFloor();
    const told = expect(world.joining).rejects.toMatchObject(why);
    await happens(world);
    await told;
    await settle();
    expect([world.speaker.channelId, world.fake.state.status]).toEqual([undefined, 'closed']);
  });

  it('sent elsewhere while it waits to be invited on stage, it gives up that join', async () => {
    const { speaker, joining, listeners, begin } = await waitingForTheFloor();
    const givenUp = expect(joining).rejects.toMatchObject(GIVEN_UP);
    listeners[GENERAL] = 0;
    const over = speaker.join(placeAt(MUSIC));
    await begin(MUSIC);
    await over;
    await givenUp;
  });
});

describe('what takes its voice', () => {
  const notInvited = (channel: string) => new UserError(text('stage.not-invited', { channel }));
  const utteranceAt = (place: Partial<VoicePlace>) => ({
    ...utterance('one'),
    place: { ...placeAt(GENERAL), ...place },
  });

  it('a permission taken while a text waits is told in its words, before joining and before spending', async () => {
    const { speaker, joins, inputs, obstacles } = stage();
    obstacles[GENERAL] = MUTED;
    const error = await failure(speaker.submit(utterance('one')).delivery);
    expect([keyOf(error), error.cost]).toEqual(['refused.muted', { kind: 'none' }]);
    expect([joins.length, inputs().length]).toEqual([0, 0]);
  });

  it('taken while the speech is made, it is told before speaking, with what that cost', async () => {
    const { speaker, obstacles, plays, begin } = stage();
    const { delivery } = speaker.submit(utterance('one'));
    obstacles[GENERAL] = MUTED;
    await begin();
    const error = await failure(delivery);
    expect([keyOf(error), error.cost.kind]).toEqual(['refused.muted', 'used']);
    expect(plays).toEqual([]);
  });

  it('dragged to a stage while it speaks, it takes the floor; where it gets none, the caller is told', async () => {
    const { speaker, left, begin } = stage();
    const floor = Promise.withResolvers<void>();
    let isInAudience = false;
    const takeTheFloor = vi.fn(() => (isInAudience ? floor.promise : undefined));
    const submission = speaker.submit(utteranceAt({ takeTheFloor }));
    const { move, fake } = await begin();
    const holdUntil = vi.spyOn(fake, 'holdUntil');
    expect(submission.item().state).toBe('speaking');
    isInAudience = true;
    move(MUSIC);
    expect(holdUntil).toHaveBeenCalledOnce();
    floor.reject(notInvited(MUSIC));
    const error = await failure(submission.delivery);
    expect([keyOf(error), error.cost.kind]).toEqual(['stage.not-invited', 'used']);
    expect([left, speaker.channelId]).toEqual([[], MUSIC]);
  });

  it.each([
    ['while', true],
    ['before', false],
  ])('dragged to a stage %s it speaks, and off it with its hand up, it speaks', async (_, isSpeaking) => {
    const { speaker, plays, begin } = stage();
    const floor = Promise.withResolvers<void>();
    let isInAudience = !isSpeaking;
    const signals: AbortSignal[] = [];
    const takeTheFloor = (signal: AbortSignal) => {
      if (!isInAudience) return undefined;
      signals.push(signal);
      return floor.promise;
    };
    const { delivery } = speaker.submit(utteranceAt({ takeTheFloor }));
    const { fake, move } = await begin();
    isInAudience = true;
    move(MUSIC);
    isInAudience = false;
    move(GENERAL);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    floor.reject(notInvited(MUSIC));
    await settle();
    expect(plays).toHaveLength(1);
    plays[0]?.answer(played);
    expect(await delivery).toMatchObject({ outcome: 'finished', channelId: GENERAL });
    expect(fake.leave).not.toHaveBeenCalled();
  });

  it('out to join again with its hand up, it is told of the floor it asks for when it is back', async () => {
    const { speaker, begin } = stage();
    const floors: PromiseWithResolvers<void>[] = [];
    const takeTheFloor = () => {
      const floor = Promise.withResolvers<void>();
      floors.push(floor);
      return floor.promise;
    };
    const { delivery } = speaker.submit(utteranceAt({ takeTheFloor }));
    const { fake, endStay, move } = await begin();
    endStay();
    for (const floor of floors.splice(0)) floor.reject(notInvited('before'));
    await settle();
    expect(fake.leave).not.toHaveBeenCalled();
    move(GENERAL);
    await settle();
    for (const floor of floors) floor.reject(notInvited('after'));
    const error = await failure(delivery);
    expect(error.cause).toMatchObject({ text: { key: 'stage.not-invited', values: { channel: 'after' } } });
  });
});

describe('leaving', () => {
  async function resting() {
    const world = stage();
    const present = await world.hears(utterance('one', GENERAL, 'alice', { textChannelId: 'chat' }));
    return { ...world, ...present };
  }

  it.each([
    ['nobody-listening', 1_000],
    ['idle', 10_000],
  ])('says why, where it was last used from: %s', async (reason, afterMs) => {
    const { speaker, left, listeners } = await resting();
    if (reason === 'nobody-listening') listeners[GENERAL] = 0;
    speaker.audienceChanged();
    await vi.advanceTimersByTimeAsync(afterMs - 1);
    expect(left).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(left).toEqual([{ guildId: 'guild', voiceChannelId: GENERAL, textChannelId: 'chat', reason }]);
    expect(speaker.channelId).toBeUndefined();
  });

  it.each([
    ['kicked', { reason: 'kicked', closeCode: 4014 }, { [GENERAL]: 1 }],
    ['channel-gone', { reason: 'kicked', closeCode: 4014 }, {}],
    ['connection-lost', { reason: 'failed', closeCode: 4006 }, { [GENERAL]: 1 }],
  ] as const)('%s, after %j in %j', async (reason, end, channels) => {
    const world = await resting();
    if (!(GENERAL in channels)) delete world.listeners[GENERAL];
    world.end(end);
    await settle();
    expect(world.left).toMatchObject([{ reason, voiceChannelId: GENERAL }]);
  });

  it('closing, and not why it left the time before', async () => {
    const { speaker, left, arrive } = await resting();
    await speaker.leave();
    const joining = speaker.join(placeAt(GENERAL));
    const again = await arrive();
    await joining;
    again.end({ reason: 'left' });
    await settle();
    expect(left.map(({ reason }) => reason)).toEqual(['asked', 'closing']);
  });
});
