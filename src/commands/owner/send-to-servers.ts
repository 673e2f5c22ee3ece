import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'discord.js';
import { writableChannel } from '../../discord/channels/writable-channel.ts';
import { post } from '../../discord/replies/post.ts';
import { quote } from '../../discord/replies/quote.ts';
import { render, type Text, text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';

/** Far below what Discord allows, so that speech and commands have the rest. */
const EACH_MS = 250;

/** Where it was posted, and the servers where it was not. Never rejects. */
export async function sendToServers(
  client: Client,
  services: Services,
  guildIds: readonly string[],
  words: string,
  onProgress: (done: number) => void = () => undefined,
): Promise<{ readonly posted: readonly Text[]; readonly missed: readonly string[] }> {
  const missed: string[] = [];
  const posted: Text[] = [];
  for (const [index, guildId] of guildIds.entries()) {
    if (index > 0) await wait(EACH_MS);
    onProgress(index);
    const place = await send(client, services, guildId, words).catch((error: unknown) => {
      services.log.info({ err: error, guildId }, 'The owner’s message could not be sent to this server');
      return undefined;
    });
    if (place) posted.push(place);
    else missed.push(guildId);
  }
  return { posted, missed };
}

/** Where it was posted; undefined where the bot is not (any more), or may write nowhere. */
async function send(client: Client, { rules }: Services, guildId: string, words: string): Promise<Text | undefined> {
  const guild = client.guilds.cache.get(guildId);
  const channel = guild?.available ? writableChannel(guild) : undefined;
  if (!guild || !channel) return undefined;
  const { language } = await rules.of(guildId);
  const content = render(text('owner.message.heading', { words }), language ?? guild.preferredLocale);
  await post(channel, { content }, 'Sending the owner’s message');
  // Its owner need not be in that server: a mention would show no name.
  return text('owner.message.posted', { server: quote(guild.name, 60), channel: quote(channel.name, 60) });
}
