import {
  type APIApplicationCommand,
  type Client,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Logger } from 'pino';

type CommandBody = RESTPostAPIApplicationCommandsJSONBody;

/** Discord adds other fields, such as ids and versions. */
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

/** Sorts keys and drops empty fields. Discord adds such fields, for example a description to a message command. */
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

export function commandsDiffer(registered: readonly object[], wanted: readonly object[]): boolean {
  const fingerprint = (commands: readonly object[]) =>
    commands
      .map((command) => {
        const fields = Object.fromEntries(COMPARED.map((key) => [key, (command as Record<string, unknown>)[key]]));
        return JSON.stringify(canonical({ ...fields, type: fields.type ?? 1 }));
      })
      .sort()
      .join('\n');
  return fingerprint(registered) !== fingerprint(wanted);
}

interface RegistrationOptions {
  readonly client: Client<true>;
  readonly commands: readonly CommandBody[];
  readonly log: Logger;
}

/**
 * Sends nothing if no command has changed, because Discord limits how many commands can be created per day. Resolves
 * with Discord's list.
 */
export async function registerCommands({
  client,
  commands,
  log,
}: RegistrationOptions): Promise<readonly APIApplicationCommand[]> {
  const route = Routes.applicationCommands(client.application.id);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const registered = (await client.rest.get(route, { query })) as APIApplicationCommand[];
  if (!commandsDiffer(registered, commands)) {
    log.debug('Commands are up to date: not registered again');
    return registered;
  }
  const replaced = (await client.rest.put(route, { body: commands })) as APIApplicationCommand[];
  log.info({ commands: commands.length }, 'Registered the commands with Discord');
  return replaced;
}
