import { type Client, Status } from 'discord.js';

/** The state of the gateway connections to Discord. */
export function connectionState({ ws, guilds }: Client) {
  return {
    servers: guilds.cache.size,
    shards: ws.shards.size,
    shardsReady: ws.shards.filter(({ status }) => status === Status.Ready).size,
    /** Round trip of the last heartbeat, averaged over shards; negative before the first. */
    pingMs: ws.shards.size === 0 ? -1 : ws.ping,
  };
}

/** The reason why the bot receives no events from Discord; undefined when it does. */
export function connectionProblem(client: Client): string | undefined {
  if (!client.isReady()) return 'not logged in';
  const { shards, shardsReady } = connectionState(client);
  return shardsReady < shards ? `${shards - shardsReady} of ${shards} connections are being made anew` : undefined;
}
