import { CommandRefused } from '../people/typed-command.ts';
import { OPTION } from '../state/model.ts';
import type { Person, World } from '../world/world.ts';

/** A command or option as it is registered, with the names of other languages. */
interface Registered {
  readonly name: string;
  readonly description?: string;
  readonly name_localizations?: Readonly<Record<string, string | null>> | null;
  readonly description_localizations?: Readonly<Record<string, string | null>> | null;
  readonly type: number;
  readonly required?: boolean;
  readonly autocomplete?: boolean;
  readonly options?: readonly Registered[];
  readonly choices?: readonly (Pick<Registered, 'name' | 'name_localizations'> & { readonly value: string | number })[];
  readonly min_value?: number;
  readonly max_value?: number;
  readonly min_length?: number;
  readonly max_length?: number;
}

const nameIn = ({ name, name_localizations }: Pick<Registered, 'name' | 'name_localizations'>, language: string) =>
  name_localizations?.[language] ?? name;
const aboutIn = ({ description = '', description_localizations }: Registered, language: string) =>
  description_localizations?.[language] ?? description;

function optionView(option: Registered, language: string) {
  return {
    name: option.name,
    shown: nameIn(option, language),
    about: aboutIn(option, language),
    type: option.type,
    required: option.required ?? false,
    suggests: option.autocomplete ?? false,
    choices: (option.choices ?? []).map((choice) => ({ name: nameIn(choice, language), value: choice.value })),
    min: option.min_value,
    max: option.max_value,
    minLength: option.min_length,
    maxLength: option.max_length,
  };
}

type CommandView = ReturnType<typeof slashView>;

function slashView(path: readonly Registered[], last: Registered, language: string) {
  return {
    name: path.map(({ name }) => name).join(' '),
    shown: path.map((step) => nameIn(step, language)).join(' '),
    about: aboutIn(last, language),
    options: (last.options ?? []).map((option) => optionView(option, language)),
  };
}

const isNested = ({ type }: Registered) => type === OPTION.subcommand || type === OPTION.group;

function leaves(path: readonly Registered[], command: Registered, language: string): CommandView[] {
  const nested = (command.options ?? []).filter(isNested);
  if (nested.length === 0) return [slashView(path, command, language)];
  return nested.flatMap((step) => leaves([...path, step], step, language));
}

/** What Discord's client offers this person after a slash, and under Apps of a message. */
export function offeredCommands(world: World, person: Person, place: string) {
  const visible = seenCommands(person, place);
  const registered = new Map(world.bot.commands.map((command) => [command.id, command as unknown as Registered]));
  const slash = visible.flatMap(({ id, kind }) => {
    const command = kind === 'slash' ? registered.get(id) : undefined;
    return command ? leaves([command], command, person.language) : [];
  });
  const apps = visible.flatMap(({ id, kind, name }) =>
    kind === 'message' ? [{ name: registered.get(id)?.name ?? name, shown: name }] : [],
  );
  return { slash, apps };
}

function seenCommands(person: Person, place: string) {
  try {
    return person.seesCommands({ in: place });
  } catch (error) {
    // Without the permission to use commands the client offers none.
    if (error instanceof CommandRefused) return [];
    throw error;
  }
}
