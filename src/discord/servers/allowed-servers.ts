import { type Client, Events, type Guild, type Interaction, MessageFlags } from 'discord.js';
import type { Logger } from 'pino';
import { render, text } from '../../texts/catalog.ts';
import { writableChannel } from '../channels/permissions.ts';
import { post } from '../channels/post.ts';

/** Maximum number of servers in a log line. */
const NAMED_SERVERS = 10;

type Handle = (interaction: Interaction) => Promise<void>;

interface AllowedServersOptions {
  /** ALLOWED_SERVERS; undefined: all. */
  readonly allowed: readonly string[] | undefined;
  readonly log: Logger;
}

export function createAllowedServers({ allowed, log }: AllowedServersOptions) {
  const isAllowed = (guildId: string) => allowed === undefined || allowed.includes(guildId);
  const leaving = new Set<string>();
  /** Servers of a start at which none was allowed: the list is more likely wrong than all of them. */
  const keptInDoubt = new Set<string>();

  async function leave(guild: Guild): Promise<void> {
    if (leaving.has(guild.id)) return;
    leaving.add(guild.id);
    const facts = { guildId: guild.id, server: guild.name };
    try {
      const told = await sayWhy(guild).catch((error: unknown) => {
        log.info({ ...facts, err: error }, 'Could not post the reason for leaving');
        return false;
      });
      await guild.leave();
      log.warn({ ...facts, told }, 'Left a server that is not in ALLOWED_SERVERS');
    } catch (error) {
      log.error({ ...facts, err: error }, 'Could not leave a server outside of ALLOWED_SERVERS: refusing its commands');
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
    log.error(
      {
        servers: servers.map(({ id, name }) => ({ id, name })).slice(0, NAMED_SERVERS),
        count: servers.size,
        allowed,
        remedy:
          'Check the IDs and restart the bot. To make it leave a server, remove it in the settings of that server.',
      },
      "None of the bot's servers is in ALLOWED_SERVERS: refusing every command there",
    );
  }

  return {
    /**
     * Leaves servers that are not allowed, now and after each join, after posting the reason. If none is allowed at the
     * start, it stays in all of them: with a mistyped id it would leave every server, which could not be undone.
     */
    guard(client: Client): void {
      if (!allowed) return;
      keepInDoubt(client.guilds.cache);
      // A server that removes the bot and invites it again is a new one.
      client.on(Events.GuildDelete, ({ id }) => keptInDoubt.delete(id));
      client.on(Events.GuildCreate, consider);
      client.on(Events.GuildAvailable, consider);
      for (const guild of client.guilds.cache.values()) consider(guild);
    },
    /** Wraps the handler: interactions from such servers are refused with a reply while the bot is still in them. */
    only:
      (handle: Handle): Handle =>
      async (interaction) => {
        // Outside of the bot's servers only members who installed it themselves can use it: DIRECT_USE decides about those.
        if (!interaction.inCachedGuild() || isAllowed(interaction.guildId)) return handle(interaction);
        const facts = { guildId: interaction.guildId, interactionId: interaction.id };
        try {
          await refuse(interaction);
          log.info({ ...facts, outcome: 'refused' }, 'Refused a server that is not in ALLOWED_SERVERS');
        } catch (error) {
          log.warn({ ...facts, err: error, outcome: 'lost' }, 'An interaction could not be answered');
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

/** Posts the reason for leaving into one channel; false when the bot may write in none. */
async function sayWhy(guild: Guild): Promise<boolean> {
  const channel = writableChannel(guild);
  if (!channel) return false;
  const content = render(text('servers.leaving', { id: guild.id }), guild.preferredLocale);
  await post(channel, { content }, 'Posting the reason for leaving');
  return true;
}
