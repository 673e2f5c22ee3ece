import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { Person } from '../people/person.ts';
import { descriptionIn, nameIn, type Option, takesValue } from '../people/typed-command.ts';
import { CHANNEL_TYPES, OPTION } from '../state/model.ts';
import type { WorldServer } from './world-server.ts';

interface Place {
  readonly person: Person;
  readonly server: WorldServer;
  readonly place: string;
}

/** Removes control characters except line breaks: messages must not control the terminal that shows them. */
export function harmless(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '');
}

function knownCommands(commands: readonly APIApplicationCommand[], { person, place }: Place) {
  const seen = new Map(person.seesCommands({ in: place }).map((command) => [command.id, command]));
  return commands.flatMap(({ id, name, options = [] }) => {
    const command = seen.get(id);
    if (command?.kind !== 'slash') return [];
    const nested = options.filter((option) => option.type === OPTION.subcommand);
    const { description: about } = command;
    if (nested.length === 0) return [{ path: name, about, options: options.filter(takesValue) }];
    return nested.map((step) => ({
      path: `${name} ${step.name}`,
      about: descriptionIn(step, person.language),
      options: step.options ?? [],
    }));
  });
}

/** The last option in a command line, and the value typed so far, which may contain spaces. */
function unfinished(line: string, options: readonly Option[]): { option: Option; value: string } | undefined {
  const [last] = options
    .map((option) => ({ option, at: line.lastIndexOf(` ${option.name}:`) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at);
  return last && { option: last.option, value: line.slice(last.at + last.option.name.length + 2) };
}

/** The values that Discord's client offers for an option without asking the bot. */
function fixedValues(option: Option, { server, person }: Place): readonly string[] {
  if ('choices' in option && option.choices?.length) return option.choices.map((one) => nameIn(one, person.language));
  const people = server.members.map(({ displayName }) => displayName);
  const roles = [...server.roles.values()];
  switch (option.type) {
    case OPTION.boolean:
      return ['True', 'False'];
    case OPTION.user:
      return people;
    case OPTION.role:
      return roles;
    case OPTION.mentionable:
      return [...people, ...roles];
    case OPTION.channel: {
      const types: readonly number[] = option.channel_types ?? [];
      const fitting = server.channels.filter(({ kind }) => types.length === 0 || types.includes(CHANNEL_TYPES[kind]));
      return fitting.map(({ name }) => name);
    }
    default:
      return [];
  }
}

/** As in Discord's client, a suggestion shows a name but sends a value. */
export function createCompletion(commands: () => readonly APIApplicationCommand[]) {
  const offered = new Map<string, string>();

  async function suggestions({ person, place }: Place, path: string, option: string, value: string): Promise<string[]> {
    const suggested = await person.autocompletes(path, { [option]: value }, { in: place });
    return suggested.map((choice) => {
      const name = harmless(choice.name);
      offered.set(`${option}:${name}`, `${option}:${choice.value}`);
      return name;
    });
  }

  return {
    async complete(line: string, place: Place) {
      const known = knownCommands(commands(), place);
      const command = known
        .filter(({ path }) => line.startsWith(`/${path} `))
        .sort((a, b) => b.path.length - a.path.length)[0];
      if (!command) {
        const begun = known.filter(({ path }) => `/${path} `.startsWith(line));
        return { part: line, choices: begun.map(({ path, about }) => ({ text: `/${path} `, about })) };
      }
      const { option, value } = unfinished(line, command.options) ?? { value: '' };
      if (option !== undefined) {
        const values =
          'autocomplete' in option && option.autocomplete
            ? await suggestions(place, command.path, option.name, value)
            : fixedValues(option, place).filter((name) => name.toLowerCase().startsWith(value.toLowerCase()));
        // If no value fits, the command's next option is suggested.
        if (values.length > 0)
          return {
            part: `${option.name}:${value}`,
            choices: values.map((name) => ({ text: `${option.name}:${name}` })),
          };
      }
      const part = line.split(' ').at(-1) ?? '';
      const unused = command.options.filter(({ name }) => !line.includes(` ${name}:`) && `${name}:`.startsWith(part));
      return {
        part,
        choices: unused.map((each) => ({ text: `${each.name}:`, about: descriptionIn(each, place.person.language) })),
      };
    },
    /** Replaces the names of offered suggestions by the values that Discord's client sends for them. */
    chosen(line: string): string {
      // Longer names are replaced first: replacing a shorter name that begins a longer name would break the longer name.
      const longestFirst = [...offered].sort(([a], [b]) => b.length - a.length);
      return longestFirst.reduce((sent, [shown, value]) => sent.replace(shown, () => value), line);
    },
  };
}
