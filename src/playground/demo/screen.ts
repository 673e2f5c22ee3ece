import type { Person, VisibleMessage, VisibleModal, WorldServer } from '../interface/world-types.ts';
import { splitAtNames } from '../people/typed-command.ts';
import { shownInMenu } from '../people/visible-components.ts';

/** One person's view: their server, the channel they write in, and the open modal. */
export interface Screen {
  readonly serverName: string;
  readonly server: WorldServer;
  readonly person: Person;
  /** A channel's name, or `@bot` and the like: the one that the prompt shows, for every member. */
  place: string;
  modal: VisibleModal | undefined;
  /** When the bot was last asked for something (`performance.now()`). */
  askedAtMs: number;
}

/** The members who are with the bot in this voice channel, and hear what it says there. */
export function hearersIn({ server }: Screen, channel: string | undefined): Person[] {
  const members = channel === undefined ? [] : server.channel(channel).members;
  return members.includes('bot') ? members.filter((name) => name !== 'bot').map((name) => server.member(name)) : [];
}

/** The messages of the place, and of the voice channel's own chat, oldest first. */
export function onScreen({ person, place }: Screen): readonly VisibleMessage[] {
  const { voiceChannel } = person;
  const places = [place, ...(voiceChannel === undefined || voiceChannel === place ? [] : [voiceChannel])];
  return places.flatMap((name) => person.sees(name)).sort((a, b) => a.createdAtMs - b.createdAtMs);
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
const begins = (whole: string, start: string) => whole.toLowerCase().startsWith(start.toLowerCase());

/** The first candidate of that name, or else with that prefix, or with words that no other name has; an empty name matches none. */
function named<T>(candidates: readonly T[], name: string, nameOf: (candidate: T) => string): T | undefined {
  if (name === '') return undefined;
  const called = (label: string) => candidates.find((candidate) => same(nameOf(candidate), label));
  return (
    called(name) ??
    candidates.find((candidate) => begins(nameOf(candidate), name)) ??
    called(onlyLabel([...new Set(candidates.map(nameOf))], name) ?? '')
  );
}

const inWords = (name: string) =>
  ` ${name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()}`;

/** The one of the labels with that beginning, or else with a word with it: `script` for `a script: several voices`. Undefined where several have it. */
export function onlyLabel(labels: readonly string[], typed: string): string | undefined {
  if (inWords(typed) === ' ') return undefined;
  const beginning = labels.filter((label) => begins(label, typed));
  const found = beginning.length > 0 ? beginning : labels.filter((label) => inWords(label).includes(inWords(typed)));
  return found.length === 1 ? found[0] : undefined;
}

/** The one of the names that is meant, in whatever case it was typed; what is typed where there is none. */
const nameMeant = (names: readonly string[], typed: string): string =>
  names.find((name) => name === typed) ?? names.find((name) => same(name, typed)) ?? typed;

/** The one of these commands under Apps, whose names may have several words. */
export const commandMeant = (names: readonly string[], typed: string): string | undefined =>
  named(names, typed, String);

/** The one of these channels that is meant; throws with their names where there is none. */
export function channelMeant(names: readonly string[], typed: string): string {
  const name = typed.replace(/^#/, '');
  const meant = nameMeant(names, name);
  if (names.includes(meant)) return meant;
  const only = onlyLabel(names, name);
  if (only !== undefined) return only;
  const missing = name === '' ? 'Name a channel' : `There is no channel ${name} here`;
  throw new Error(`${missing}; there are: ${names.join(', ')}.`);
}

/** The member who is meant, by either name, in whatever case it was typed; what is typed where there is none. */
export const memberMeant = ({ server }: Pick<Screen, 'server'>, typed: string): string => {
  const byName = server.members.find(({ name }) => same(name, typed));
  return (byName ?? server.members.find(({ displayName }) => same(displayName, typed)))?.name ?? typed;
};

interface ButtonOnScreen {
  readonly message: VisibleMessage;
  readonly label: string;
  readonly customId: string;
}

/** The buttons, the newest message's first. */
export function buttonsOnScreen(screen: Screen): ButtonOnScreen[] {
  return onScreen(screen)
    .toReversed()
    .flatMap((message) =>
      message.buttons.flatMap(({ label, emoji, customId, disabled }) =>
        customId === undefined || disabled ? [] : [{ message, label: label || (emoji ?? customId), customId }],
      ),
    );
}

/**
 * The button of that name, or else those that begin with it on the newest message that has one, or else the one with words that no
 * other has. Several where the beginning is that of several.
 */
export function buttonsMeant(screen: Screen, name: string): readonly ButtonOnScreen[] {
  const buttons = buttonsOnScreen(screen);
  const exact = buttons.find(({ label }) => same(label, name));
  const begun = name === '' ? [] : buttons.filter(({ label }) => begins(label, name));
  const found = exact ?? (begun.length === 0 ? named(buttons, name, ({ label }) => label) : undefined);
  if (found) return [found];
  const there = begun.filter(({ message }) => message === begun[0]?.message);
  return [...new Map(there.map((button) => [button.label, button])).values()];
}

export interface MenuOnScreen {
  readonly message: VisibleMessage;
  readonly placeholder: string;
  readonly customId: string;
  /** What stands in the closed menu: its preselected options, or else the placeholder. */
  readonly shownAs: string;
  /** Labels; nothing where people, roles or channels are picked by name. */
  readonly options: readonly string[];
}

export function menusOnScreen(screen: Screen): MenuOnScreen[] {
  return onScreen(screen)
    .toReversed()
    .flatMap((message) =>
      message.menus
        .filter(({ disabled }) => !disabled)
        .map(({ placeholder, customId, options }) => ({
          message,
          placeholder,
          customId,
          shownAs: shownInMenu({ placeholder, options }),
          options: options.map(({ label }) => label),
        })),
    );
}

export const menuName = ({ placeholder, customId }: MenuOnScreen): string => placeholder || customId;
export const takesNames = ({ options }: MenuOnScreen): boolean => options.length === 0;

export const choicesIn = (words: string): string[] =>
  words
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** `MENU=CHOICE, CHOICE`, or the choices alone when a menu offers them by label. A label may hold a comma itself. */
export function findChoice(screen: Screen, words: string): { menu: MenuOnScreen; values: string[] } | undefined {
  const menus = menusOnScreen(screen);
  const [, menuNamed, rest = ''] = /^([^=]+)=(.*)$/.exec(words) ?? [];
  if (menuNamed !== undefined) {
    const name = menuNamed.trim();
    const menu = named(menus, name, ({ shownAs }) => shownAs) ?? named(menus, name, menuName);
    const whole = menu && named(menu.options, rest.trim(), String);
    if (menu && whole !== undefined) return { menu, values: [whole] };
    if (menu) return { menu, values: choicesIn(rest).map((value) => named(menu.options, value, String) ?? value) };
  }
  for (const labels of [[words.trim()], choicesIn(words)]) {
    for (const menu of menus) {
      const values = labels.map((label) => named(menu.options, label, String));
      if (labels.length > 0 && values.every((value) => value !== undefined)) return { menu, values };
    }
  }
  return undefined;
}

/** What to say to `MENU=CHOICE` where no menu shows that name. */
export function unknownMenu(screen: Screen, words: string): string | undefined {
  const [, name] = /^([^=]+)=/.exec(words) ?? [];
  const menus = new Set(menusOnScreen(screen).map(({ shownAs }) => shownAs));
  if (name === undefined || menus.size === 0 || menus.has(name.trim())) return undefined;
  return `No menu here shows ${name}; there are: ${[...menus].join(', ')}.`;
}

/** What is shorter than this and stands before = is part of a formula rather than of a label. */
const SHORTEST_PART = 3;

/**
 * What a field can be called: its label, a beginning of it, or beside other fields words in it, that no other field has; or the
 * name that the bot has for it, which is that of the command's option.
 */
function namesOfFields({ fields }: VisibleModal): ReadonlyMap<string, string> {
  const labels = fields.map(({ label }) => label);
  const ids = fields.map(({ customId, label }): [string, string] => [customId.toLowerCase(), label]);
  const parts = labels.flatMap((label) => {
    const beginnings = Array.from(label, (_sign, index) => label.slice(0, index).trimEnd());
    // The words of the only field go to it without its name.
    const words = labels.length > 1 ? label.split(' ') : [];
    const runs = words.flatMap((_word, from) =>
      words.slice(from).map((_, more) => words.slice(from, from + more + 1).join(' ')),
    );
    return [...beginnings, ...runs]
      .filter((part) => part.length >= SHORTEST_PART && onlyLabel(labels, part) === label)
      .map((part): [string, string] => [part.toLowerCase(), label]);
  });
  return new Map([...ids, ...parts, ...labels.map((label): [string, string] => [label.toLowerCase(), label])]);
}

/** Arguments in the form of a field that the modal does not have: of several words only where there are several fields. */
export function unknownField(modal: VisibleModal, words: string): string | undefined {
  const [, name] = (modal.fields.length > 1 ? /^([^=]+)=/ : /^([\p{L}\d_-]+)=/u).exec(words.trim()) ?? [];
  // Words before a field's name go to the first field.
  const isKnown = [...namesOfFields(modal).keys()].some((known) => ` ${name}`.toLowerCase().endsWith(` ${known}`));
  return isKnown ? undefined : name;
}

/** The words of an only field: those behind its name, where they begin with that. */
function onlyWords(words: string, names: ReadonlyMap<string, string>): string {
  const [, name = '', backslash, rest = ''] = /^([^=\\]+)(\\?)=(.*)$/s.exec(words) ?? [];
  if (!names.has(name.toLowerCase())) return words;
  return backslash ? `${name}=${rest}` : rest.trim();
}

/** `Word=GIF Spoken as=jif` by the labels of the open form; words before any label go to its first field. */
export function readFields(modal: VisibleModal, words: string): Record<string, string> {
  const names = namesOfFields(modal);
  const [only, ...others] = modal.fields;
  if (only && others.length === 0) return { [only.label]: withLineEnds(onlyWords(words, names)) };
  const { leading, named: found } = splitAtNames(words, [...names.keys()], '=', 'giu');
  const filled: Record<string, string> = {};
  const [first] = modal.fields;
  if (leading !== '' && first) filled[first.label] = withLineEnds(leading);
  for (const [name, value] of found) {
    const label = names.get(name.toLowerCase());
    if (label !== undefined) filled[label] = withLineEnds(value);
  }
  return filled;
}

/** The fields that words before any field's name can be meant for, which go to the first one; none where no words are. */
export function fieldsLeft(modal: VisibleModal, words: string): string[] {
  const names = namesOfFields(modal);
  if (modal.fields.length < 2) return [];
  const { leading, named: found } = splitAtNames(words, [...names.keys()], '=', 'giu');
  if (leading === '') return [];
  const given = new Set(found.map(([name]) => names.get(name.toLowerCase())));
  return modal.fields
    .filter(({ kind, required, value }) => kind === 'text' || kind === 'paragraph' || (required && value === ''))
    .map(({ label }) => label)
    .filter((label) => !given.has(label));
}

/** A line at the prompt has no line ends: `\n` stands for one. */
const withLineEnds = (typed: string): string => typed.replaceAll('\\n', '\n');
