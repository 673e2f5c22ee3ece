import { describe, expect, it, vi } from 'vitest';
import { NoEncryptionGroupError, VoiceJoinError } from '../../../src/audio/connection/voice-session-types.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { failure, GENERAL, keyOf, MUSIC, played, result, settle, stage, utterance } from './speaker-stage.ts';

describe('speaking', () => {
  it('synthesizes the next item while one plays, not earlier and not more', async () => {
    const { say, spoken, joins, plays, inputs, begin, speaks } = stage();
    const deliveries = ['one', 'two', 'three'].map((input) => say(utterance(input)));
    expect(inputs()).toEqual(['one']);
    await begin();
    expect(plays).toHaveLength(1);
    expect(inputs()).toEqual(['one', 'two']);
    spoken[1]?.answer(result());
    await settle();
    expect(plays).toHaveLength(1);
    plays[0]?.answer(played);
    await settle();
    expect(plays).toHaveLength(2);
    expect(inputs()).toEqual(['one', 'two', 'three']);
    await speaks(2, 1);
    plays[2]?.answer(played);
    await Promise.all(deliveries);
    expect(joins).toHaveLength(1);
  });

  it('holds up those who wait for no longer than Discord takes an answer', async () => {
    const { say, begin, speaks } = stage();
    const first = failure(say({ ...utterance('hello'), acknowledged: new Promise(() => undefined) }));
    const second = say(utterance('next'));
    await begin();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(keyOf(await first)).toBe('play.unanswered');
    expect((await first).cost).toMatchObject({ kind: 'used' });
    await speaks(1, 0);
    expect(await second).toMatchObject({ outcome: 'finished' });
  });
});

describe('what goes wrong', () => {
  it('a failed join ends its item and gives up its synthesis; the queue goes on and joins again', async () => {
    const { say, spoken, joins, plays, begin } = stage();
    const first = failure(say(utterance('one')));
    const second = say(utterance('two'));
    joins[0]?.fail(new VoiceJoinError('timeout', 'no answer'));
    expect(await first).toMatchObject({ cause: { kind: 'timeout' }, cost: { kind: 'none' } });
    expect(spoken[0]?.signal.aborted).toBe(true);
    await begin();
    plays[0]?.answer(played);
    expect(await second).toMatchObject({ outcome: 'finished' });
  });

  it('a play that never ends does not block the queue: the session is given up', async () => {
    const { say, spoken, plays, begin } = stage();
    const first = failure(say(utterance('one')));
    const second = say(utterance('two'));
    const { fake } = await begin();
    spoken[1]?.answer(result());
    await vi.advanceTimersByTimeAsync(60_100);
    expect(keyOf(await first)).toBe('play.connection-lost');
    expect(fake.leave).toHaveBeenCalledOnce();
    await begin();
    plays[1]?.answer(played);
    await second;
  });
});

describe('what would be bought in vain', () => {
  it('is not bought before the first packet of the text before it has left', async () => {
    const { say, joins, plays, group, inputs, begin } = stage();
    group.admits = false;
    const first = failure(say(utterance('one')));
    const { end } = await begin();
    expect(plays).toHaveLength(1);
    const others = ['two', 'three'].map((input) => failure(say(utterance(input))));
    await settle();
    const error = new NoEncryptionGroupError();
    end({ reason: 'failed', error });
    plays[0]?.answer({ ...played, packetsSent: 0, outcome: 'truncated', error });
    const failures = await Promise.all([first, ...others]);
    expect(failures.map(keyOf)).toEqual(['play.unheard', 'play.unheard', 'play.unheard']);
    expect(failures.map(({ cost }) => cost.kind)).toEqual(['used', 'none', 'none']);
    expect(inputs()).toEqual(['one']);
    expect(joins).toHaveLength(1);
  });

  /** In the channel with nothing to say, when the connection breaks. */
  async function interrupted() {
    const world = stage();
    const present = await world.hears(utterance('before'));
    present.interrupt();
    return { ...world, ...present };
  }

  it('is not bought while Discord may be about to say that the bot was put out', async () => {
    const { say, end, inputs, joins } = await interrupted();
    const asked = failure(say(utterance('one')));
    await settle();
    expect(inputs()).toEqual(['before']);
    end({ reason: 'kicked', closeCode: 4014 });
    expect(await asked).toMatchObject({ cost: { kind: 'none' } });
    expect(keyOf(await asked)).toBe('play.kicked');
    expect(inputs()).toEqual(['before']);
    expect(joins).toHaveLength(1);
  });

  it('is bought once the channel was joined anew, when the connection does not come back', async () => {
    const { say, end, joins, inputs, speaks, arrive } = await interrupted();
    const asked = say(utterance('one'));
    await settle();
    end({ reason: 'failed', closeCode: 4006 });
    await settle();
    expect(joins).toHaveLength(2);
    expect(inputs()).toEqual(['before']);
    await arrive();
    await speaks(1, 1);
    expect(await asked).toMatchObject({ outcome: 'finished' });
  });

  it('is not bought while the connection is interrupted, nor before its next encryption group admits the bot', async () => {
    const { say, begin, group, inputs } = stage();
    void say(utterance('one')).catch(() => undefined);
    const { interrupt, restore, admit } = await begin();
    interrupt();
    group.admits = false;
    void say(utterance('two')).catch(() => undefined);
    await settle();
    expect(inputs()).toEqual(['one']);
    restore();
    await settle();
    expect(inputs()).toEqual(['one']);
    admit();
    await settle();
    expect(inputs()).toEqual(['one', 'two']);
  });

  it('is not joined for again when the bot is told to leave meanwhile', async () => {
    const { speaker, say, joins, inputs } = await interrupted();
    const asked = failure(say(utterance('one')));
    const joining = speaker.join(utterance('').place);
    const refused = expect(joining).rejects.toThrow();
    await settle();
    await speaker.leave();
    expect(keyOf(await asked)).toBe('play.stopped');
    await refused;
    expect(inputs()).toEqual(['before']);
    expect(joins).toHaveLength(1);
  });
});

