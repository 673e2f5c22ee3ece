import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Modal } from '../../discord/replies/layout.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  type DictionaryEntries,
  type DictionaryEntry,
  entryKey,
  MAX_ENTRIES,
  MAX_FROM,
  MAX_TO,
  type ServerDictionaries,
} from '../../services/text/dictionary.ts';
import { readEntry } from '../../services/text/dictionary-file.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { Services } from '../framework/command.ts';

/** Stands for an entry where its words do not fit: the same as long as what is written stays the same. */
export function entryId(entry: DictionaryEntry): string {
  return createHash('sha256').update(entryKey(entry)).digest('base64url').slice(0, 16);
}

/** '“gif” is spoken as “jif”'. */
export function describeEntry({ from, to, wholeWord, caseSensitive }: DictionaryEntry): Text {
  return text('dictionary.entry', {
    from: quote(from, 40),
    to: to === '' ? text('dictionary.as-nothing') : text('dictionary.as', { to: quote(to, 60) }),
    part: wholeWord ? 'no' : 'yes',
    exact: caseSensitive ? 'yes' : 'no',
  });
}

/** The same in a menu, where Markdown has no effect. */
export function entryLabel({ from, to }: DictionaryEntry): Text {
  return text('dictionary.option', { from, to: to === '' ? text('dictionary.as-nothing') : to });
}

/** In the order in which people look for words. */
export function sorted(entries: DictionaryEntries): DictionaryEntries {
  return entries.toSorted((a, b) => a.from.localeCompare(b.from));
}

/** Spoken forms that are searched at once: together as long as a text may be. */
const SEARCHED_AT_ONCE = 20;

/** Up to `most` entries whose spoken form the server blocks: a text with one of them would be rejected or bleeped. */
export async function blockedEntries(
  { texts }: Services,
  guildId: string,
  entries: DictionaryEntries,
  most = Number.POSITIVE_INFINITY,
): Promise<DictionaryEntries> {
  const isBlocked = async (words: string) =>
    (await texts.blockedIn(words, guildId, { isPronounced: true })) !== undefined;
  const blocked: DictionaryEntry[] = [];
  for (let at = 0; at < entries.length && blocked.length < most; at += SEARCHED_AT_ONCE) {
    const some = entries.slice(at, at + SEARCHED_AT_ONCE);
    if (!(await isBlocked(some.map(({ to }) => to).join('\n')))) continue;
    for (const entry of some) if (await isBlocked(entry.to)) blocked.push(entry);
  }
  return blocked.slice(0, most);
}

export const blockedProblem = ({ from, to }: DictionaryEntry): Text =>
  text('dictionary.blocked', { from: quote(from, 20), to: quote(to, 40) });

async function mustBeAllowed(services: Services, guildId: string, entry: DictionaryEntry): Promise<void> {
  const [blocked] = await blockedEntries(services, guildId, [entry]);
  if (blocked) throw new UserError(blockedProblem(blocked));
}

/** What is spoken as it is written is an exception to another entry, or nothing. */
function mustMakeDifference({ from, to }: DictionaryEntry, others: DictionaryEntries): void {
  const written = from.toLowerCase();
  if (from !== to || others.some((other) => written.includes(other.from.toLowerCase()))) return;
  throw new UserError(text('dictionary.same', { from: quote(from, 60) }));
}

/** Adds an entry, or puts it in the place of the one for the same words. Rejects with a UserError or a StoreError. */
export async function addEntry(services: Services, guildId: string, entry: DictionaryEntry): Promise<readonly Text[]> {
  await mustBeAllowed(services, guildId, entry);
  const key = entryKey(entry);
  const same = (entries: DictionaryEntries) => entries.find((one) => entryKey(one) === key);
  const { before } = await services.texts.dictionaries.change(guildId, (present) => {
    const old = same(present);
    const others = present.filter((one) => one !== old);
    mustMakeDifference(entry, others);
    if (old) return present.map((one) => (one === old ? entry : one));
    if (present.length >= MAX_ENTRIES)
      throw new UserError(text('dictionary.too-many', { count: MAX_ENTRIES + 1, limit: MAX_ENTRIES }));
    return [...present, entry];
  });
  return [difference(same(before), entry)];
}

/** Puts an entry in the place of another one, by its id. Rejects with a UserError or a StoreError. */
export async function editEntry(
  services: Services,
  guildId: string,
  id: string,
  entry: DictionaryEntry,
): Promise<readonly Text[]> {
  await mustBeAllowed(services, guildId, entry);
  const { before } = await services.texts.dictionaries.change(guildId, (present) => {
    const old = present.find((one) => entryId(one) === id);
    if (!old) throw new UserError(text('dictionary.gone'));
    const others = present.filter((one) => one !== old);
    if (others.some((one) => entryKey(one) === entryKey(entry))) {
      throw new UserError(text('dictionary.exists', { from: quote(entry.from, 60) }));
    }
    mustMakeDifference(entry, others);
    return present.map((one) => (one === old ? entry : one));
  });
  return [
    difference(
      before.find((one) => entryId(one) === id),
      entry,
    ),
  ];
}

/** Takes entries out, by their ids. Rejects with a UserError when none of them is there, or a StoreError. */
export async function removeEntries(
  dictionaries: ServerDictionaries,
  guildId: string,
  ids: readonly string[],
): Promise<readonly Text[]> {
  const { before } = await dictionaries.change(guildId, (present) => {
    const left = present.filter((one) => !ids.includes(entryId(one)));
    if (left.length === present.length) throw new UserError(text('dictionary.gone'));
    return left;
  });
  return before
    .filter((one) => ids.includes(entryId(one)))
    .map((one) => text('dictionary.removed', { before: describeEntry(one) }));
}

function difference(before: DictionaryEntry | undefined, after: DictionaryEntry): Text {
  const now = describeEntry(after);
  if (!before) return text('dictionary.added', { after: now });
  return isDeepStrictEqual(before, after)
    ? text('dictionary.unchanged', { after: now })
    : text('dictionary.changed', { after: now, before: describeEntry(before) });
}

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
        value: entry?.from,
        minLength: 1,
        maxLength: MAX_FROM,
      },
      {
        kind: 'line',
        name: 'to',
        label: text('dictionary.form-to'),
        description: text('dictionary.form-to-hint'),
        required: false,
        value: entry?.to,
        maxLength: MAX_TO,
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
    caseSensitive: fields.case === 'exact' || undefined,
  });
  if ('key' in entry) throw new UserError(entry);
  return entry;
}
