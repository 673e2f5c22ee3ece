import { isDeepStrictEqual } from 'node:util';
import { parse, stringify, type TomlTable } from 'smol-toml';

/*
 * Changes to a TOML text that leave the rest of it, comments included, as it is. Each change is made line by line and then
 * proven by parsing: where a file's layout is too unusual for that (dotted keys, inline tables), the whole text is
 * written anew and only its comments are lost.
 */

interface TomlPlace {
  /** The name in `[env.NAME]`; undefined for the top level. */
  readonly env: string | undefined;
  readonly key: string;
}

/** Sets a value, or removes it with undefined. The table is made when it is missing. */
export function setInText(text: string, { env, key }: TomlPlace, value: string | undefined): string {
  const wanted = parse(text);
  const table = env === undefined ? wanted : tableOf(tableOf(wanted, 'env'), env);
  if (value === undefined) delete table[key];
  else table[key] = value;
  return proven(setInLines(text, { env, key }, value), wanted);
}

/** Makes an empty `[env.NAME]`. */
export function addTable(text: string, env: string): string {
  const wanted = parse(text);
  tableOf(tableOf(wanted, 'env'), env);
  return proven(withTable(linesOf(text), env).join(eolOf(text)), wanted);
}

/** Removes `[env.NAME]` with everything in it. */
export function removeTable(text: string, env: string): string {
  const wanted = parse(text);
  const envs = tableOf(wanted, 'env');
  delete envs[env];
  if (Object.keys(envs).length === 0) delete wanted.env;
  const lines = linesOf(text);
  const range = sectionOf(lines, env);
  if (range !== undefined) lines.splice(range.header, range.end - range.header);
  return proven(lines.join(eolOf(text)), wanted);
}

function proven(edited: string, wanted: TomlTable): string {
  try {
    if (isDeepStrictEqual(plainCopy(parse(edited)), plainCopy(wanted))) return edited;
  } catch {
    // Not TOML any more: the layout was more than the lines showed.
  }
  return `${stringify(wanted).trimEnd()}\n`;
}

/** Without prototypes and empty `env` tables, which say nothing. */
function plainCopy(table: TomlTable): unknown {
  const copy = structuredClone(table) as Record<string, unknown>;
  if (typeof copy.env === 'object' && copy.env !== null && Object.keys(copy.env).length === 0) delete copy.env;
  return JSON.parse(JSON.stringify(copy));
}

function tableOf(parent: TomlTable, name: string): TomlTable {
  const existing = parent[name];
  if (typeof existing === 'object' && existing !== null && !Array.isArray(existing) && !(existing instanceof Date)) {
    return existing as TomlTable;
  }
  // As the parser makes them: `__proto__` is a name like any other.
  const made: TomlTable = Object.create(null);
  parent[name] = made;
  return made;
}

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
const linesOf = (text: string): string[] => text.split(/\r?\n/);
const quoted = (value: string): string => JSON.stringify(value);
/** Control characters that JSON leaves as they are and TOML forbids. */
const tomlString = (value: string): string => quoted(value).replaceAll('\u007f', '\\u007F');
const bareOrQuoted = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : tomlString(name));

/** A table: its header line (−1 for the top level), and the line after its last, without comments of the next one. */
function sectionOf(lines: readonly string[], env: string | undefined): { header: number; end: number } | undefined {
  const header = env === undefined ? -1 : lines.findIndex((line) => isHeaderOf(line, env));
  if (env !== undefined && header === -1) return undefined;
  const next = lines.findIndex((line, index) => index > header && /^\s*\[/.test(line));
  if (next === -1) return { header, end: lines.length };
  let end = next;
  while (end > header + 1 && /^\s*#/.test(lines[end - 1] ?? '')) end--;
  return { header, end };
}

function isHeaderOf(line: string, env: string): boolean {
  const name = /^\s*\[\s*env\s*\.\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))\s*\]\s*(?:#.*)?$/.exec(line);
  return name !== null && (name[1] ?? name[2] ?? name[3]) === env;
}

function setInLines(text: string, { env, key }: TomlPlace, value: string | undefined): string {
  let lines = linesOf(text);
  if (env !== undefined && value !== undefined && sectionOf(lines, env) === undefined) lines = withTable(lines, env);
  const section = sectionOf(lines, env);
  if (section === undefined) return text;
  const { header, end } = section;
  const assignment = new RegExp(`^\\s*(?:${key}|"${key}"|'${key}')\\s*=`);
  const at = lines.findIndex((line, index) => index > header && index < end && assignment.test(line));
  if (value === undefined) {
    if (at !== -1) lines.splice(at, 1);
  } else if (at !== -1) {
    // A comment behind a value on one line stays.
    const comment = /=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*')(\s*#.*)$/.exec(lines[at] ?? '')?.[1] ?? '';
    lines[at] = `${key} = ${tomlString(value)}${comment}`;
  } else {
    let after = end;
    while (after > header + 1 && (lines[after - 1] ?? '').trim() === '') after--;
    const startsFile = header === -1 && after < lines.length && (lines[after] ?? '').trim() !== '';
    lines.splice(after, 0, `${key} = ${tomlString(value)}`, ...(startsFile ? [''] : []));
  }
  if (lines.at(-1) !== '') lines.push('');
  return lines.join(eolOf(text));
}

function withTable(lines: readonly string[], env: string): string[] {
  const kept = [...lines];
  while (kept.length > 0 && (kept.at(-1) ?? '').trim() === '') kept.pop();
  return [...kept, ...(kept.length > 0 ? [''] : []), `[env.${bareOrQuoted(env)}]`, ''];
}