it('a connection lost while the speech is being made is joined anew: what was paid for is spoken', async () => {
  const { say, spoken, joins, plays, left, arrive } = stage();
  const delivery = say(utterance('one'));
  const { end } = await arrive();
  end({ reason: 'failed', closeCode: 4006 });
  await settle();
  spoken[0]?.answer(result());
  await settle();
  expect([joins.length, left]).toEqual([2, []]);
  await arrive();
  plays[0]?.answer(played);
  expect(await delivery).toMatchObject({ outcome: 'finished' });
});

describe('stopping', () => {
  it('an utterance asked for in the moment in which a join is given up joins by itself', async () => {
    const { say, joins, spoken, plays, begin } = stage();
    const first = failure(say(utterance('one')));
    let second: Promise<unknown> | undefined;
    joins[0]?.signal.addEventListener('abort', () => {
      second = say(utterance('two'));
    });
    spoken[0]?.fail(new SpeechError({ kind: 'content-policy', message: 'refused' }));
    await first;
    await settle();
    await begin();
    plays[0]?.answer(played);
    expect(await second).toMatchObject({ outcome: 'finished' });
  });

  it('tells the requesters who stopped them, unless it was they themselves', async () => {
    const { speaker, say, spoken, begin } = stage();
    const heard = say(utterance('one', GENERAL, 'ann'));
    const waiting = failure(say(utterance('two', GENERAL, 'ann')));
    const own = failure(say(utterance('three', GENERAL, 'ben')));
    await begin();
    speaker.stop('ben');
    expect(await heard).toMatchObject({ outcome: 'stopped', stoppedBy: 'ben' });
    expect((await waiting).cause).toMatchObject({ byUserId: 'ben', words: 'two' });
    expect((await own).cause).toMatchObject({ byUserId: undefined, words: 'three' });
    const alone = say(utterance('four', GENERAL, 'ann'));
    await settle();
    spoken.at(-1)?.answer(result());
    await settle();
    speaker.skip(undefined, 'ann');
    expect((await alone).stoppedBy).toBeUndefined();
  });
});

describe('leaving', () => {
  it('ends what is spoken to no listener after 5 s, and stays for those who come back in its time', async () => {
    const { speaker, say, begin, listeners, onDeserted } = stage({ aloneMs: 60_000, idleMs: 120_000 });
    const failed = failure(say(utterance('one')));
    const { fake } = await begin();
    listeners[GENERAL] = 0;
    speaker.audienceChanged();
    await vi.advanceTimersByTimeAsync(4_999);
    listeners[GENERAL] = 1;
    speaker.audienceChanged();
    await vi.advanceTimersByTimeAsync(5_000);
    listeners[GENERAL] = 0;
    speaker.audienceChanged();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(onDeserted).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(onDeserted).toHaveBeenCalledWith('guild');
    expect(keyOf(await failed)).toBe('play.nobody-listening');
    await vi.advanceTimersByTimeAsync(54_999);
    expect(fake.leave).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(fake.leave).toHaveBeenCalledOnce();
  });

  it('notices that everybody had left before it arrived', async () => {
    const { say, listeners, arrive } = stage();
    const failed = failure(say(utterance('one')));
    listeners[GENERAL] = 0;
    const { fake } = await arrive();
    await vi.advanceTimersByTimeAsync(1000);
    expect(keyOf(await failed)).toBe('play.nobody-listening');
    expect(fake.leave).toHaveBeenCalledOnce();
  });
});

it('the time to the first packet is counted from the interaction, by what had to be waited for', async () => {
  const { speaker, spoken, plays, listeners, firstAudio, begin } = stage();
  /** Asks at the time 0 of the test's own clock. */
  const ask = (input: string, channelId = GENERAL) => {
    void speaker.submit({ ...utterance(input, channelId), askedAtMs: 0 }).delivery;
    return settle();
  };
  /** Answers the synthesis, if it is waited for, and then the playing of it. */
  async function isHeard(ms: number, audio?: ReturnType<typeof result>) {
    if (audio) spoken.at(-1)?.answer(audio);
    await settle();
    plays.at(-1)?.answer({ ...played, firstPacketAtMs: ms });
    await settle();
  }
  await ask('one');
  await begin();
  await isHeard(400);
  await ask('two');
  await isHeard(90, result());
  await ask('three');
  await isHeard(8, result('/cached'));
  // The join is in it, though the audio was there.
  listeners[GENERAL] = 0;
  await ask('four', MUSIC);
  await begin(MUSIC, result('/cached'));
  await isHeard(60);
  // What waits behind others is kept apart: that is their time.
  for (const input of ['five', 'six']) await ask(input, MUSIC);
  await isHeard(300, result());
  await isHeard(5_000, result());
  const times = firstAudio.map(({ kind, ms }) => `${kind} ${ms}`);
  expect(times).toEqual(['cold 400', 'joined 90', 'cached 8', 'cold 60', 'joined 300', 'queued 5000']);
});
