import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AudioError, type AudioErrorKind } from '../../../src/audio/clips/clip.ts';
import { refusal, UserError } from '../../../src/errors/user-errors.ts';
import type { BilledText } from '../../../src/services/spending/spending.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { asked, by, CREDITS, reservationOf, SOUND, type SpendingDouble, stage } from './synthesis-stage.ts';

type Scene = ReturnType<typeof stage>;

/** Asks for a text and answers; what then happens to its sound is the test's. */
async function paid(scene: Scene) {
  const synthesis = await scene.asks('alice');
  await scene.pays();
  return synthesis;
}

/** Asked for once more, it fails alike and costs nothing. */
async function failsForNothing(scene: Scene, kind: AudioErrorKind): Promise<void> {
  const again = await scene.asks('bob');
  await expect(again.clip).rejects.toMatchObject({ kind });
  expect(await again.end()).toEqual({ kind: 'none' });
}

const A_QUARTER_OF_AN_HOUR_MS = 15 * 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  // As in any process by then: at 0 nothing expires.
  vi.advanceTimersByTime(1_000);
});

const addresses = (scene: Scene) => scene.fetched.map(({ url }) => url.pathname);

describe('a sound that was paid for and did not arrive', () => {
  it('is fetched from where it was, and costs nothing more', async () => {
    const scene = stage();
    const first = await paid(scene);
    const { writer } = scene.fetched[0] as Scene['fetched'][0];
    writer.push(SOUND[0] as Buffer);
    writer.fail(new AudioError('damaged', 'cut off'));
    await scene.settled();
    expect(await first.end()).toMatchObject({ kind: 'used', credits: CREDITS, requestId: 'req_1' });

    const second = await scene.asks('bob');
    await scene.arrives();
    expect((await second.clip).packets).toHaveLength(SOUND.length);
    expect(addresses(scene)).toEqual(['/1', '/1']);
    expect(second.facts()).toMatchObject({ cached: true, creditsUsed: 0 });
    expect(await second.end()).toEqual({ kind: 'none' });
    expect(scene.billed).toHaveLength(1);
  });

  it('is paid for again only after its address was asked once more in vain', async () => {
    const scene = stage({ fetching: (_url, count) => (count < 3 ? new AudioError('http-status', 'gone') : undefined) });
    const first = await paid(scene);
    await expect(first.clip).rejects.toThrow('gone');
    const second = await scene.asks('bob');
    expect(addresses(scene)).toEqual(['/1', '/1']);
    expect(scene.billed).toHaveLength(2);
    await scene.pays();
    await second.clip;
    expect(addresses(scene)).toEqual(['/1', '/1', '/2']);
    expect(second.facts()).toMatchObject({ cached: false, creditsUsed: CREDITS });
  });

  it.each(['refused-redirect', 'not-audio'] as const)(
    'is not paid for again where that would end the same way (%s)',
    async (kind) => {
      const scene = stage({ fetching: () => new AudioError(kind, 'no') });
      await expect((await paid(scene)).clip).rejects.toThrow('no');
      for (let attempt = 0; attempt < 2; attempt++) await failsForNothing(scene, kind);
      expect(scene.billed).toHaveLength(1);
      // It was lost once: after three losses, no other text would be paid for.
      await scene.asks('bob', 'Another');
      expect(scene.billed).toHaveLength(2);
    },
  );

  it('is not paid for again while the host of the audio cannot be reached, and heard once it can', async () => {
    const fetching = (_url: URL, count: number) => (count < 4 ? new AudioError('timeout', 'dead') : undefined);
    const scene = stage({ fetching });
    await expect((await paid(scene)).clip).rejects.toThrow('dead');
    for (let attempt = 0; attempt < 2; attempt++) await failsForNothing(scene, 'timeout');
    const last = await scene.asks('bob');
    await scene.arrives();
    expect((await last.clip).packets).toHaveLength(SOUND.length);
    expect(addresses(scene)).toEqual(['/1', '/1', '/1', '/1']);
    expect(scene.billed).toHaveLength(1);
  });

  it('is paid for again a quarter of an hour later, whatever kept it from arriving', async () => {
    const scene = stage({ fetching: () => new AudioError('refused-redirect', 'no') });
    await expect((await paid(scene)).clip).rejects.toThrow('no');
    vi.advanceTimersByTime(A_QUARTER_OF_AN_HOUR_MS);
    await expect((await scene.asks('bob')).clip).rejects.toThrow('no');
    expect(scene.billed).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await scene.asks('bob');
    expect(scene.billed).toHaveLength(2);
    expect(addresses(scene)).toEqual(['/1', '/1']);
  });
});

