import { type Client, DiscordAPIError, Events, type Guild, ShardClientUtil } from 'discord.js';
import type { Logger } from 'pino';
import * as z from 'zod';
import { createDepartures } from '../../services/privacy/departures.ts';
import { forgetServer, type KeptData, keptServers } from '../../services/privacy/stored-data.ts';
import type { ServerRulesBook } from '../../services/servers/server-rules.ts';
import type { Store } from '../../services/storage/store.ts';
import { text } from '../../texts/catalog.ts';
import { writableChannel } from '../channels/permissions.ts';
import { post } from '../channels/post.ts';
import { drawContent } from '../replies/content.ts';
import { button } from '../replies/layout.ts';

/** Reactions to joining and leaving servers. */
export function createServerLife({ kept, ...options }: WelcomeOptions & { readonly kept: readonly KeptData[] }) {
  const { client, store, log } = options;
  const welcome = createWelcome(options);
  const shardOf = (guildId: string) => ShardClientUtil.shardIdForGuildId(guildId, client.options.shardCount ?? 1);
  const departures = createDepartures({
    store,
    present: () => (client.isReady() ? new Set(client.guilds.cache.keys()) : undefined),
    // Other processes have the servers of other shards. A key that is no id has none: all look after it.
    concerns: (guildId) => !/^\d+$/.test(guildId) || client.ws.shards.has(shardOf(guildId)),
    keptServers: () => keptServers(kept),
    forget: (guildId) => forgetServer(kept, guildId),
    log,
  });
  // An outage is reported as GuildUnavailable.
  client.on(Events.GuildDelete, ({ id }) => void departures.left(id));
  client.on(Events.GuildCreate, ({ id }) => void departures.returned(id));

  return {
    /** To be called after the login: handles the changes during the bot's absence. Never rejects. */
    async start() {
      await Promise.all([departures.start(), welcome.start()]);
    },
    close: departures.close,
  };
}

interface WelcomeOptions {
  readonly client: Client;
  readonly store: Store;
  readonly rules: ServerRulesBook;
  /** ALLOWED_SERVERS; undefined: all. The others are left at once. */
  readonly allowed: readonly string[] | undefined;
  readonly log: Logger;
  readonly now?: () => number;
}

/**
 * How long after joining a server the bot counts as new there. So a bot invited before its first start introduces itself,
 * and one that has been there for long stays silent, even after its stored data were lost.
 */
const NEW_FOR_MS = 24 * 60 * 60_000;

/** Introduces the bot to servers: one message for each time one is joined, with a button to the guided set-up. */
function createWelcome({ client, store, rules, allowed, log, now = Date.now }: WelcomeOptions) {
  // Identified by its time of joining: after a removal, joining again counts as new.
  const greeted = store.table('welcomes', z.object({ joinedAtMs: z.number() }));
  const greeting = new Set<string>();

  async function greet(guild: Guild): Promise<void> {
    const { id: guildId, joinedTimestamp: joinedAtMs } = guild;
    if (!guild.available || now() - joinedAtMs >= NEW_FOR_MS) return;
    if (allowed && !allowed.includes(guildId)) return;
    if (greeting.has(guildId)) return;
    greeting.add(guildId);
    try {
      if ((await greeted.get(guildId))?.joinedAtMs === joinedAtMs) return;
      // Stored before sending: a process that ends in between must not send it twice.
      await greeted.set(guildId, { joinedAtMs });
      if (await send(guild)) log.info({ guildId }, 'Posted the welcome message in a server');
      else log.info({ guildId }, 'No channel for the welcome message');
    } catch (error) {
      log.warn({ err: error, guildId }, 'Could not post the welcome message');
      if (error instanceof DiscordAPIError) await unmark(guildId);
    } finally {
      greeting.delete(guildId);
    }
  }

  /** It was certainly not sent: the next start tries again. */
  async function unmark(guildId: string): Promise<void> {
    await greeted
      .delete(guildId)
      .catch((error: unknown) =>
        log.warn({ err: error, guildId }, 'A server stays marked as welcomed although it was not'),
      );
  }

  async function send(guild: Guild): Promise<boolean> {
    const channel = writableChannel(guild);
    if (!channel) return false;
    const { language } = await rules.of(guild.id);
    const { content, components } = drawContent(
      {
        lines: [text('welcome.hello'), text('welcome.members'), text('welcome.admins')],
        rows: [[button('setup-begin', text('welcome.begin'), undefined, 'primary')]],
      },
      language ?? guild.preferredLocale,
    );
    await post(channel, { content, components: [...components] }, 'Posting the welcome message');
    return true;
  }

  client.on(Events.GuildCreate, (guild) => void greet(guild));
  // Servers that became available after an outage.
  client.on(Events.GuildAvailable, (guild) => void greet(guild));

  return {
    /** To be called after the login: greets servers that invited the bot while it was not running. Never rejects. */
    async start() {
      await Promise.all([...client.guilds.cache.values()].map(greet));
    },
  };
}
