import { createHash } from 'node:crypto';
import type { ModalField } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { ServerSettings } from '../../services/servers/server-settings.ts';
import { text } from '../../texts/catalogue.ts';

type Edit = (before: ServerSettings) => ServerSettings;

/**
 * A form comes back with all its fields, also with those that were only looked at, and minutes later. A mark for each of
 * them travels along in its custom id: it tells what the field showed when the form was opened.
 */
const MARK_CHARACTERS = 6;

const mark = (value: string) =>
  createHash('sha256').update(value.replaceAll('\r\n', '\n').trim()).digest('base64url').slice(0, MARK_CHARACTERS);

const shownIn = (field: ModalField): string => ('value' in field ? (field.value ?? '') : '');

export function marksOf(fields: readonly ModalField[]): string {
  return fields.map((field) => mark(shownIn(field))).join('');
}

/**
 * Which fields were changed by whoever filled the form in: all where there are no marks (anybody can send any custom id).
 * `settle` makes of an edit for all fields one for these alone; it throws a UserError where somebody else has changed one
 * of them meanwhile.
 */
export function touchedBy(
  typed: Readonly<Record<string, string>>,
  marks: string,
  fieldsOf: (settings: ServerSettings) => readonly ModalField[],
): { readonly isAny: boolean; settle(edit: Edit): Edit } {
  const fields = fieldsOf({});
  const isMarked = marks.length === fields.length * MARK_CHARACTERS;
  const markAt = (index: number) => marks.slice(index * MARK_CHARACTERS, (index + 1) * MARK_CHARACTERS);
  const isTouched = ({ name }: ModalField, index: number) => !isMarked || mark(typed[name] ?? '') !== markAt(index);
  return {
    isAny: fields.some(isTouched),
    settle: (edit) => (before) => {
      const after: Record<string, unknown> = { ...edit(before) };
      for (const [index, field] of fieldsOf(before).entries()) {
        if (!isTouched(field, index)) {
          // Where only some were touched, each field has the name of its setting.
          after[field.name] = before[field.name as keyof ServerSettings];
        } else if (isMarked && mark(shownIn(field)) !== markAt(index)) {
          throw new UserError(text('settings.changed-meanwhile', { setting: field.label }));
        }
      }
      return after;
    },
  };
}
