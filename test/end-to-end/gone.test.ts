import { expect, it } from 'vitest';
import { startScene } from './scene.ts';
import { speaking } from './speaking.ts';

it('the bot removed from the server while it speaks: it keeps running, and speaks there again once it is back', async () => {
  const scene = await startScene();
  const { alice } = await speaking(scene.world);
  scene.world.removeBot();
  await scene.bot.logged((line) => line.msg === 'The bot was removed from a server');
  // Voice and gateway are two connections: either may bring the news first.
  const ended = await scene.bot.logged((line) => line.command === 'say' && line.outcome !== undefined);
  expect(['play.server-left', 'play.kicked']).toContain(ended.reason);

  scene.world.inviteBot();
  await scene.bot.logged((line) => line.msg === 'The bot was added to a server');
  const again = await alice.types('/say text:Back in the server.');
  expect((await again.reply()).text).toContain('Spoken in');
});
