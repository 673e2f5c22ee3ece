import { type Client, Events } from 'discord.js';
import { onTestFinished } from 'vitest';
import { createDiscordClient } from '../../src/discord/client/client.ts';
import type { World } from '../../src/playground/world/world.ts';

/** The bot's client on this Discord, with its servers; `prepare` gets it before the login. */
export async function loggedIn(
  { botEnv: { DISCORD_API_URL: api, DISCORD_TOKEN: token } }: World,
  prepare: (client: Client) => void = () => undefined,
): Promise<Client<true>> {
  const { client } = createDiscordClient({ token, apiUrl: new URL(api), readsMessages: false });
  onTestFinished(() => client.destroy());
  prepare(client);
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(token);
  return ready;
}
