import { describe, expect, it } from 'vitest';
import { asked, by, SOUND, stage } from './synthesis-stage.ts';

/** Of a model that takes a speed. */
const hello = asked('Hello', { voice: { kind: 'id', voiceId: 'v', model: 'ext' } });
const FASTER = { ...by('bob'), fasterBy: 1.25 };

type Scene = ReturnType<typeof stage>;
const speeds = ({ billed }: Scene) => billed.map(({ request }) => request.speed);

async function rendered(
  { synthesiser, settled }: Scene,
  request = hello,
  orders: typeof FASTER | ReturnType<typeof by> = FASTER,
) {
  const synthesis = synthesiser.render(request, orders);
  synthesis.clip.catch(() => undefined);
  await settled();
  return synthesis;
}

describe('a text that had to wait', () => {
  it('is bought at the higher speed, on top of its own, once', async () => {
    const scene = stage({ isAutomatic: true });
    const synthesis = await rendered(scene);
    expect((await synthesis.clip).packets).toHaveLength(SOUND.length);
    expect(synthesis.request.speed).toBe(1.25);
    expect(synthesis.facts()).toMatchObject({ cached: false });
    await rendered(scene, { ...hello, speed: 1.2 });
    expect(speeds(scene)).toEqual([1.25, 1.5]);
    expect((await rendered(scene)).facts()).toMatchObject({ cached: true, creditsUsed: 0 });
    expect(scene.billed).toHaveLength(2);
  });

  it('is not bought again where its usual sound is kept, is being made, or can be fetched', async () => {
    const kept = stage({ isAutomatic: true });
    await rendered(kept, hello, by('alice'));
    expect((await rendered(kept)).request.speed).toBeUndefined();
    expect(speeds(kept)).toEqual([undefined]);

    const underWay = stage();
    await rendered(underWay, hello, by('alice'));
    expect((await rendered(underWay)).request.speed).toBeUndefined();
    expect(speeds(underWay)).toEqual([undefined]);

    const forgotten = stage({ isAutomatic: true, memoryBytes: 0 });
    await rendered(forgotten, hello, by('alice'));
    expect((await rendered(forgotten)).request.speed).toBeUndefined();
    expect(speeds(forgotten)).toEqual([undefined]);
  });

  it('in parts is bought at one speed: the usual one where any of them is there', async () => {
    const sentence = 'This is a sentence of some length, as people write it. ';
    const long = { ...hello, input: sentence.repeat(8).trim() };
    const fresh = stage({ isAutomatic: true });
    await (await (await rendered(fresh, long)).clip).done;
    expect(new Set(speeds(fresh))).toEqual(new Set([1.25]));

    const begun = stage({ isAutomatic: true });
    const first = await rendered(begun, long, by('alice'));
    await first.end();
    await begun.settled();
    const before = begun.billed.length;
    expect(before).toBeGreaterThan(0);
    await rendered(begun, long);
    expect(new Set(speeds(begun))).toEqual(new Set([undefined]));
  });

  it('is made as always by a voice that takes no speed, or of which that is not known', async () => {
    for (const model of ['orpheus', 'brand-new', undefined]) {
      const scene = stage({ isAutomatic: true });
      const voice = { kind: 'id', voiceId: 'v', ...(model !== undefined && { model }) } as const;
      await rendered(scene, asked('Hello', { voice }));
      expect(speeds(scene)).toEqual([undefined]);
    }
  });

  it('that is given up before it was looked for is not bought', async () => {
    const scene = stage();
    const giveUp = new AbortController();
    const synthesis = scene.synthesiser.render(hello, { ...by('bob', giveUp), fasterBy: 1.25 });
    synthesis.clip.catch(() => undefined);
    giveUp.abort(new Error('stopped'));
    expect(await synthesis.end()).toEqual({ kind: 'none' });
    await scene.settled();
    expect(scene.billed).toEqual([]);
  });

  it('is found again at the speed at which it was bought, where it is not there at the usual one', async () => {
    const scene = stage({ isAutomatic: true });
    expect(await scene.synthesiser.asMade(hello)).toBe(hello);
    await rendered(scene);
    expect((await scene.synthesiser.asMade(hello)).speed).toBe(1.25);
    await rendered(scene, hello, by('alice'));
    expect(await scene.synthesiser.asMade(hello)).toBe(hello);
  });
});
