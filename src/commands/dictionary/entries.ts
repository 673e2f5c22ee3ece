import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { button, type Modal, type PanelPart, quote, type Row } from '../../discord/replies/layout.ts';
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
import { firstLines, type Text, text } from '../../texts/catalog.ts';
import { type Page, pageAsked, pageLines, pageOf, pageRows } from '../framework/buttons.ts';
import { type Control, messageControl, type Reply, type Services, serverControl } from '../framework/command.ts';

/** An entry keeps this id if only its spoken form changes. */
export function entryId(entry: DictionaryEntry): string {
  return createHash('sha256').update(entryKey(entry)).digest('base64url').slice(0, 16);
}

function describeEntry({ from, to, wholeWord, caseSensitive }: DictionaryEntry): Text {
  return text('dictionary.entry', {
    from: quote(from, 40),
    to: to === '' ? text('dictionary.as-nothing') : text('dictionary.as', { to: quote(to, 60) }),
    part: wholeWord ? 'no' : 'yes',
    exact: caseSensitive ? 'yes' : 'no',
  });
}

/** Discord's menus do not render Markdown, so this label has none. */
export function entryLabel({ from, to }: DictionaryEntry): Text {
  return text('dictionary.option', { from, to: to === '' ? text('dictionary.as-nothing') : to });
}

export function sorted(entries: DictionaryEntries): DictionaryEntries {
  return entries.toSorted((a, b) => a.from.localeCompare(b.from));
}

/** Entries are searched in groups of 20, whose spoken forms together have at most 4,000 characters, as a text has. */
const SEARCHED_AT_ONCE = 20;

/** Finds the entries with a blocked word in the spoken form. Texts that use them would be rejected or bleeped. */
export async function blockedEntries(
  { texts }: Services,
  guildId: string,
  entries: DictionaryEntries,
): Promise<DictionaryEntries> {
  const isBlocked = async (words: string) =>
    (await texts.blockedIn(words, guildId, { isPronounced: true })) !== undefined;
  const blocked: DictionaryEntry[] = [];
  for (let at = 0; at < entries.length; at += SEARCHED_AT_ONCE) {
    const some = entries.slice(at, at + SEARCHED_AT_ONCE);
    if (!(await isBlocked(some.map(({ to }) => to).join('\n')))) continue;
    for (const entry of some) if (await isBlocked(entry.to)) blocked.push(entry);
  }
  return blocked;
}

export const blockedProblem = ({ from, to }: DictionaryEntry): Text =>
  text('dictionary.blocked', { from: quote(from, 20), to: quote(to, 40) });

/** An entry that changes nothing is accepted only if it protects its words from another entry that matches a part. */
function mustMakeDifference({ from, to }: DictionaryEntry, others: DictionaryEntries): void {
  const written = from.toLowerCase();
  if (from !== to || others.some((other) => written.includes(other.from.toLowerCase()))) return;
  throw new UserError(text('dictionary.same', { from: quote(from, 60) }));
}

/** Replaces the entry `id`, or else an entry for the same words. Rejects with a UserError or a StoreError. */
async function putEntry(
  services: Services,
  guildId: string,
  entry: DictionaryEntry,
  id?: string,
): Promise<readonly Text[]> {
  const [blocked] = await blockedEntries(services, guildId, [entry]);
  if (blocked) throw new UserError(blockedProblem(blocked));
  const sameWords = (one: DictionaryEntry) => entryKey(one) === entryKey(entry);
  const isReplaced = (one: DictionaryEntry) => (id === undefined ? sameWords(one) : entryId(one) === id);
  const { before } = await services.texts.dictionaries.change(guildId, (present) => {
    const old = present.find(isReplaced);
    if (!old && id !== undefined) throw new UserError(text('dictionary.gone'));
    const others = present.filter((one) => one !== old);
    if (others.some(sameWords)) throw new UserError(text('dictionary.exists', { from: quote(entry.from, 60) }));
    mustMakeDifference(entry, others);
    if (old) return present.map((one) => (one === old ? entry : one));
    if (present.length >= MAX_ENTRIES)
      throw new UserError(text('dictionary.too-many', { count: MAX_ENTRIES + 1, limit: MAX_ENTRIES }));
    return [...present, entry];
  });
  return [difference(before.find(isReplaced), entry)];
}

/** Rejects with a UserError if none of these entries exists any more, or with a StoreError. */
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

