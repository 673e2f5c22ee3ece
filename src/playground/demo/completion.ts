import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { Person } from '../interface/world-types.ts';
import type { Option } from '../people/typed-command.ts';
import type { Choice } from '../state/interactions.ts';
import { CHANNEL_TYPES, OPTION } from '../state/model.ts';
import type { Screen } from './screen.ts';
import { harmless } from './show.ts';

/** Candidates, and the part of the line they replace, as readline wants them. */
export type Completion = [string[], string];

/** `ChatInput` in Discord's numbers. */
const CHAT_INPUT = 1;

/** Whose client it is, and where. */
type Place = Pick<Screen, 'person' | 'server'>;

/** Each with its `path` as typed, such as `settings voice`. */
function knownCommands(commands: readonly APIApplicationCommand[]) {
  return commands
    .filter((command) => command.type === CHAT_INPUT)
    .flatMap(({ name, options = [] }) => {
      const groups = options.filter((option) => option.type === OPTION.subcommand);
      if (groups.length === 0) return [{ path: name, options: options as readonly Option[] }];
      return groups.map((group) => ({ path: `${name} ${group.name}`, options: (group.options ?? []) as Option[] }));
    });
}

/** The option that is being filled in, and what is there of its value: of the last one, however many words it has. */
function unfinished(line: string, options: readonly Option[]): { option: Option; value: string } | undefined {
  const [last] = options
    .map((option) => ({ option, at: line.lastIndexOf(` ${option.name}:`) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at);
  return last && { option: last.option, value: line.slice(last.at + last.option.name.length + 2) };
}

/** The values that Discord's client offers by itself, by the names that it shows. */
function fixedValues({ type, choices, channel_types: types }: Option, { server, person }: Place): readonly string[] {
  if (choices?.length) return choices.map((one) => one.name_localizations?.[person.language] ?? one.name);
  const people = server.members.map(({ displayName }) => displayName);
  const roles = [...server.roles.values()];
  switch (type) {
    case OPTION.boolean:
      return ['True', 'False'];
    case OPTION.user:
      return people;
    case OPTION.role:
      return roles;
    case OPTION.mentionable:
      return [...people, ...roles];
    case OPTION.channel:
      return server.channels
        .filter(({ kind }) => !types?.length || types.includes(CHANNEL_TYPES[kind]))
        .map(({ name }) => name);
    default:
      return [];
  }
}

/**
 * Completes commands, their options, and the values that Discord's client or the bot offers. As in that client a suggestion of the
 * bot is shown by its name and sent by its value: `chosen` puts the values into a line.
 */
export function createCompletion(commands: () => readonly APIApplicationCommand[]) {
  const offered = new Map<string, string>();

  async function suggestions(person: Person, path: string, option: string, value: string): Promise<string[]> {
    const suggested: readonly Choice[] = await person.autocompletes(path, { [option]: value });
    const choices = suggested.map((choice) => ({ ...choice, name: harmless(choice.name) }));
    for (const choice of choices) offered.set(`${option}:${choice.name}`, `${option}:${choice.value}`);
    return choices.map((choice) => choice.name);
  }

  return {
    async complete(line: string, place: Place): Promise<Completion> {
      const known = knownCommands(commands());
      const command = known
        .filter(({ path }) => line.startsWith(`/${path} `))
        .sort((a, b) => b.path.length - a.path.length)[0];
      if (!command) return [known.map(({ path }) => `/${path} `).filter((path) => path.startsWith(line)), line];
      const { option, value } = unfinished(line, command.options) ?? { value: '' };
      if (option !== undefined) {
        const values = option.autocomplete
          ? await suggestions(place.person, command.path, option.name, value)
          : fixedValues(option, place).filter((name) => name.toLowerCase().startsWith(value.toLowerCase()));
        // A value that is complete is followed by the next option.
        if (values.length > 0) return [values.map((name) => `${option.name}:${name}`), `${option.name}:${value}`];
      }
      const word = line.split(' ').at(-1) ?? '';
      const unused = command.options.filter(({ name }) => !line.includes(` ${name}:`));
      return [unused.map(({ name }) => `${name}:`).filter((name) => name.startsWith(word)), word];
    },
    /** The line with picked suggestions replaced by their values. */
    chosen(line: string): string {
      // The longest first: another one may begin alike.
      const longestFirst = [...offered].sort(([a], [b]) => b.length - a.length);
      return longestFirst.reduce((sent, [shown, value]) => sent.replace(shown, () => value), line);
    },
  };
}
