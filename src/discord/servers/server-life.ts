import { type Client, DiscordAPIError, Events, type Guild, ShardClientUtil } from 'discord.js';
import type { Logger } from 'pino';
import * as z from 'zod';
import { createDepartures, type KeptData } from '../../services/privacy/stored-data.ts';
import type { ServerRulesBook } from '../../services/servers/admission.ts';
import type { Store } from '../../services/storage/store.ts';
import { type CommandIds, render, text } from '../../texts/catalog.ts';
import { postAnywhere } from '../channels/post.ts';
import { button, drawContent } from '../replies/layout.ts';

export function createServerLife({ kept, ...options }: WelcomeOptions & { readonly kept: readonly KeptData[] }) {
  const { client, store, log } = options;
  const greetAll = createWelcome(options);
  const shardOf = (guildId: string) => ShardClientUtil.shardIdForGuildId(guildId, client.options.shardCount ?? 1);
  const departures = createDepartures({
    store,
    present: () => (client.isReady() ? new Set(client.guilds.cache.keys()) : undefined),
    // Every process handles stored data whose key is not a server's id, because no shard has such a server.
    concerns: (guildId) => !/^\d+$/.test(guildId) || client.ws.shards.has(shardOf(guildId)),
    kept,
    log,
  });
  // GuildDelete means that the bot was removed: discord.js reports an outage as GuildUnavailable.
  client.on(Events.GuildDelete, ({ id }) => void departures.left(id));
  client.on(Events.GuildCreate, ({ id }) => void departures.returned(id));

  return {
    /** Posts missing welcome messages, and begins to delete data of left servers. Call after the login. Never rejects. */
    async start() {
      await Promise.all([departures.start(), greetAll()]);
    },
    close: departures.close,
  };
}

interface WelcomeOptions {
  readonly client: Client;
  readonly store: Store;
  readonly rules: ServerRulesBook;
  /** The servers in ALLOWED_SERVERS; undefined allows all. The bot leaves all other servers at once. */
  readonly allowed: readonly string[] | undefined;
  readonly commandIds: CommandIds;
  readonly log: Logger;
}

/** The bot posts no welcome message in a server that it joined longer ago than this, even if the record of posted welcomes was lost. */
const NEW_FOR_MS = 24 * 60 * 60_000;

function createWelcome({ client, store, rules, allowed, commandIds, log }: WelcomeOptions) {
  // The time of joining tells joins apart: if the bot is removed and comes back, it posts the welcome message again.
  const greeted = store.table('welcomes', z.object({ joinedAtMs: z.number() }));
  const greeting = new Set<string>();

  async function greet(guild: Guild): Promise<void> {
    const { id: guildId, joinedTimestamp: joinedAtMs } = guild;
    if (!guild.available || Date.now() - joinedAtMs >= NEW_FOR_MS || allowed?.includes(guildId) === false) return;
    if (greeting.has(guildId)) return;
    greeting.add(guildId);
    try {
      if ((await greeted.get(guildId))?.joinedAtMs === joinedAtMs) return;
      // The welcome is stored first: if the process ends before the message is sent, no second one may follow.
      await greeted.set(guildId, { joinedAtMs });
      const lines = [text('welcome.hello'), text('welcome.members'), text('welcome.admins')];
      const rows = [[button('setup-begin', text('welcome.begin'), '', 'primary')]];
      const { language } = await rules.of(guildId);
      const { content, components } = drawContent({ lines, rows }, language ?? guild.preferredLocale, commandIds);
      const message = { content, components: [...components] };
      if (await postAnywhere(guild, message, 'Posting the welcome message'))
        log.info({ guildId }, 'Posted the welcome message in a server');
      else log.info({ guildId }, 'No welcome message: no channel allows the bot to write');
    } catch (error) {
      log.warn({ err: error, guildId }, 'Could not post the welcome message: a restart may retry');
      // Discord rejected the welcome message, so the next start tries again.
      if (error instanceof DiscordAPIError) {
        await greeted
          .delete(guildId)
          .catch((err: unknown) =>
            log.warn({ err, guildId }, 'Welcome message failed: could not arrange a second attempt'),
          );
      }
    } finally {
      greeting.delete(guildId);
    }
  }

  client.on(Events.GuildCreate, (guild) => void greet(guild));
  // Servers that had an outage at the bot's start may still be due their welcome message.
  client.on(Events.GuildAvailable, (guild) => void greet(guild));

  return () => Promise.all([...client.guilds.cache.values()].map(greet));
}

const MAX_NAMED = 10;

/**
 * Makes the bot leave servers that are not in ALLOWED_SERVERS; undefined allows all. If none of its servers is allowed
 * at the start, the bot stays in all: a mistyped id would make it leave every server.
 */
export function leaveOtherServers(client: Client, allowed: readonly string[] | undefined, log: Logger): void {
  if (!allowed) return;
  const servers = client.guilds.cache;
  /** Servers that the bot does not leave: at the start none was allowed, so ALLOWED_SERVERS is probably wrong. */
  const keptInDoubt = new Set<string>(servers.some(({ id }) => allowed.includes(id)) ? [] : servers.keys());
  if (keptInDoubt.size > 0) {
    const named = servers.map(({ id, name }) => ({ id, name })).slice(0, MAX_NAMED);
    const remedy =
      'Check the IDs and restart the bot. To make it leave a server, remove it in the settings of that server.';
    log.error(
      { servers: named, count: servers.size, allowed, remedy },
      "None of the bot's servers is in ALLOWED_SERVERS: refusing commands",
    );
  }

  const leaving = new Set<string>();

  async function leave(guild: Guild): Promise<void> {
    if (leaving.has(guild.id)) return;
    leaving.add(guild.id);
    const facts = { guildId: guild.id, server: guild.name };
    try {
      const content = render(text('refused.server-not-allowed', { id: guild.id }), guild.preferredLocale);
      const posting = postAnywhere(guild, { content }, 'Posting the reason for leaving');
      const told = await posting.catch((error: unknown) => {
        log.info({ ...facts, err: error }, 'Leaving a server outside ALLOWED_SERVERS: could not post why');
        return false;
      });
      await guild.leave();
      log.warn({ ...facts, reasonPosted: told }, 'Left a server that is not in ALLOWED_SERVERS');
    } catch (error) {
      log.error({ ...facts, err: error }, 'Could not leave a server outside ALLOWED_SERVERS: refusing its commands');
    } finally {
      leaving.delete(guild.id);
    }
  }

  const consider = (guild: Guild) => {
    if (guild.available && !allowed.includes(guild.id) && !keptInDoubt.has(guild.id)) void leave(guild);
  };
  // A server that removes the bot and invites it again is checked like any new one.
  client.on(Events.GuildDelete, ({ id }) => keptInDoubt.delete(id));
  client.on(Events.GuildCreate, consider);
  client.on(Events.GuildAvailable, consider);
  for (const guild of servers.values()) consider(guild);
}
