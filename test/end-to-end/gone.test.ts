import { expect, it } from 'vitest';
import { startScene } from './scene.ts';
import { speaking } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };

it('the bot removed from the server while it speaks: it keeps running, and speaks there again once it is back', async () => {
  const scene = await startScene();
  const { alice } = await speaking(scene.world);
  scene.world.removeBot();
  await scene.bot.logged((line) => line.msg === 'The bot was removed from a server', 10_000);
  // Voice and gateway are two connections: either may bring the news first.
  const ended = await scene.bot.logged((line) => line.command === 'say' && line.outcome !== undefined, 10_000);
  expect(['play.server-left', 'play.kicked']).toContain(ended.reason);

  scene.world.inviteBot();
  await scene.bot.logged((line) => line.msg === 'The bot was added to a server', 10_000);
  const again = await alice.types('/say text:Back in the server.');
  expect((await again.reply(ANSWERED)).text).toContain('Spoken in');
});
