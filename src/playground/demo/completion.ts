import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { Person } from '../interface/world-types.ts';
import type { Choice } from '../state/interactions.ts';
import { harmless } from './show.ts';

/** Candidates, and the part of the line they replace, as readline wants them. */
export type Completion = [string[], string];

/** `Subcommand` and `ChatInput` in Discord's numbers. */
const SUBCOMMAND = 1;
const CHAT_INPUT = 1;

/** Each with its `path` as typed, such as `settings voice`. */
function knownCommands(commands: readonly APIApplicationCommand[]) {
  return commands
    .filter((command) => command.type === CHAT_INPUT)
    .flatMap(({ name, options = [] }) => {
      const groups = options.filter((option) => option.type === SUBCOMMAND);
      if (groups.length === 0) return [{ path: name, options }];
      return groups.map((group) => ({ path: `${name} ${group.name}`, options: group.options ?? [] }));
    });
}

/**
 * Completes commands, their options, and the values that the bot suggests. As in Discord's client a suggestion is shown
 * by its name and sent by its value: `chosen` puts the values into a line.
 */
export function createCompletion(commands: () => readonly APIApplicationCommand[]) {
  const offered = new Map<string, string>();

  async function suggestions(person: Person, path: string, option: string, value: string): Promise<Completion> {
    const suggested: readonly Choice[] = await person.autocompletes(path, { [option]: value });
    const choices = suggested.map((choice) => ({ ...choice, name: harmless(choice.name) }));
    for (const choice of choices) offered.set(`${option}:${choice.name}`, `${option}:${choice.value}`);
    return [choices.map((choice) => `${option}:${choice.name}`), `${option}:${value}`];
  }

  return {
    async complete(line: string, person: Person): Promise<Completion> {
      const known = knownCommands(commands());
      const command = known
        .filter(({ path }) => line.startsWith(`/${path} `))
        .sort((a, b) => b.path.length - a.path.length)[0];
      if (!command) return [known.map(({ path }) => `/${path} `).filter((path) => path.startsWith(line)), line];
      const [, option = '', value = ''] = /(?:^|\s)([\w-]+):([^:]*)$/.exec(line) ?? [];
      const definition = command.options.find(({ name }) => name === option);
      if (definition && 'autocomplete' in definition && definition.autocomplete) {
        return suggestions(person, command.path, option, value);
      }
      const word = line.split(' ').at(-1) ?? '';
      const unused = command.options.filter(({ name }) => !line.includes(` ${name}:`));
      return [unused.map(({ name }) => `${name}:`).filter((name) => name.startsWith(word)), word];
    },
    /** The line with picked suggestions replaced by their values. */
    chosen(line: string): string {
      let sent = line;
      for (const [shown, value] of offered) sent = sent.replace(shown, () => value);
      return sent;
    },
  };
}
