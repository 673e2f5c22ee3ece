import { type Client, Events } from 'discord.js';
import { onTestFinished } from 'vitest';
import { createDiscordClient } from '../../src/discord/client/client.ts';
import { startWorld, type World, type WorldOptions } from '../../src/playground/world/world.ts';

export const discordOf = ({ botEnv: { DISCORD_API_URL: api, DISCORD_TOKEN: token } }: World) => ({
  token,
  apiUrl: new URL(api),
  readsMessages: false,
});

export async function openWorld(options?: WorldOptions): Promise<World> {
  const world = await startWorld(options);
  onTestFinished(() => world.close());
  return world;
}

/** The bot's client on this Discord, with its servers; `prepare` gets it before the login. */
export async function loggedIn(
  world: World,
  prepare: (client: Client) => void = () => undefined,
  { readsMessages = false, ...needs }: Parameters<typeof createDiscordClient>[1] & { readsMessages?: boolean } = {},
): Promise<Client<true>> {
  const { client } = createDiscordClient({ ...discordOf(world), readsMessages }, needs);
  onTestFinished(() => client.destroy());
  prepare(client);
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discordOf(world).token);
  return ready;
}
