import { type Client, DiscordAPIError, Events, type Guild } from 'discord.js';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { ServerRulesBook } from '../../services/servers/server-rules.ts';
import type { Store } from '../../services/storage/store.ts';
import { text } from '../../texts/catalogue.ts';
import { writableChannel } from '../channels/writable-channel.ts';
import { drawContent } from '../replies/content.ts';
import { post } from '../replies/post.ts';

export interface WelcomeOptions {
  readonly client: Client;
  readonly store: Pick<Store, 'table'>;
  readonly rules: ServerRulesBook;
  /** ALLOWED_SERVERS; undefined: all. The others are left at once. */
  readonly allowed: readonly string[] | undefined;
  readonly log: Logger;
  readonly now?: () => number;
}

/** Introduces the bot to servers it is new in. */
interface Welcome {
  /** To be called once logged in: greets those that invited the bot while it was not running. Never rejects. */
  start(): Promise<void>;
}

/**
 * How long after joining a server the bot still counts as new there. So a bot that was invited before its first start says
 * what to do next, and one that was there for long is silent, whatever has become of its memory.
 */
const NEW_FOR_MS = 24 * 60 * 60_000;

/** One message for each time a server is joined, with the way into the guided set-up. */
export function createWelcome({ client, store, rules, allowed, log, now = Date.now }: WelcomeOptions): Welcome {
  // By which joining it was: coming back after having been removed is another one.
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
      // Before it is sent: a bot that ends in between is silent rather than saying it twice.
      await greeted.set(guildId, { joinedAtMs });
      if (await send(guild)) log.info({ guildId }, 'Introduced the bot to a server');
      else log.info({ guildId }, 'The bot may write nowhere in this server: /setup shows its admins what to do');
    } catch (error) {
      log.warn({ err: error, guildId }, 'The bot could not introduce itself: /setup shows admins what to do');
      if (error instanceof DiscordAPIError) await unmark(guildId);
    } finally {
      greeting.delete(guildId);
    }
  }

  /** It was not sent for sure: the next start tries again. */
  async function unmark(guildId: string): Promise<void> {
    await greeted.delete(guildId).catch((error: unknown) => log.warn({ err: error, guildId }, 'It stays untold'));
  }

  async function send(guild: Guild): Promise<boolean> {
    const channel = writableChannel(guild);
    if (!channel) return false;
    const { language } = await rules.of(guild.id);
    const { content = '', components = [] } = drawContent(
      {
        lines: [text('welcome.hello'), text('welcome.members'), text('welcome.admins')],
        rows: [[{ kind: 'button', label: text('welcome.begin'), control: 'setup-begin', style: 'primary' }]],
      },
      language ?? guild.preferredLocale,
    );
    await post(channel, { content, components: [...components] }, 'Introducing the bot');
    return true;
  }

  client.on(Events.GuildCreate, (guild) => void greet(guild));
  // New during an outage.
  client.on(Events.GuildAvailable, (guild) => void greet(guild));

  return {
    async start() {
      await Promise.all([...client.guilds.cache.values()].map(greet));
    },
  };
}
