import { expect, it } from 'vitest';
import { readWav } from '../speech-service/measure-audio.ts';
import { speechSpan } from './measure.ts';
import { choose } from './reading.ts';
import { LONG, newGuest, pick, startScene } from './scene.ts';

const ANSWERED = { timeoutMs: 60_000 };
const TEXT = 'Whoever asks behind a long queue is spoken faster, if admins want it.';

it('behind a long queue a text is spoken faster where admins want that, says so, and is bought once', async () => {
  const scene = await startScene();
  const { world, said, service } = scene;
  await choose(scene, { catchUp: true });
  const somebody = () => newGuest(world, 'General');
  const [ann, ben, cleo] = [somebody(), somebody(), somebody()];
  const ext = await pick(cleo, 'ext');
  await ann.types(`/say text:${LONG}`);
  await ann.listener.audible(1, ANSWERED);
  for (const number of ['first', 'second', 'third']) {
    for (const one of [ann, ben]) await one.types(`/say text:My ${number} text.`);
  }
  await expect.poll(async () => (await (await ben.types('/queue')).reply(ANSWERED)).content).toContain('6. ');
  const asked = await cleo.command('say', { text: TEXT, voice: ext.id, format: 'wav' });
  const reply = await asked.reply({ ...ANSWERED, until: /Spoken in/ });
  expect(reply.text).toContain('Spoken faster, because the queue was long.');
  // Saved, it is what was bought.
  const saved = await (await cleo.presses(cleo.looksAt(reply), 'Save as file')).reply(ANSWERED);
  const heard = speechSpan(readWav(saved.files[0]?.bytes ?? new Uint8Array())).seconds;
  expect(heard).toBeCloseTo(speechSpan(await said(TEXT, ext.id)).seconds / 1.25, 1);
  expect(service.ledger.charges(100).filter(({ amount }) => amount === TEXT.length)).toHaveLength(2);
});
