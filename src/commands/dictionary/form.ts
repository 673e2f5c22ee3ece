import type { Modal } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { DictionaryEntry } from '../../services/text/dictionary.ts';
import { LONGEST_FROM, LONGEST_TO } from '../../services/text/dictionary.ts';
import { readEntry } from '../../services/text/dictionary-file.ts';
import { text } from '../../texts/catalogue.ts';

/** The form for an entry, filled in with one where it is to be changed; that control gets what is sent. */
export function entryForm(control: string, argument: string, entry?: DictionaryEntry): Modal {
  const isPart = entry?.wholeWord === false;
  const isExact = entry?.caseSensitive === true;
  return {
    title: text(entry ? 'dictionary.form-edit' : 'dictionary.form-add'),
    control,
    argument,
    fields: [
      {
        kind: 'line',
        name: 'from',
        label: text('dictionary.form-from'),
        ...(entry && { value: entry.from }),
        minLength: 1,
        maxLength: LONGEST_FROM,
      },
      {
        kind: 'line',
        name: 'to',
        label: text('dictionary.form-to'),
        description: text('dictionary.form-to-hint'),
        required: false,
        ...(entry && { value: entry.to }),
        maxLength: LONGEST_TO,
      },
      {
        kind: 'select',
        name: 'where',
        label: text('dictionary.form-where'),
        options: [
          { value: 'whole', label: text('dictionary.form-whole'), chosen: !isPart },
          { value: 'part', label: text('dictionary.form-part'), chosen: isPart },
        ],
      },
      {
        kind: 'select',
        name: 'case',
        label: text('dictionary.form-case'),
        options: [
          { value: 'any', label: text('dictionary.form-any-case'), chosen: !isExact },
          { value: 'exact', label: text('dictionary.form-exact-case'), chosen: isExact },
        ],
      },
    ],
  };
}

/** What was filled in; throws a UserError for what is no entry. */
export function entryOfForm(fields: Readonly<Record<string, string>>): DictionaryEntry {
  const entry = readEntry({
    from: fields.from ?? '',
    to: fields.to ?? '',
    wholeWord: fields.where !== 'part',
    ...(fields.case === 'exact' && { caseSensitive: true }),
  });
  if ('key' in entry) throw new UserError(entry);
  return entry;
}
