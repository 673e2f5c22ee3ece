import {
  type Client,
  DiscordAPIError,
  Events,
  type Guild,
  type Interaction,
  MessageFlags,
  ShardClientUtil,
} from 'discord.js';
import type { Logger } from 'pino';
import * as z from 'zod';
import { createDepartures, forgetServer, type KeptData, keptServers } from '../../services/privacy/stored-data.ts';
import type { ServerRulesBook } from '../../services/servers/admission.ts';
import type { Store } from '../../services/storage/store.ts';
import { type CommandIds, render, text } from '../../texts/catalog.ts';
import { writableChannel } from '../channels/permissions.ts';
import { post } from '../channels/post.ts';
import { drawContent } from '../replies/content.ts';
import { button } from '../replies/layout.ts';

export function createServerLife({ kept, ...options }: WelcomeOptions & { readonly kept: readonly KeptData[] }) {
  const { client, store, log } = options;
  const greetAll = createWelcome(options);
  const shardOf = (guildId: string) => ShardClientUtil.shardIdForGuildId(guildId, client.options.shardCount ?? 1);
  const departures = createDepartures({
    store,
    present: () => (client.isReady() ? new Set(client.guilds.cache.keys()) : undefined),
    // A key that is not a server's id belongs to no shard, so every process handles it.
    concerns: (guildId) => !/^\d+$/.test(guildId) || client.ws.shards.has(shardOf(guildId)),
    keptServers: () => keptServers(kept),
    forget: (guildId) => forgetServer(kept, guildId),
    log,
  });
  // GuildDelete means that the bot was removed: discord.js reports an outage as GuildUnavailable.
  client.on(Events.GuildDelete, ({ id }) => void departures.left(id));
  client.on(Events.GuildCreate, ({ id }) => void departures.returned(id));

  return {
    /** Call after the login. Never rejects. */
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

/** A bot that joined earlier posts no welcome message, even if its stored data was lost. */
const NEW_FOR_MS = 24 * 60 * 60_000;

function createWelcome({ client, store, rules, allowed, commandIds, log }: WelcomeOptions) {
  // The time of joining tells joins apart: if the bot is removed and comes back, it posts the welcome message again.
  const greeted = store.table('welcomes', z.object({ joinedAtMs: z.number() }));
  const greeting = new Set<string>();

  async function greet(guild: Guild): Promise<void> {
    const { id: guildId, joinedTimestamp: joinedAtMs } = guild;
    if (!guild.available || Date.now() - joinedAtMs >= NEW_FOR_MS) return;
    if ((allowed && !allowed.includes(guildId)) || greeting.has(guildId)) return;
    greeting.add(guildId);
    try {
      if ((await greeted.get(guildId))?.joinedAtMs === joinedAtMs) return;
      // The welcome is stored first: if the process ends before the message is sent, no second one may follow.
      await greeted.set(guildId, { joinedAtMs });
      if (await send(guild)) log.info({ guildId }, 'Posted the welcome message in a server');
      else log.info({ guildId }, 'No welcome message: no channel allows the bot to write');
    } catch (error) {
      log.warn({ err: error, guildId }, 'Could not post the welcome message: a restart may retry');
      // Discord rejected the welcome message, so the next start tries again.
      if (error instanceof DiscordAPIError) {
        await greeted
          .delete(guildId)
          .catch((err: unknown) =>
            log.warn({ err, guildId }, 'Could not record a failed welcome message: no retry follows'),
          );
      }
    } finally {
      greeting.delete(guildId);
    }
  }

  async function send(guild: Guild): Promise<boolean> {
    const channel = writableChannel(guild);
    if (!channel) return false;
    const { language } = await rules.of(guild.id);
    const { content, components } = drawContent(
      {
        lines: [text('welcome.hello'), text('welcome.members'), text('welcome.admins')],
        rows: [[button('setup-begin', text('welcome.begin'), '', 'primary')]],
      },
      language ?? guild.preferredLocale,
      commandIds,
    );
    await post(channel, { content, components: [...components] }, 'Posting the welcome message');
    return true;
  }

  client.on(Events.GuildCreate, (guild) => void greet(guild));
  // Servers that had an outage at the bot's start may still be due their welcome message.
  client.on(Events.GuildAvailable, (guild) => void greet(guild));

  return () => Promise.all([...client.guilds.cache.values()].map(greet));
}

const MAX_NAMED = 10;

type Handle = (interaction: Interaction) => Promise<void>;

/** Keeps the bot out of servers that are not in ALLOWED_SERVERS; undefined allows all. */
export function createAllowedServers(allowed: readonly string[] | undefined, log: Logger) {
  const isAllowed = (guildId: string) => allowed === undefined || allowed.includes(guildId);
  const leaving = new Set<string>();
  /** Servers that the bot does not leave: at the start none was allowed, so ALLOWED_SERVERS is probably wrong. */
  const keptInDoubt = new Set<string>();

  async function leave(guild: Guild): Promise<void> {
    if (leaving.has(guild.id)) return;
    leaving.add(guild.id);
    const facts = { guildId: guild.id, server: guild.name };
    try {
      const told = await sayWhy(guild).catch((error: unknown) => {
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
    if (guild.available && !isAllowed(guild.id) && !keptInDoubt.has(guild.id)) void leave(guild);
  };

  function keepInDoubt(servers: Client['guilds']['cache']): void {
    if (servers.size === 0 || servers.some(({ id }) => isAllowed(id))) return;
    for (const id of servers.keys()) keptInDoubt.add(id);
    const named = servers.map(({ id, name }) => ({ id, name })).slice(0, MAX_NAMED);
    const remedy =
      'Check the IDs and restart the bot. To make it leave a server, remove it in the settings of that server.';
    log.error(
      { servers: named, count: servers.size, allowed, remedy },
      "None of the bot's servers is in ALLOWED_SERVERS: refusing commands",
    );
  }

  return {
    /** If no server is allowed at the start, the bot stays in all: a mistyped id would make it leave every server. */
    guard(client: Client): void {
      if (!allowed) return;
      keepInDoubt(client.guilds.cache);
      // A server that removes the bot and invites it again is checked like any new one.
      client.on(Events.GuildDelete, ({ id }) => keptInDoubt.delete(id));
      client.on(Events.GuildCreate, consider);
      client.on(Events.GuildAvailable, consider);
      for (const guild of client.guilds.cache.values()) consider(guild);
    },
    /** Wraps a handler: commands from servers outside ALLOWED_SERVERS are refused until the bot has left them. */
    only:
      (handle: Handle): Handle =>
      async (interaction) => {
        // In servers without the bot, only members who installed it themselves can use it, if DIRECT_USE is on.
        if (!interaction.inCachedGuild() || isAllowed(interaction.guildId)) return handle(interaction);
        const facts = { guildId: interaction.guildId, interactionId: interaction.id };
        try {
          await refuse(interaction);
          log.info({ ...facts, outcome: 'refused' }, 'Refused a command: its server is not in ALLOWED_SERVERS');
        } catch (error) {
          log.warn(
            { ...facts, err: error, outcome: 'lost' },
            'Did not run a disallowed server’s command: its member sees nothing',
          );
        }
      },
  };
}

async function refuse(interaction: Interaction): Promise<void> {
  if (interaction.isAutocomplete()) return interaction.respond([]);
  if (!interaction.isRepliable()) return;
  const content = render(text('refused.server-not-allowed', { id: interaction.guildId ?? '' }), interaction.locale);
  await interaction.reply({ content, flags: MessageFlags.Ephemeral });
}

async function sayWhy(guild: Guild): Promise<boolean> {
  const channel = writableChannel(guild);
  if (!channel) return false;
  const content = render(text('refused.server-not-allowed', { id: guild.id }), guild.preferredLocale);
  await post(channel, { content }, 'Posting the reason for leaving');
  return true;
}