describe('after three sounds in a row that were paid for and lost', () => {
  /** How a request ends that the service answers, if it reaches it. */
  async function ask(scene: Scene, words: string, userId = 'alice') {
    const before = scene.billed.length;
    const { clip } = await scene.asks(userId, words);
    scene.billed[before]?.answer();
    return clip.then(
      () => 'spoken',
      (error: unknown) => (error instanceof UserError ? error.text.key : (error as Error).message),
    );
  }

  it('answers of an engine without a price are no loss', async () => {
    const scene = stage({ spending: { reserve: async () => reservationOf(0) } });
    for (const words of ['One', 'Two', 'Three', 'Four']) {
      const { clip } = await scene.asks('alice', words);
      scene.billed.at(-1)?.fail(new SpeechError({ kind: 'unavailable', message: 'lost', creditsMayBeSpent: true }));
      await expect(clip).rejects.toThrow('lost');
    }
    expect(scene.billed).toHaveLength(4);
  });

  it('a trial that a limit or the service refuses is none: the next text is', async () => {
    const reserve: SpendingDouble['reserve'] = async ({ userId }) => {
      if (userId === 'mallory') throw new UserError(refusal('server-muted'));
      return reservationOf(1);
    };
    const scene = stage({ spending: { reserve }, fetching: () => new AudioError('refused-redirect', 'no') });
    for (const words of ['One', 'Two', 'Three']) expect(await ask(scene, words)).toBe('no');
    expect(await ask(scene, 'Four')).toBe('refused.lost-sounds');
    expect(scene.billed).toHaveLength(3);
    vi.advanceTimersByTime(30_000);
    expect(await ask(scene, 'Over her limit', 'mallory')).toBe('refused.muted');
    const refused = await scene.asks('alice', 'Forbidden');
    scene.billed.at(-1)?.fail(new SpeechError({ kind: 'content-policy', message: 'no' }));
    await expect(refused.clip).rejects.toThrow('no');
    expect(await ask(scene, 'A trial')).toBe('no');
    expect(await ask(scene, 'No trial')).toBe('refused.lost-sounds');
  });
});

describe('a sound that arrived and is kept nowhere any more', () => {
  async function heard(scene: Scene) {
    const synthesis = await paid(scene);
    await scene.arrives();
    await (await synthesis.clip).done;
    await scene.settled();
  }

  it('is made anew where its address has something else by now', async () => {
    const fetching = (_url: URL, count: number) => (count === 2 ? new AudioError('not-audio', 'no') : undefined);
    const scene = stage({ memoryBytes: 0, fetching });
    await heard(scene);
    const second = await scene.asks('bob');
    await scene.pays();
    await second.clip;
    expect(addresses(scene)).toEqual(['/1', '/1', '/2']);
    expect(second.facts()).toMatchObject({ cached: false, creditsUsed: CREDITS });
  });

  it('is not made anew while its host cannot be reached', async () => {
    const fetching = (_url: URL, count: number) => (count === 2 ? new AudioError('network', 'dead') : undefined);
    const scene = stage({ memoryBytes: 0, fetching });
    await heard(scene);
    await expect((await scene.asks('bob')).clip).rejects.toMatchObject({ kind: 'network' });
    await (await scene.asks('bob')).clip;
    expect(addresses(scene)).toEqual(['/1', '/1', '/1']);
    expect(scene.billed).toHaveLength(1);
  });

  it('counts for the limits again then, as a part of a text, before any of that is paid for', async () => {
    const toFollow: (readonly BilledText[])[] = [];
    const reserve: SpendingDouble['reserve'] = async (asking) => {
      toFollow.push(asking.toFollow);
      return reservationOf(0);
    };
    const scene = stage({ memoryBytes: 0, isAutomatic: true, limit: 250, spending: { reserve } });
    const long = Array.from({ length: 12 }, (_, i) => `Fox ${i} jumps over the lazy dog, again and again.`).join(' ');
    const file = () => scene.synthesizer.file(asked(long), { ...by('alice'), maxBytes: 1e6 });
    await file();
    const atFirst = toFollow.splice(0);
    expect(atFirst[0]?.length).toBeGreaterThan(1);
    await file();
    expect(toFollow).toEqual([]);
    vi.advanceTimersByTime(A_QUARTER_OF_AN_HOUR_MS + 1);
    await file();
    expect(toFollow).toEqual(atFirst);
  });
});
