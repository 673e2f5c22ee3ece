import { describe, expect, it, vi } from 'vitest';
import { AudioError } from '../../../src/audio/clips/clip.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { text } from '../../../src/texts/catalog.ts';
import { asked, by, CREDITS, reservationOf, SOUND, type SpendingDouble, stage } from './synthesis-stage.ts';

const busyFor = (triedForMs: number) => ({ kind: 'waiting', reason: 'unavailable', triedForMs }) as const;
const lost = () => new SpeechError({ kind: 'timeout', message: 'too slow', creditsMayBeSpent: true });

/** From when a bill is no longer waited for. */
const BILL_TIMEOUT_MS = 8_000;
const holdTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

function gate(refused: readonly string[] = []) {
  const events: string[] = [];
  const spending: SpendingDouble = {
    async reserve({ userId, characters, model }) {
      if (refused.includes(userId)) throw new UserError(text('say.empty'));
      events.push(`${userId} reserves ${characters} of ${model}`);
      return {
        ...reservationOf(1),
        isPlausible: ({ creditsUsed }) => creditsUsed < 1e6,
        ownLeft: () => ({ left: 93, limit: 100 }),
        settle: async ({ creditsUsed }) => void events.push(`settled ${creditsUsed}`),
        release: async () => void events.push('released'),
        unknown: async () => void events.push('unknown'),
      };
    },
    cached: async ({ userId }) => void events.push(`${userId} cached`),
  };
  return { spending, events };
}

describe('the same text again', () => {
  it('is asked for again where another voice spoke it, and fetched again while that did not arrive', async () => {
    const scene = stage({ fetching: (_, attempt) => (attempt === 1 ? new AudioError('network', 'cut') : undefined) });
    const first = await scene.asks('alice');
    await scene.pays({ spokenBy: 'OTHER' });
    await expect(first.clip).rejects.toThrow('cut');
    // It was paid for.
    const second = await scene.asks('alice');
    await scene.arrives();
    await (await second.clip).done;
    expect(scene.billed).toHaveLength(1);
    expect(second.facts()).toMatchObject({ cached: true, speakers: [{ asked: 'v', heard: 'OTHER' }] });
    // By then the voice that was asked for may speak again.
    await scene.asks('alice');
    expect(scene.billed).toHaveLength(2);
    await scene.make();
    const kept = (await scene.asks('alice')).facts();
    expect(kept.cached).toBe(true);
    expect(kept.speakers).toBeUndefined();
    expect(scene.fetched.map(({ options }) => options.voiceKey)).toEqual(['other', 'other', 'v']);
  });

  it('is not counted as free where an earlier process paid for it', async () => {
    const { spending, events } = gate();
    const scene = stage({ spending });
    const first = await scene.asks('alice');
    await scene.make();
    await (await first.clip).done;
    events.length = 0;
    scene.synthesizer.render(asked('Hello'), { ...by('alice'), wasPaidBefore: true });
    await scene.asks('bob');
    expect(events).toEqual(['bob cached']);
  });
});

