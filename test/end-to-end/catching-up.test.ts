import { expect, it } from 'vitest';
import { createEmbeddedEngine } from '../../src/speech-service/synthesis/embedded/embedded-engine.ts';
import { speechSpan } from './measure.ts';
import { pick } from './pick.ts';
import { soundOf } from './same-speech.ts';
import { startScene } from './scene.ts';

const ANSWERED = { timeoutMs: 60_000 };
const SENTENCE = 'This text takes long enough for somebody else to get impatient while it is being spoken. ';
const BOUGHT = 'Those who come last of all, and have waited longest, are not told the whole story over again.';
const TEXT = 'Whoever had to wait for their turn is spoken faster, until the queue is short again, if admins want it.';

it('a text that waited long is spoken faster where admins switched that on, says so, and costs what it always does', async () => {
  const { world, said, service } = await startScene({ asProcess: true, engine: createEmbeddedEngine() });
  const olga = world.member('olga');
  const [ann, ben, cleo] = [world.newMember('ann'), world.newMember('ben'), world.newMember('cleo')];
  const panel = await (await olga.types('/settings panel')).reply(ANSWERED);
  const limits = await (await olga.selects(panel, 'settings-page', ['Limits and credits'])).reply(ANSWERED);
  expect(limits.text.replaceAll('**', '')).toContain('Speak faster after a long wait: off (default)');
  const switched = await (await olga.presses(limits, 'Turn on: Speak faster after a long wait')).reply({
    ...ANSWERED,
    until: /after a long wait: now on/,
  });
  expect(switched.text).toContain('Speak faster after a long wait: now on. Before: ');

  ann.joins('General');
  ben.joins('General');
  cleo.joins('General');
  const first = await ann.types(`/say text:${SENTENCE.repeat(4)}`);
  await ann.listener.audible(1, ANSWERED);
  const second = await ben.types(`/say text:${TEXT}`);
  // A voice that takes a speed: what nobody has is bought faster.
  const ext = await pick(cleo, 'ext');
  const third = await cleo.command('say', { text: BOUGHT, voice: ext.id });
  expect((await first.reply({ ...ANSWERED, until: /Spoken in/ })).text).not.toContain('times as fast');
  ben.listener.clear();
  const reply = await second.reply({ ...ANSWERED, until: /Spoken in/ });
  const [, waited, speed] = /waited for 0:(\d\d), and was spoken (1\.\d+) times as fast/.exec(reply.text) ?? [];
  expect(Number(waited)).toBeGreaterThan(15);
  const bought = await third.reply({ ...ANSWERED, until: /Spoken in/ });
  const times = Number(/was spoken (1\.\d+) times as fast/.exec(bought.text)?.[1]);
  const usual = speechSpan(await said(TEXT)).seconds;
  const unhurried = speechSpan(await said(BOUGHT, ext.id)).seconds;
  // One after the other, with a short pause between them.
  const heard = speechSpan(soundOf(await ben.listener.utterance(ANSWERED))).seconds;
  expect(Math.abs(heard - usual / Number(speed) - unhurried / times)).toBeLessThan(1);
  expect(heard).toBeLessThan(0.95 * (usual + unhurried));
  // Saved, it is what was bought.
  const charges = service.ledger.charges(100).length;
  const saved = await (await cleo.presses(cleo.looksAt(bought), 'Save as file')).reply(ANSWERED);
  expect(saved.files).toHaveLength(1);
  expect(service.ledger.charges(100)).toHaveLength(charges);
}, 120_000);
