import {
  type APIApplicationCommand,
  type Client,
  DiscordAPIError,
  RESTJSONErrorCodes,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Logger } from 'pino';
import * as z from 'zod';
import { StoreError } from '../../errors/store-error.ts';
import type { Store } from '../../services/storage/store.ts';

type CommandBody = RESTPostAPIApplicationCommandsJSONBody;

/** All fields that a request may set; other fields of Discord's answer (ids, versions) do not indicate a difference. */
const COMPARED = [
  'type',
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'options',
  'default_member_permissions',
  'nsfw',
  'contexts',
  'integration_types',
] as const;

/** Discord keeps these for global commands only. */
const GLOBAL_ONLY: readonly string[] = ['contexts', 'integration_types'];

/**
 * A value without the fields that equal their absence (null, false, empty), with sorted keys. Discord gives a message
 * command, which has no description, an empty one.
 */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(canonical);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .map(([key, inner]) => [key, canonical(inner)] as const)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  return value === null || value === false || value === '' ? undefined : value;
}

/** Whether the registered commands differ from the wanted ones in Discord's terms: ignoring defaults and order. */
export function commandsDiffer(
  registered: readonly object[],
  wanted: readonly object[],
  scope: 'global' | 'guild',
): boolean {
  const keys = COMPARED.filter((key) => scope === 'global' || !GLOBAL_ONLY.includes(key));
  const fingerprint = (commands: readonly object[]) =>
    commands
      .map((command) => {
        const fields = Object.fromEntries(keys.map((key) => [key, (command as Record<string, unknown>)[key]]));
        return JSON.stringify(canonical({ ...fields, type: fields.type ?? 1 }));
      })
      .sort()
      .join('\n');
  return fingerprint(registered) !== fingerprint(wanted);
}

interface RegistrationOptions {
  readonly client: Client<true>;
  readonly commands: readonly CommandBody[];
  /** Register in this server only, for development; everywhere by default. */
  readonly guildId?: string | undefined;
  readonly store: Store;
  readonly log: Logger;
}

/** The store key under which the server with commands of its own is remembered. */
const DEVELOPMENT_SERVER = 'development-server';
const OWNERS_SERVER = 'owner-server';

const GONE: readonly (string | number)[] = [RESTJSONErrorCodes.MissingAccess, RESTJSONErrorCodes.UnknownGuild];

/**
 * Replaces Discord's list of our commands by the wanted one, which also removes obsolete commands. Does nothing when the
 * lists are equal: there is a daily limit on creating commands.
 */
export async function registerCommands(options: RegistrationOptions): Promise<void> {
  await takeAway(DEVELOPMENT_SERVER, options);
  await put(DEVELOPMENT_SERVER, options);
  if (options.guildId !== undefined) await warnOfTwice(options);
}

/** An earlier start may have registered global commands; a start in a single server must not remove them. */
async function warnOfTwice({ client, commands, guildId, log }: RegistrationOptions): Promise<void> {
  const route = Routes.applicationCommands(client.application.id);
  try {
    const everywhere = (await client.rest.get(route)) as APIApplicationCommand[];
    const twice = everywhere.filter(({ name }) => commands.some((command) => command.name === name));
    if (twice.length === 0) return;
    log.warn(
      { guildId, commands: twice.length },
      `Commands of this application are registered for all servers, too, so this one shows them twice: use an application of its own for DISCORD_GUILD_ID, or take them away everywhere (PUT [] to Discord’s ${route})`,
    );
  } catch (error) {
    log.warn({ err: error }, 'Could not check whether the commands are also registered for all servers');
  }
}

/**
 * The same for a server's own list besides the common one: the commands of the bot's owner. Without such a server they
 * are only removed from the previous one. `mainGuildId`: the server of the common list, if it is in a server.
 */
export async function registerOwnersCommands(
  options: RegistrationOptions & { readonly mainGuildId?: string | undefined },
): Promise<void> {
  await takeAway(OWNERS_SERVER, options, options.mainGuildId);
  if (options.guildId !== undefined) await put(OWNERS_SERVER, options);
}

/** Commands registered in another server before would otherwise stay there for ever, next to the new ones. */
async function takeAway(key: string, options: RegistrationOptions, spared?: string): Promise<void> {
  const { guildId, store } = options;
  const memory = store.table('registration', z.string());
  const before = await unlessStoreFails(options, memory.get(key));
  if (before === undefined || before === guildId) return;
  if (before !== spared) await removeFrom(before, options);
  await unlessStoreFails(options, memory.delete(key));
}

async function put(key: string, options: RegistrationOptions): Promise<void> {
  const { client, commands, guildId, store, log } = options;
  const applicationId = client.application.id;
  const route =
    guildId === undefined
      ? Routes.applicationCommands(applicationId)
      : Routes.applicationGuildCommands(applicationId, guildId);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const registered = (await client.rest.get(route, { query })) as APIApplicationCommand[];
  if (!commandsDiffer(registered, commands, guildId === undefined ? 'global' : 'guild')) {
    log.debug('The commands are registered already');
    return;
  }
  await client.rest.put(route, { body: commands });
  const memory = store.table('registration', z.string());
  if (guildId !== undefined) await unlessStoreFails(options, memory.set(key, guildId));
  log.info({ commands: commands.length, guildId }, 'Registered the commands');
}

/** Remembering is optional: without it commands are registered all the same. */
async function unlessStoreFails<Result>(
  { log }: RegistrationOptions,
  work: Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.warn({ err: error }, 'The server of the registered commands could not be looked up or stored');
    return undefined;
  }
}

async function removeFrom(formerId: string, { client, log }: RegistrationOptions): Promise<void> {
  try {
    await client.rest.put(Routes.applicationGuildCommands(client.application.id, formerId), { body: [] });
    log.info({ guildId: formerId }, 'Removed the commands of the previous server');
  } catch (error) {
    // A server that was deleted or has removed the bot has lost the commands too.
    if (!(error instanceof DiscordAPIError) || !GONE.includes(error.code)) throw error;
    log.info({ guildId: formerId }, 'The server with the previous commands is not accessible: nothing to remove there');
  }
}
