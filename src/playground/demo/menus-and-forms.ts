import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { FieldInput, SentInteraction } from '../interface/world-types.ts';
import { NotKnown } from '../people/typed-command.ts';
import {
  choicesIn,
  type MenuOnScreen,
  menuName,
  menusOnScreen,
  onlyLabel,
  readFields,
  type Screen,
  takesNames,
  unknownMenu,
} from './screen.ts';
import { typedPath } from './typed-path.ts';

/** A file of this machine, as an upload. */
export function fileAt(typed: string) {
  const path = typedPath(typed);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new Error(`There is no file ${path}.`);
  if (stats.isDirectory()) throw new Error(`${path} is a folder, not a file.`);
  return { name: basename(path), bytes: new Uint8Array(readFileSync(path)) };
}

/** The options; menus of people, roles or channels take any name. */
export const offeredByMenus = (screen: Screen, afterMenu: string): string[] =>
  menusOnScreen(screen).flatMap((menu) => (takesNames(menu) ? `${menuName(menu)}=${afterMenu}` : menu.options));

export const picks = ({ person }: Screen, { message, customId }: MenuOnScreen, values: readonly string[]) =>
  person.selects(message, customId, values);

/** Without a menu's name, the menu that has the option is meant. */
export async function picksByName(screen: Screen, words: string): Promise<SentInteraction> {
  const askedByName = words === '' ? [] : menusOnScreen(screen).filter(takesNames);
  const names = choicesIn(words);
  const exactly = names.map((typed) => screen.server.channels.find(({ name }) => name === typed)?.id ?? typed);
  // `general` is the text channel in a later menu rather than the voice channel General in the first.
  for (const values of [exactly, names]) {
    for (const menu of askedByName) {
      try {
        return await picks(screen, menu, values);
      } catch (error) {
        if (!(error instanceof NotKnown)) throw error;
      }
    }
  }
  const wrongMenu = unknownMenu(screen, words);
  if (wrongMenu !== undefined) throw new Error(wrongMenu);
  const offered = [...new Set(offeredByMenus(screen, 'NAME'))];
  if (offered.length === 0) throw new Error('There are no menus here.');
  const missing = words === '' ? 'Name a choice' : `No menu here offers ${words}`;
  throw new Error(`${missing}; there are: ${offered.join(', ')}.`);
}

/** Several are separated by commas, which a label may have as well: that of the whole goes first. */
function choicesOf(options: readonly string[], typed: string): string[] {
  const named = (part: string) => onlyLabel(options, part);
  const whole = named(typed);
  return whole === undefined ? typed.split(',').map((part) => named(part) ?? part.trim()) : [whole];
}

/** Fields for files take a path. */
export function fieldInputs(screen: Screen, words: string): Record<string, FieldInput> {
  const { modal } = screen;
  if (!modal) return {};
  return Object.fromEntries(
    Object.entries(readFields(modal, words)).map(([label, value]) => {
      const field = modal.fields.find((candidate) => candidate.label === label);
      if (field?.kind === 'file') return [label, fileAt(value)];
      const isList = field !== undefined && !['text', 'paragraph', 'checkbox'].includes(field.kind);
      return [label, isList ? choicesOf(field.options, value) : value];
    }),
  );
}