describe('many equal requests at once', () => {
  it('are one billed call; each hears it whole, while it is being made; the first one pays', async () => {
    const scene = stage();
    const all = Array.from({ length: 50 }, (_, i) => scene.synthesizer.render(asked('Hello'), by(`member ${i}`)));
    await scene.settled();
    expect(scene.billed).toHaveLength(1);
    expect(scene.billed[0]?.options.fairnessKey).toBe('guild');
    scene.billed[0]?.answer();
    const clips = await Promise.all(all.map(({ clip }) => clip));
    const { writer } = scene.fetched[0] as (typeof scene.fetched)[0];
    writer.push(SOUND[0] as Buffer);
    await Promise.all(clips.map((clip) => clip.waitFor(0)));
    expect(clips.every(({ state, packets }) => state === 'growing' && packets.length === 1)).toBe(true);
    // One who comes while it grows shares it, too.
    const late = scene.synthesizer.render(asked('Hello'), by('late'));
    for (const packet of SOUND.slice(1)) writer.push(packet);
    writer.complete();
    await Promise.all([...clips, await late.clip].map((clip) => clip.done));
    expect([...clips, await late.clip].every(({ packets }) => packets.length === SOUND.length)).toBe(true);
    expect(scene.billed).toHaveLength(1);
    expect(all.map((one) => one.facts().creditsUsed)).toEqual([CREDITS, ...new Array(49).fill(0)]);
    expect(all.filter((one) => one.facts().cached)).toHaveLength(49);
    expect(late.facts().cached).toBe(true);
  });

  it('fail together, with what it may have cost, and the next one is asked for anew', async () => {
    const scene = stage();
    const all = [1, 2, 3].map((i) => scene.synthesizer.render(asked('Hello'), by(`member ${i}`)));
    await scene.settled();
    const failure = lost();
    scene.billed[0]?.fail(failure);
    for (const { clip } of all) await expect(clip).rejects.toBe(failure);
    expect(await all[0]?.end()).toEqual({ kind: 'unknown' });
    expect(await all[1]?.end()).toEqual({ kind: 'none' });
    await scene.asks('again');
    expect(scene.billed).toHaveLength(2);
  });

  it('are ordered by the next one where the first gives up before they were sent, and end with the last', async () => {
    const scene = stage({ isPaced: true });
    const [alice, bob] = [new AbortController(), new AbortController()];
    const hers = await scene.asks('alice', 'Hello', { signal: alice.signal });
    const his = await scene.asks('bob', 'Hello', { signal: bob.signal });
    expect(scene.billed).toHaveLength(1);
    alice.abort(new Error('not hers any more'));
    await expect(hers.clip).rejects.toThrow('not hers any more');
    expect(await hers.end()).toEqual({ kind: 'none' });
    await scene.settled();
    expect(scene.billed.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    bob.abort(new Error('nor his'));
    await expect(his.clip).rejects.toThrow('nor his');
    expect(scene.billed[1]?.signal.aborted).toBe(true);
    expect(await his.end()).toEqual({ kind: 'none' });
  });
});

describe('what is given up', () => {
  it('before it was asked for is never asked for', async () => {
    const scene = stage();
    const given = await scene.asks('alice', 'Hello', { signal: AbortSignal.abort(new Error('no')) });
    await expect(given.clip).rejects.toThrow('no');
    expect(scene.billed).toHaveLength(0);
    expect(await given.end()).toEqual({ kind: 'none' });
  });

  it('while the service works on it is finished, settled, and heard by the next who asks for nothing more', async () => {
    const { spending, events } = gate();
    const scene = stage({ spending });
    const given = await scene.asks('alice');
    const cost = given.end();
    await expect(given.clip).rejects.toThrow();
    let isFinished = false;
    void scene.synthesizer.finished().then(() => (isFinished = true));
    await scene.settled();
    expect(scene.billed[0]?.signal.aborted).toBe(false);
    expect(isFinished).toBe(false);

    // One who asks meanwhile joins it; one who asks later finds its sound.
    const meanwhile = scene.synthesizer.render(asked('Hello'), by('bob'));
    await scene.make();
    await (await meanwhile.clip).done;
    expect(await cost).toEqual({ kind: 'used', credits: CREDITS, requestId: 'req_1' });
    expect(isFinished).toBe(true);
    const later = await scene.asks('carol');
    expect((await later.clip).packets).toEqual(SOUND);
    expect([meanwhile.facts().cached, later.facts().cached]).toEqual([true, true]);
    expect(scene.billed).toHaveLength(1);
    expect(events).toEqual(['alice reserves 5 of orpheus', `settled ${CREDITS}`, 'bob cached', 'carol cached']);
  });

  it('while the service works on it is not sent again where that attempt was in vain', async () => {
    const { spending, events } = gate();
    const scene = stage({ spending });
    const given = await scene.asks('alice');
    const cost = given.end();
    await scene.settled();
    expect(scene.billed[0]?.signal.aborted).toBe(false);
    scene.billed[0]?.progress(busyFor(0));
    expect(scene.billed[0]?.signal.aborted).toBe(true);
    expect(await cost).toEqual({ kind: 'none' });
    await scene.synthesizer.finished();
    expect(events.at(-1)).toBe('released');
  });

  it('while the service works on it says that its bill is awaited, and for 8 s at most', async () => {
    const scene = stage();
    const steps: string[] = [];
    const given = await scene.asks('alice', 'Hello', { onProgress: ({ kind }) => void steps.push(kind) });
    holdTime();
    const cost = given.end();
    const isKnown = vi.fn();
    void cost.then(isKnown);
    await vi.advanceTimersByTimeAsync(BILL_TIMEOUT_MS - 1);
    expect(isKnown).not.toHaveBeenCalled();
    expect(steps).toEqual(['synthesizing', 'ending']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await cost).toEqual({ kind: 'unknown' });
  });

  it('while a free service works on it is over at once: nobody is told what it cost', async () => {
    const scene = stage({ isFree: true });
    const given = await scene.asks('alice');
    holdTime();
    expect(await given.end()).toEqual({ kind: 'unknown' });
    scene.billed[0]?.answer();
  });

  it('while the service works on it is waited for a moment when all is closed, and what waits is not', async () => {
    const scene = stage();
    const given = await scene.asks('alice');
    void given.end();
    const closed = scene.synthesizer.close();
    await scene.make();
    await closed;
    expect(scene.billed[0]?.signal.aborted).toBe(false);

    const other = stage({ isPaced: true });
    const waiting = await other.asks('alice');
    const closing = other.synthesizer.close();
    expect(other.billed[0]?.signal.aborted).toBe(true);
    await expect(waiting.clip).rejects.toThrow('given up');
    await closing;
  });

  it('while its credits are being reserved is not ordered by others once all is closed', async () => {
    const reserving = Promise.withResolvers<void>();
    const scene = stage({ spending: { reserve: () => reserving.promise.then(() => reservationOf(1)) } });
    const all = ['alice', 'bob'].map((member) => scene.synthesizer.render(asked('Hello'), by(member)));
    await scene.settled();
    const closed = scene.synthesizer.close();
    reserving.resolve();
    for (const { clip } of all) await expect(clip).rejects.toThrow('being stopped');
    await closed;
    expect(scene.billed).toEqual([]);
  });

  it('once it is paid for is kept for the next who asks', async () => {
    const scene = stage();
    const alice = new AbortController();
    const given = await scene.asks('alice', 'Hello', { signal: alice.signal });
    scene.billed[0]?.answer();
    const clip = await given.clip;
    alice.abort(new Error('stopped'));
    expect(clip.state).toBe('failed');
    expect(await given.end()).toMatchObject({ kind: 'used', credits: CREDITS });
    await scene.arrives();
    const again = scene.synthesizer.render(asked('Hello'), by('bob'));
    expect((await again.clip).packets).toHaveLength(SOUND.length);
    expect(again.facts().cached).toBe(true);
    expect(scene.billed).toHaveLength(1);
  });
});

describe('spending limits', () => {
  it('are told nothing by a bill that cannot be one, whose text is spoken at a cost that is not known', async () => {
    const { spending, events } = gate();
    const scene = stage({ spending });
    const given = await scene.asks('alice');
    await scene.pays({ creditsUsed: 1e13 });
    await scene.arrives();
    await (await given.clip).done;
    expect(given.facts()).toMatchObject({ creditsUsed: 0, mayBeMore: true, cached: false });
    expect(await given.end()).toEqual({ kind: 'unknown' });
    expect(events).toContain('settled 10000000000000');
  });

  it('get back what was not billed, and keep what may have been', async () => {
    const { spending, events } = gate();
    const scene = stage({ spending });
    for (const failure of [new SpeechError({ kind: 'unavailable', message: 'no' }), lost()]) {
      const given = await scene.asks('alice');
      scene.billed.at(-1)?.fail(failure);
      await expect(given.clip).rejects.toBe(failure);
      await scene.settled();
    }
    expect(events.filter((event) => !event.includes('reserves'))).toEqual(['released', 'unknown']);
  });

  it('refuse the one who has reached them, and not those who asked for the same', async () => {
    const { spending, events } = gate(['alice']);
    const scene = stage({ spending });
    const hers = scene.synthesizer.render(asked('Hello'), by('alice'));
    const his = await scene.asks('bob');
    await expect(hers.clip).rejects.toBeInstanceOf(UserError);
    expect(await hers.end()).toEqual({ kind: 'none' });
    expect(scene.billed).toHaveLength(1);
    await scene.make();
    await his.clip;
    expect(his.facts()).toMatchObject({ creditsUsed: CREDITS, ownLeft: { left: 93, limit: 100 } });
    expect(events).toEqual(['bob reserves 5 of orpheus', `settled ${CREDITS}`]);
  });
});

it('says for how long a busy service has been tried, to all who wait, and nothing of a lost connection', async () => {
  const scene = stage();
  const [hers, his] = [vi.fn(), vi.fn()];
  await scene.asks('alice', 'Hello', { onProgress: hers });
  await scene.asks('bob', 'Hello', { onProgress: his });
  scene.billed[0]?.progress(busyFor(1_500));
  scene.billed[0]?.progress({ kind: 'waiting', reason: 'network', triedForMs: 2_000 });
  for (const onProgress of [hers, his]) {
    expect(onProgress.mock.calls.flat()).toEqual([
      { kind: 'synthesizing', part: 1, parts: 1 },
      { kind: 'synthesizing', part: 1, parts: 1, busyForMs: 1_500 },
    ]);
  }
});

it('is tried for a minute where it is listened to, and until the deadline for a file', async () => {
  const scene = stage();
  scene.synthesizer.render(asked('Hello'), by('alice'));
  scene.synthesizer.file(asked('Bye'), { ...by('alice'), maxBytes: 1 }).catch(() => undefined);
  await scene.settled();
  expect(scene.billed.map(({ options }) => options.retryForMs)).toEqual([undefined, Number.POSITIVE_INFINITY]);
});
