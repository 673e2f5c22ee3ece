import { expect, it } from 'vitest';
import { DeliveryError } from '../../../src/errors/user-errors.ts';
import { createLiveItem, StoppedByMember } from '../../../src/services/queue/queue-item.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { placeAt } from '../presence/place.ts';
import { asked, CREDITS, SOUND, stage } from '../synthesis/synthesis-stage.ts';
import { orderOf, requestedOf } from './items.ts';

const LONG = Array.from({ length: 9 }, (_, i) => `Fox ${100 + i} jumps over the lazy dog, again and again.`).join(' ');
const HEARD = { stoppedBy: undefined, channelId: 'general', firstAudioMs: 1, encrypted: true };

function entry(scene: Pick<ReturnType<typeof stage>, 'synthesizer'>, input = 'Hello') {
  const place = placeAt('general');
  return createLiveItem(
    { place, order: orderOf(), requested: requestedOf(input, { request: asked(input) }) },
    { render: scene.synthesizer.render, guildId: 'guild', clip: undefined, sameness: input },
  );
}

it('is made once, however often its sound is wanted, and tells what it cost when it was heard', async () => {
  const scene = stage({ isAutomatic: true });
  const spoken = entry(scene);
  const [clip, again] = await Promise.all([spoken.prepare(), spoken.prepare()]);
  expect(again).toBe(clip);
  expect(clip.packets).toHaveLength(SOUND.length);
  spoken.succeed({ ...HEARD, outcome: 'finished' });
  const { speech } = await spoken.delivery;
  expect(speech).toMatchObject({ creditsUsed: CREDITS, cached: false });
  expect(speech.mayBeMore).toBeUndefined();
  expect(scene.billed).toHaveLength(1);
});

it('tells what it cost when it failed although it was paid for', async () => {
  const scene = stage();
  const failed = entry(scene);
  void failed.prepare();
  await scene.settled();
  scene.billed[0]?.answer();
  await failed.prepare();
  await failed.fail(new Error('the channel is gone'));
  await expect(failed.delivery).rejects.toBeInstanceOf(DeliveryError);
  await expect(failed.delivery).rejects.toMatchObject({ cost: { kind: 'used', credits: CREDITS }, wasHeard: false });
});

it('tells whether some of it was heard when it failed', async () => {
  const failed = entry(stage());
  failed.heard.start();
  await new Promise((resolve) => setTimeout(resolve, 2));
  await failed.fail(new Error('the channel is gone'));
  await expect(failed.delivery).rejects.toMatchObject({ wasHeard: true });
});

it.each([
  ['counts what this costs', false, { creditsUsed: 2 * CREDITS, mayBeMore: undefined }],
  ['says that this may cost more where its answer is lost', true, { creditsUsed: CREDITS, mayBeMore: true }],
])('stopped while its next part is asked for, %s', async (_, isLost, costs) => {
  const scene = stage();
  const stopped = entry(scene, LONG);
  void stopped.prepare();
  await scene.settled();
  scene.billed[0]?.answer();
  const clip = await stopped.prepare();
  void clip.waitFor(0);
  await scene.arrives();
  await clip.waitFor(3);
  clip.played?.(1);
  await scene.settled();
  expect(scene.billed).toHaveLength(2);
  stopped.cancel(new StoppedByMember());
  stopped.succeed({ ...HEARD, outcome: 'stopped' });
  const lost = new SpeechError({ kind: 'timeout', message: 'lost', creditsMayBeSpent: true });
  if (isLost) scene.billed[1]?.fail(lost);
  else scene.billed[1]?.answer();
  const { speech } = await stopped.delivery;
  expect(speech).toMatchObject({ ...costs, cached: false });
});
