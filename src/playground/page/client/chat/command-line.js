/* A typed line such as `/say text:Hello there voice:Ada`, by the commands that are offered. Pure. */

/** Discord's types of options. */
export const OPTION = {
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
};

const same = (a, b) => a.toLowerCase() === b.toLowerCase();

/** The commands whose name begins with what was typed, then those that hold it. */
export function matching(commands, typed) {
  const words = typed.replace(/^\//, '').toLowerCase();
  const names = ({ shown, name }) => [shown.toLowerCase(), name.toLowerCase()];
  const begins = commands.filter((command) => names(command).some((name) => name.startsWith(words)));
  const holds = commands.filter(
    (command) => !begins.includes(command) && names(command).some((name) => name.includes(words)),
  );
  return [...begins, ...holds];
}

/** The command that stands at the start of the line, with a space after it, and what follows. */
export function commandIn(commands, line) {
  const longestFirst = [...commands].sort((a, b) => b.name.length - a.name.length);
  for (const command of longestFirst) {
    for (const name of [command.shown, command.name]) {
      const start = `/${name}`;
      if (same(line.slice(0, start.length), start) && /^\s/.test(line.slice(start.length))) {
        return { command, rest: line.slice(start.length).trimStart() };
      }
    }
  }
  return undefined;
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The values of the options in `rest`: words before the first `name:` belong to the first option. */
export function optionsIn(command, rest) {
  const names = command.options.flatMap(({ name, shown }) => [name, shown]).sort((a, b) => b.length - a.length);
  if (names.length === 0) return new Map();
  const marks = [...rest.matchAll(new RegExp(`(?:^|\\s)(${names.map(escaped).join('|')}):`, 'giu'))];
  const values = new Map();
  const leading = rest.slice(0, marks[0]?.index ?? rest.length).trim();
  if (leading !== '') values.set(command.options[0].name, leading);
  for (const [index, mark] of marks.entries()) {
    const option = command.options.find(({ name, shown }) => same(name, mark[1]) || same(shown, mark[1]));
    values.set(option.name, rest.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? rest.length).trim());
  }
  return values;
}

/** An option that was named at the end of a text, as in `Hello voice:`; the text without it. */
export function namedAtEnd(text, options) {
  const [, before = '', word] = /^([\s\S]*?)(?:^|\s)([\p{L}\d_-]+):$/u.exec(text) ?? [];
  const option =
    word === undefined ? undefined : options.find(({ name, shown }) => same(name, word) || same(shown, word));
  return option && { option, text: before };
}

/** Why Discord's client does not send this value; undefined where it does. `t` has the words. */
export function problemOf(option, value, t) {
  if (value === undefined || value === '') return option.required ? t('required') : undefined;
  const { type, min, max, minLength, maxLength } = option;
  if (type === OPTION.string && typeof value === 'string') {
    const length = [...value].length;
    if (minLength !== undefined && length < minLength) return t('tooShort', minLength);
    if (length > (maxLength ?? 6_000)) return t('tooLong', maxLength ?? 6_000);
  }
  if (type === OPTION.integer || type === OPTION.number) {
    const number = Number(value);
    if (!Number.isFinite(number) || (type === OPTION.integer && !Number.isInteger(number))) return t('noNumber');
    if (min !== undefined && number < min) return t('tooSmall', min);
    if (max !== undefined && number > max) return t('tooLarge', max);
  }
  return undefined;
}

/** The line that leads here again. */
export const lineOf = (command, values) =>
  [
    `/${command.name}`,
    ...[...values]
      .filter(([, value]) => typeof value !== 'object' && value !== '')
      .map(([name, value]) => `${name}:${value}`),
  ].join(' ');
