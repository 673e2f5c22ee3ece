import { expect, it } from 'vitest';
import { systemClock } from '../../src/playground/state/manual-clock.ts';
import { startScene } from './scene.ts';
import { speaking } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };
const INTERACTION_LIFE_MS = 15 * 60_000;

it('speech after the expiry of its interaction is still reported in the message', async () => {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const scene = await startScene({ world: { clock } });
  const { sent } = await speaking(scene.world);
  await sent.reply({ ...ANSWERED, until: /Speaking in #General/ });
  aheadMs = INTERACTION_LIFE_MS;
  const reply = await sent.reply({ ...ANSWERED, until: /Spoken in #General/ });
  expect(reply.text).toMatch(/credits? used/);
  expect(reply.buttons.map(({ label }) => label)).toEqual(['Speak again', 'Save as file']);
});
