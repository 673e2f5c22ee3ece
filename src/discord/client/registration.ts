import { isDeepStrictEqual } from 'node:util';
import {
  type APIApplicationCommand,
  type Client,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Logger } from 'pino';

type CommandBody = RESTPostAPIApplicationCommandsJSONBody;

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).length === 0
    : value === null || value === false || value === '';

/** Drops empty fields for a comparison: Discord adds them, such as a message command's description. */
const withoutEmpty = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, inner: unknown) => (isEmpty(inner) ? undefined : inner));

/** Compares only the fields that the bot sends: Discord adds others, such as ids and versions. */
function isSame(registered: APIApplicationCommand | undefined, wanted: CommandBody): boolean {
  const fields = Object.keys(wanted) as (keyof CommandBody)[];
  const sentOf = (command: CommandBody) => withoutEmpty(fields.map((field) => command[field]));
  return registered !== undefined && isDeepStrictEqual(sentOf(registered as CommandBody), sentOf(wanted));
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
