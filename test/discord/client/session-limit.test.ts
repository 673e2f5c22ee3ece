import { expect, it, onTestFinished } from 'vitest';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { logIn } from '../../../src/discord/client/login.ts';
import { startWorld } from '../../../src/playground/world/world.ts';

it('where Discord starts no more sessions today, none is asked for, and the operator is told until when', async () => {
  const world = await startWorld({ sessionStarts: { total: 1 } });
  onTestFinished(() => world.close());
  const discord = { token: world.botEnv.DISCORD_TOKEN, apiUrl: new URL(world.botEnv.DISCORD_API_URL) };
  const begin = async () => {
    const { client } = createDiscordClient({ ...discord, readsMessages: false });
    onTestFinished(() => client.destroy());
    return logIn(client, { ...discord, readsMessages: false }, new AbortController().signal);
  };
  await (await begin()).destroy();
  await expect(begin()).rejects.toThrow(/^Discord lets this bot begin 0 more sessions until \d{4}-.*, 1 are needed/);
  expect([world.bot.identifies, world.bot.refusedIdentifies]).toEqual([1, 0]);
});
