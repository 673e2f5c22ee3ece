import { type APIInteraction, type Client, Constants, GatewayDispatchEvents } from 'discord.js';
import { LRUCache } from 'lru-cache';

/** Threads in which the bot was used lately. */
const MOST_REMEMBERED = 1_000;

const remembered = new WeakMap<Client, LRUCache<string, string>>();

/**
 * Remembers the parent channel of a thread in which the bot is used: discord.js caches no private thread without the bot
 * as member, and drops the thread's data that comes with the interaction.
 */
export function rememberThreadParents(client: Client): void {
  const parents = new LRUCache<string, string>({ max: MOST_REMEMBERED });
  remembered.set(client, parents);
  client.ws.on(GatewayDispatchEvents.InteractionCreate, ({ channel }: APIInteraction) => {
    const types: readonly (number | undefined)[] = Constants.ThreadChannelTypes;
    if (!channel || !types.includes(channel.type) || !('parent_id' in channel) || !channel.parent_id) return;
    parents.set(channel.id, channel.parent_id);
  });
}

/** The channel above a thread in which the bot was used; undefined for any other channel. */
export const parentOfThread = (client: Client, threadId: string): string | undefined =>
  remembered.get(client)?.get(threadId);
