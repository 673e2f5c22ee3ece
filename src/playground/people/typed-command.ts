import type {
  APIApplicationCommand,
  APIApplicationCommandBasicOption,
  APIApplicationCommandOption,
  APIMessageComponentEmoji,
  APISelectMenuOption,
  LocalizationMap,
} from 'discord-api-types/v10';
import { nearestWord } from '../../process/nearest-word.ts';
import { COMPONENT, OPTION, type RegisteredCommand } from '../state/model.ts';

export type Component = Readonly<Record<string, unknown>>;

export type VisibleModal = ReturnType<typeof modalView>;
export type MenuKind = 'string' | 'user' | 'role' | 'mentionable' | 'channel';

const STYLES = ['primary', 'secondary', 'success', 'danger', 'link', 'premium'] as const;

export const MENU_KINDS: Readonly<Record<number, MenuKind>> = {
  [COMPONENT.stringSelect]: 'string',
  [COMPONENT.userSelect]: 'user',
  [COMPONENT.roleSelect]: 'role',
  [COMPONENT.mentionableSelect]: 'mentionable',
  [COMPONENT.channelSelect]: 'channel',
};

/** All components from top to bottom, nested components right after their container. */
export function* everyComponent(components: readonly unknown[]): Generator<Component> {
  for (const value of components) {
    if (typeof value !== 'object' || value === null) continue;
    const component = value as Component;
    yield component;
    if (Array.isArray(component.components)) yield* everyComponent(component.components);
    yield* everyComponent([component.accessory, component.component]);
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const optional = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function buttonView(component: Component) {
  const emoji = component.emoji as APIMessageComponentEmoji | undefined;
  return {
    /** The button's label; empty if the button shows only an emoji. */
    label: text(component.label),
    emoji: emoji?.name,
    customId: optional(component.custom_id),
    url: optional(component.url),
    style: STYLES[Number(component.style) - 1] ?? 'secondary',
    disabled: component.disabled === true,
  };
}

const optionsOf = (component: Component) =>
  (Array.isArray(component.options) ? component.options : []) as APISelectMenuOption[];

function menuView(component: Component) {
  return {
    customId: text(component.custom_id),
    kind: MENU_KINDS[Number(component.type)] ?? 'string',
    placeholder: text(component.placeholder),
    options: optionsOf(component).map(({ label, value, description, default: chosen = false }) => ({
      label,
      value,
      description,
      chosen,
    })),
    min: count(component.min_values) ?? 1,
    max: count(component.max_values) ?? 1,
    disabled: component.disabled === true,
  };
}

export function buttonsOf(components: readonly unknown[]) {
  return [...everyComponent(components)].filter(({ type }) => type === COMPONENT.button).map(buttonView);
}

export function menusOf(components: readonly unknown[]) {
  return [...everyComponent(components)].filter(({ type }) => MENU_KINDS[Number(type)] !== undefined).map(menuView);
}

const bracketed = (words: string, disabled: boolean) => `[${words}]${disabled ? ' (disabled)' : ''}`;
const shownInMenu = ({ options, placeholder }: ReturnType<typeof menuView>): string =>
  options
    .filter(({ chosen }) => chosen)
    .map(({ label }) => label)
    .join(', ') || placeholder;

function lineOf(component: Component): string | undefined {
  const menuKind = MENU_KINDS[Number(component.type)];
  if (menuKind) {
    const menu = menuView(component);
    return bracketed(`menu: ${shownInMenu(menu)}`, menu.disabled);
  }
  switch (component.type) {
    case COMPONENT.textDisplay:
      return text(component.content);
    case COMPONENT.button: {
      const { label, emoji, url, disabled } = buttonView(component);
      return bracketed([emoji, label, url && `→ ${url}`].filter(Boolean).join(' '), disabled);
    }
    case COMPONENT.separator:
      return component.divider === false ? undefined : '---';
    default:
      return undefined;
  }
}

export const linesOf = (components: readonly unknown[]): string[] =>
  [...everyComponent(components)].flatMap((component) => lineOf(component) ?? []);

const FIELD_KINDS: Readonly<Record<number, MenuKind | 'file'>> = {
  ...MENU_KINDS,
  [COMPONENT.fileUpload]: 'file',
};

function fieldView(component: Component, label: unknown, description: unknown) {
  const options = optionsOf(component);
  const isText = component.type === COMPONENT.textInput;
  const typed = component.style === 2 ? ('paragraph' as const) : ('text' as const);
  const preset = options.filter((option) => option.default).map((option) => option.label);
  return {
    customId: text(component.custom_id),
    label: text(label),
    description: optional(description),
    kind: isText ? typed : (FIELD_KINDS[Number(component.type)] ?? ('text' as const)),
    required: component.required !== false,
    placeholder: text(component.placeholder),
    value: isText ? text(component.value) : preset.join(', '),
    options: options.map((option) => option.label),
    min: count(isText ? component.min_length : component.min_values),
    max: count(isText ? component.max_length : component.max_values),
  };
}

export function modalView(
  interactionId: string,
  modal: { readonly customId: string; readonly title: string; readonly components: readonly unknown[] },
) {
  const { customId, title, components } = modal;
  const all = [...everyComponent(components)];
  const fields = (components as readonly Component[]).flatMap((outer) => {
    if (outer.type !== COMPONENT.label) return [];
    return [fieldView(outer.component as Component, outer.label, outer.description)];
  });
  const texts = all.filter(({ type }) => type === COMPONENT.textDisplay).map(({ content }) => text(content));
  return { interactionId, customId, title, components, text: texts.join('\n'), fields };
}

/** Discord's client would reject the input: it tells the member why, and sends nothing to the bot. */
export class CommandRefused extends Error {}

export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

export type OptionInput = string | number | boolean | FileInput;

export interface FileInput {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** An option that takes a value, unlike a subcommand or a group of subcommands. */
export type Option = APIApplicationCommandBasicOption;

const inLanguage = (texts: LocalizationMap | null | undefined, language: string) =>
  texts?.[language as keyof LocalizationMap];

export const nameIn = (named: Pick<APIApplicationCommand, 'name' | 'name_localizations'>, language: string) =>
  inLanguage(named.name_localizations, language) ?? named.name;

export const descriptionIn = (
  described: Pick<APIApplicationCommand, 'description' | 'description_localizations'>,
  language: string,
) => inLanguage(described.description_localizations, language) ?? described.description;

export interface ChosenCommand {
  readonly command: RegisteredCommand;
  readonly steps: readonly { readonly name: string; readonly type: number }[];
  readonly options: readonly Option[];
}

export const fullName = ({ command, steps }: ChosenCommand): string =>
  [command.name, ...steps.map((step) => step.name)].join(' ');

/** Finds the command in typed words such as `settings voice`. */
export function chooseCommand(commands: readonly RegisteredCommand[], words: readonly string[]): ChosenCommand {
  const name = words[0] ?? '';
  const command = commands.find((candidate) => candidate.type === 1 && candidate.name === name);
  if (!command) {
    const slash = commands.filter(({ type }) => type === 1).map((other) => other.name);
    const nearest = nearestWord(name.toLowerCase(), slash);
    if (nearest === undefined) throw new CommandRefused(`There is no command /${name} here`);
    throw new CommandRefused(`There is no command /${name} here: did you mean /${nearest}?`);
  }
  const steps: { name: string; type: number }[] = [];
  let options: readonly APIApplicationCommandOption[] = command.options ?? [];
  while (options.some(isNested)) {
    const next = options.filter(isNested).find((option) => option.name === words[steps.length + 1]);
    if (!next) {
      const offered = options.map((option) => option.name).join(', ');
      throw new CommandRefused(`/${words.slice(0, steps.length + 1).join(' ')} needs one of: ${offered}`);
    }
    steps.push({ name: next.name, type: next.type });
    options = next.options ?? [];
  }
  return { command, steps, options: options.filter(takesValue) };
}

const isNested = (option: APIApplicationCommandOption) =>
  option.type === OPTION.subcommand || option.type === OPTION.group;
export const takesValue = (option: APIApplicationCommandOption) => !isNested(option);

/** As in Discord's client, words before the first `name:` fill the first option. */
export function parseCommandLine(
  commands: readonly RegisteredCommand[],
  line: string,
): { chosen: ChosenCommand; values: Record<string, OptionInput> } {
  if (!line.startsWith('/')) throw new CommandRefused('A command starts with /');
  const words = line.slice(1).trim().split(/\s+/);
  const chosen = chooseCommand(commands, words);
  const rest = line
    .slice(1)
    .trimStart()
    .replace(new RegExp(`^(\\S+\\s*){${chosen.steps.length + 1}}`), '');
  return { chosen, values: parseOptions(chosen, rest) };
}

function parseOptions(chosen: ChosenCommand, rest: string): Record<string, OptionInput> {
  const values: Record<string, OptionInput> = {};
  const names = chosen.options.map((option) => option.name);
  if (names.length === 0) {
    if (rest.trim() !== '') throw new CommandRefused(`/${fullName(chosen)} takes no options`);
    return values;
  }
  const { leading, named } = splitAtNames(rest, names);
  for (const [name, value] of named) {
    if (name in values) {
      throw new CommandRefused(`The option ${name} is given twice: as a word of a text, write ${name}\\:`);
    }
    values[name] = value;
  }
  if (leading === '') return values;
  const [first] = chosen.options;
  if (!first || first.name in values) {
    throw new CommandRefused(`"${leading}" belongs to no option: write ${names.map((name) => `${name}:…`).join(', ')}`);
  }
  values[first.name] = leading;
  return values;
}

/** In `name\:`, the backslash is removed, and the name is an ordinary word. */
function splitAtNames(text: string, names: readonly string[]) {
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  const escaped = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const marks = [...text.matchAll(new RegExp(`(?:^|\\s)(${escaped}):`, 'gu'))];
  const escapedNames = new RegExp(`(^|\\s)(${escaped})\\\\:`, 'gu');
  const asWords = (part: string) => part.replaceAll(escapedNames, '$1$2:').trim();
  const named = marks.map((mark, index): [string, string] => {
    const words = text.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? text.length);
    return [mark[1] ?? '', asWords(words)];
  });
  return { leading: asWords(text.slice(0, marks[0]?.index ?? text.length)), named };
}
