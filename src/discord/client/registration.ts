import {
  type APIApplicationCommand,
  type Client,
  type RESTPostAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord.js';
import type { Logger } from 'pino';

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
 * Replaces Discord's list of our commands by the wanted one, which also removes obsolete commands. Does nothing when the
 * lists are equal: there is a daily limit on creating commands.
 */
export async function registerCommands({ client, commands, log }: RegistrationOptions): Promise<void> {
  const route = Routes.applicationCommands(client.application.id);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const registered = (await client.rest.get(route, { query })) as APIApplicationCommand[];
  if (!commandsDiffer(registered, commands)) {
    log.debug('The commands are registered already');
    return;
  }
  await client.rest.put(route, { body: commands });
  log.info({ commands: commands.length }, 'Registered the commands');
}
