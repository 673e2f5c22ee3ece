import { expect, it } from 'vitest';
import { startScene } from './scene.ts';

/** Three attempts of 6 s, and a busy machine. */
const FAILED = { timeoutMs: 60_000 };

it('a network that blocks UDP is told as that, not as a missing permission, and the next try works', async () => {
  const { world, bot } = await startScene();
  const alice = world.member('alice');
  alice.joins('General');
  world.faults.blockUdp(true);
  const refused = await (await alice.types('/say text:Is anybody there?')).reply(FAILED);
  expect(refused.text).toContain('blocks UDP');
  expect(refused.text).not.toContain('permissions');
  expect(await bot.logged(({ msg }) => msg === 'Handled a command', 5_000)).toMatchObject({
    err: { cause: { message: expect.stringContaining('did not answer over UDP') } },
  });

  world.faults.blockUdp(false);
  const spoken = await (await alice.types('/say text:Is anybody there?')).reply(FAILED);
  expect(spoken.text).toContain('Spoken in');
}, 120_000);
