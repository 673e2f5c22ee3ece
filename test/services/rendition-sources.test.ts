import { describe, expect, it } from 'vitest';
import { AudioError, type AudioErrorKind } from '../../src/audio/audio-error.ts';
import { asked, by, CREDITS, SOUND, stage } from './rendition-stage.ts';

type Scene = ReturnType<typeof stage>;

/** Asks for a text and answers; what then happens to its sound is the test's. */
async function paid(scene: Scene) {
  const rendition = scene.renditions.render(asked('Hello'), by('alice'));
  await scene.settled();
  scene.billed.at(-1)?.answer();
  await scene.settled();
  return rendition;
}

async function askedAgain(scene: Scene) {
  const rendition = scene.renditions.render(asked('Hello'), by('bob'));
  rendition.clip.catch(() => undefined);
  await scene.settled();
  return rendition;
}

const brokenOff = (scene: Scene, kind: AudioErrorKind = 'damaged') => {
  const { writer } = scene.fetched.at(-1) as Scene['fetched'][0];
  writer.push(SOUND[0] as Buffer);
  writer.fail(new AudioError(kind, 'cut off'));
  return scene.settled();
};

const addresses = (scene: Scene) => scene.fetched.map(({ url }) => url.pathname);

describe('a sound that was paid for and did not arrive', () => {
  it('is fetched from where it was, and costs nothing more', async () => {
    const scene = stage();
    const first = await paid(scene);
    await brokenOff(scene);
    expect(await first.end()).toMatchObject({ kind: 'used', credits: CREDITS, requestId: 'req_1' });

    const second = await askedAgain(scene);
    scene.fill((scene.fetched[1] as Scene['fetched'][0]).writer);
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
    const second = await askedAgain(scene);
    expect(addresses(scene)).toEqual(['/1', '/1']);
    expect(scene.billed).toHaveLength(2);
    scene.billed[1]?.answer();
    await second.clip;
    expect(addresses(scene)).toEqual(['/1', '/1', '/2']);
    expect(second.facts()).toMatchObject({ cached: false, creditsUsed: CREDITS });
  });

  it('is paid for again by the next who asks when it broke off a second time', async () => {
    const scene = stage();
    await paid(scene);
    await brokenOff(scene);
    const second = await askedAgain(scene);
    await brokenOff(scene);
    await expect((await second.clip).done).rejects.toThrow('cut off');
    expect(await second.end()).toEqual({ kind: 'none' });
    expect(scene.billed).toHaveLength(1);
    await askedAgain(scene);
    expect(scene.billed).toHaveLength(2);
  });

  it.each(['refused-address', 'refused-redirect', 'not-audio', 'ffmpeg-missing', 'too-large'] as const)(
    'is not paid for again where that would end the same way (%s)',
    async (kind) => {
      const scene = stage({ fetching: () => new AudioError(kind, 'no') });
      await expect((await paid(scene)).clip).rejects.toThrow('no');
      for (let attempt = 0; attempt < 2; attempt++) {
        const again = await askedAgain(scene);
        await expect(again.clip).rejects.toMatchObject({ kind });
        expect(await again.end()).toEqual({ kind: 'none' });
      }
      expect(scene.billed).toHaveLength(1);
    },
  );

  it('is still where it was after somebody gave up fetching it', async () => {
    const scene = stage({ memoryBytes: 0 });
    await paid(scene);
    await brokenOff(scene);
    const second = await askedAgain(scene);
    await second.end();
    await scene.settled();
    await askedAgain(scene);
    expect(addresses(scene)).toEqual(['/1', '/1', '/1']);
    expect(scene.billed).toHaveLength(1);
  });

  it('is told of, and what arrives, too', async () => {
    const told: string[] = [];
    const paidSounds = {
      arrived: () => void told.push('arrived'),
      lost: ({ kind }: AudioError) => void told.push(kind),
    };
    const scene = stage({ paidSounds });
    await paid(scene);
    await brokenOff(scene, 'network');
    // It costs nothing, and so is no loss.
    await askedAgain(scene);
    await brokenOff(scene);
    const third = await paid(scene);
    scene.fill((scene.fetched.at(-1) as Scene['fetched'][0]).writer);
    await (await third.clip).done;
    await scene.settled();
    expect(told).toEqual(['network', 'arrived']);
  });
});