/** Without `entry`, the form adds an entry. `control` names the handler of the submitted form. */
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
        required: true,
        value: entry?.from ?? '',
        maxLength: MAX_FROM,
      },
      {
        kind: 'line',
        name: 'to',
        label: text('dictionary.form-to'),
        description: text('dictionary.form-to-hint'),
        required: false,
        value: entry?.to ?? '',
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

function entryOfForm(fields: Readonly<Record<string, string>>): DictionaryEntry {
  const entry = readEntry({
    from: fields.from ?? '',
    to: fields.to ?? '',
    wholeWord: fields.where !== 'part',
    caseSensitive: fields.case === 'exact' || undefined,
  });
  if ('key' in entry) throw new UserError(entry);
  return entry;
}

/** Eight entries fit into one message, however long the words are. */
const PAGE = 8;
const MAX_NEWS = 3;

export async function dictionaryPanel(
  { texts }: Services,
  guildId: string,
  asked: number,
  news: readonly Text[] = [],
): Promise<Reply> {
  const entries = sorted(await texts.dictionaries.entries(guildId));
  const page = pageOf(entries, PAGE, asked);
  const told = firstLines(news, MAX_NEWS);
  const panel: PanelPart[] = [
    { kind: 'text', lines: [text('dictionary.title')] },
    ...(told.length > 0 ? [{ kind: 'text', lines: told } as const] : []),
    { kind: 'separator' },
    { kind: 'text', lines: linesOf(entries.length, page) },
    ...[...menus(page), ...pageRows('dictionary-page', page)].map((row) => ({ kind: 'row', row }) as const),
    { kind: 'row', row: [button('dictionary-add', text('dictionary.form-add'), `${page.number}`)] },
  ];
  return { lines: [], panel };
}

function linesOf(count: number, page: Page<DictionaryEntry>): Text[] {
  if (count === 0) return [text('dictionary.empty')];
  return [
    ...page.shown.map((entry) => text('lines.item', { item: describeEntry(entry) })),
    text('words.count', { count }),
    ...pageLines(page),
  ];
}

function menus({ number, shown }: Page<DictionaryEntry>): Row[] {
  if (shown.length === 0) return [];
  const options = shown.map((entry) => ({ value: entryId(entry), label: entryLabel(entry) }));
  const choosable = { atLeast: 1, atMost: options.length };
  const menu = { kind: 'select', argument: `${number}`, options } as const;
  return [
    { ...menu, control: 'dictionary-edit', placeholder: text('dictionary.form-edit') },
    { ...menu, control: 'dictionary-remove', placeholder: text('dictionary.remove'), choosable },
  ];
}

export const listControls: readonly Control[] = [
  messageControl(
    'dictionary-page',
    ({ interaction, services, argument }) =>
      () =>
        dictionaryPanel(services, interaction.guildId, pageAsked(argument)),
  ),
  serverControl({
    name: 'dictionary-add',
    replyTo: 'message',
    begin({ argument }) {
      return { modal: entryForm('dictionary-fill', `${pageAsked(argument)}`) };
    },
  }),
  serverControl({
    name: 'dictionary-edit',
    replyTo: 'message',
    async begin({ interaction, services, argument, values }) {
      const entries = await services.texts.dictionaries.entries(interaction.guildId);
      const entry = entries.find((one) => entryId(one) === values[0]);
      if (!entry) throw new UserError(text('dictionary.gone'));
      return { modal: entryForm('dictionary-fill', `${pageAsked(argument)} ${entryId(entry)}`, entry) };
    },
  }),
  messageControl('dictionary-remove', ({ interaction, services, argument, values }) => async () => {
    const news = await removeEntries(services.texts.dictionaries, interaction.guildId, values);
    return dictionaryPanel(services, interaction.guildId, pageAsked(argument), news);
  }),
  /** The form's custom id holds the page number and, if an entry is changed, its id. */
  {
    ...messageControl('dictionary-fill', ({ interaction, services, argument, fields }) => {
      const entry = entryOfForm(fields);
      const [page, id] = argument.split(' ');
      return async () => {
        const news = await putEntry(services, interaction.guildId, entry, id);
        return dictionaryPanel(services, interaction.guildId, pageAsked(page), news);
      };
    }),
    async form({ interaction: { guildId }, services, argument }) {
      const [, id] = argument.split(' ');
      const entries = guildId === null ? [] : await services.texts.dictionaries.entries(guildId);
      const changed = entries.find((one) => entryId(one) === id);
      return entryForm('dictionary-fill', argument, changed);
    },
  },
  serverControl({
    name: 'dictionary-new',
    deferred: true,
    form: () => entryForm('dictionary-new', ''),
    begin({ interaction, services, fields }) {
      const entry = entryOfForm(fields);
      return async () => ({ lines: await putEntry(services, interaction.guildId, entry) });
    },
  }),
];
