import {
  type APIApplicationCommand,
  type Client,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Logger } from 'pino';

type CommandBody = RESTPostAPIApplicationCommandsJSONBody;

/** Sorts keys and drops empty fields for a comparison: Discord adds empty fields, such as a message command's description. */
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

/** Compares only the fields that the bot sends: Discord adds others, such as ids and versions. */
function isSame(registered: APIApplicationCommand | undefined, wanted: CommandBody): boolean {
  const fields = Object.keys(wanted) as (keyof CommandBody)[];
  const sentOf = (command: CommandBody) => JSON.stringify(canonical(fields.map((field) => command[field])));
  return registered !== undefined && sentOf(registered as CommandBody) === sentOf(wanted);
}

/**
 * Replaces all commands of the bot at Discord, which deletes obsolete ones. Sends nothing if no command has changed,
 * because Discord limits how many commands can be created per day. Resolves with Discord's list.
 */
export async function registerCommands(client: Client<true>, wanted: readonly CommandBody[], log: Logger) {
  const route = Routes.applicationCommands(client.application.id);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const registered = (await client.rest.get(route, { query })) as APIApplicationCommand[];
  const isKept = (command: CommandBody) =>
    isSame(
      registered.find(({ name }) => name === command.name),
      command,
    );
  if (registered.length === wanted.length && wanted.every(isKept)) {
    log.debug('Commands are up to date: not registered again');
    return registered;
  }
  const replaced = (await client.rest.put(route, { body: wanted })) as APIApplicationCommand[];
  log.info({ commands: wanted.length }, 'Registered the commands with Discord');
  return replaced;
}
