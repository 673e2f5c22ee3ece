import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { button, DISCORD_LIMITS, type Modal, type PanelPart, quote, type Row } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  type DictionaryEntries,
  type DictionaryEntry,
  entryKey,
  MAX_ENTRIES,
  MAX_FROM,
  MAX_TO,
} from '../../services/text/dictionary.ts';
import { readEntry } from '../../services/text/dictionary-file.ts';
import { inSlices } from '../../services/time/slices.ts';
import { firstLines, render, type Text, text } from '../../texts/catalog.ts';
import { pageAsked, pageLines, pageOf, pageRows } from '../framework/buttons.ts';
import {
  type CompletionCall,
  type Control,
  messageControl,
  type Reply,
  type SpeakCall,
  serverCall,
  serverControl,
} from '../framework/command.ts';

type ServerCall = SpeakCall<'cached'>;
type Page = ReturnType<typeof pageOf<DictionaryEntry>>;

/** An entry keeps this id if only its spoken form changes. */
function entryId(entry: DictionaryEntry): string {
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
function entryLabel({ from, to }: DictionaryEntry): Text {
  return text('dictionary.option', { from, to: to === '' ? text('dictionary.as-nothing') : to });
}

const choiceName = (entry: DictionaryEntry, locale: string): string =>
  render(entryLabel(entry), locale).slice(0, DISCORD_LIMITS.choiceCharacters).toWellFormed().trim();

function sorted(entries: DictionaryEntries): DictionaryEntries {
  return entries.toSorted((a, b) => a.from.localeCompare(b.from));
}

export async function completeEntry(anywhere: CompletionCall) {
  const { interaction, services } = serverCall(anywhere);
  const typed = interaction.options.getFocused().toLocaleLowerCase();
  // Suggestions use the cached dictionary, because a database query at each keystroke would take too long.
  const { entries } = await services.texts.dictionaries.of(interaction.guildId);
  return sorted(entries)
    .filter(({ from }) => from.toLocaleLowerCase().includes(typed))
    .slice(0, DISCORD_LIMITS.choices)
    .map((entry) => ({ name: choiceName(entry, interaction.locale), value: entryId(entry) }));
}

/** Blocked words are searched in 20 spoken forms at a time, which together have at most 4,000 characters, as a long text has. */
const SEARCHED_AT_ONCE = 20;

/** Names the entries with a blocked word in the spoken form. Texts that use them would be rejected or bleeped. */
export async function blockedProblems({ interaction, services }: ServerCall, entries: DictionaryEntries) {
  const isBlocked = async (words: string) =>
    (await services.texts.blockedIn(words, interaction.guildId, { isPronounced: true })) !== undefined;
  const problems: Text[] = [];
  for (let at = 0; at < entries.length; at += SEARCHED_AT_ONCE) {
    const some = entries.slice(at, at + SEARCHED_AT_ONCE);
    if (!(await isBlocked(some.map(({ to }) => to).join('\n')))) continue;
    for (const { from, to } of some) {
      if (await isBlocked(to)) problems.push(text('dictionary.blocked', { from: quote(from, 20), to: quote(to, 40) }));
    }
  }
  return problems;
}

/** Throws a UserError if written and spoken form are equal, unless the entry protects its words from another entry for a part of them. */
function mustMakeDifference({ from, to }: DictionaryEntry, others: DictionaryEntries): void {
  const written = from.toLowerCase();
  if (from !== to || others.some((other) => written.includes(other.from.toLowerCase()))) return;
  throw new UserError(text('dictionary.same', { from: quote(from, 60) }));
}

/** Replaces the entry `id`. Without `id`, replaces the entry for the same words or adds one. Rejects with a UserError or a StoreError. */
async function putEntry(call: ServerCall, entry: DictionaryEntry, id?: string): Promise<readonly Text[]> {
  const [blocked] = await blockedProblems(call, [entry]);
  if (blocked) throw new UserError(blocked);
  const sameWords = (one: DictionaryEntry) => entryKey(one) === entryKey(entry);
  const isReplaced = (one: DictionaryEntry) => (id === undefined ? sameWords(one) : entryId(one) === id);
  const { before } = await call.services.texts.dictionaries.change(call.interaction.guildId, (present) => {
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

/** Rejects with a UserError if the dictionary no longer has an entry of `ids`, or with a StoreError if saving fails. */
async function removeEntries({ interaction, services }: ServerCall, ids: readonly string[]) {
  const { before } = await services.texts.dictionaries.change(interaction.guildId, (present) => {
    const left = present.filter((one) => !ids.includes(entryId(one)));
    if (left.length === present.length) throw new UserError(text('dictionary.gone'));
    return left;
  });
  return before
    .filter((one) => ids.includes(entryId(one)))
    .map((one) => text('dictionary.removed', { before: describeEntry(one) }));
}

/** `word` is what the member typed, or the id or label of a suggestion. */
export async function removeWord(call: ServerCall, word: string) {
  const { interaction, services } = call;
  const entries = await services.texts.dictionaries.entries(interaction.guildId);
  const typed = { from: word, to: '', wholeWord: true };
  const keys = [entryKey({ ...typed, caseSensitive: true }), entryKey(typed)];
  const entry =
    entries.find((one) => entryId(one) === word) ??
    keys.map((key) => entries.find((one) => entryKey(one) === key)).find((one) => one !== undefined) ??
    // Discord's client sends a suggestion's label if the member switches channels before sending.
    entries.find((one) => choiceName(one, interaction.locale) === word);
  if (!entry) throw new UserError(text('dictionary.no-such', { word: quote(word, 60) }));
  return removeEntries(call, [entryId(entry)]);
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

async function entryOfForm(fields: Readonly<Record<string, string>>): Promise<DictionaryEntry> {
  const typed = {
    from: fields.from ?? '',
    to: fields.to ?? '',
    wholeWord: fields.where !== 'part',
    caseSensitive: fields.case === 'exact' || undefined,
  };
  const entry = await readEntry(typed, inSlices());
  if ('key' in entry) throw new UserError(entry);
  return entry;
}

/** Eight entries fit into one message, however long the words are. */
const PAGE = 8;
const MAX_NEWS = 3;

export async function dictionaryPanel(
  { interaction, services }: ServerCall,
  asked: number,
  news: readonly Text[] = [],
): Promise<Reply> {
  const entries = sorted(await services.texts.dictionaries.entries(interaction.guildId));
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

function linesOf(count: number, page: Page): Text[] {
  if (count === 0) return [text('dictionary.empty')];
  return [
    ...page.shown.map((entry) => text('lines.item', { item: describeEntry(entry) })),
    text('words.count', { count }),
    ...pageLines(page),
  ];
}

function menus({ number, shown }: Page): Row[] {
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
  messageControl('dictionary-page', (call) => () => dictionaryPanel(call, pageAsked(call.argument))),
  serverControl({
    name: 'dictionary-add',
    replyTo: 'message',
    begin: ({ argument }) => entryForm('dictionary-fill', `${pageAsked(argument)}`),
  }),
  serverControl({
    name: 'dictionary-edit',
    replyTo: 'message',
    async begin({ interaction, services, argument, values }) {
      const entries = await services.texts.dictionaries.entries(interaction.guildId);
      const entry = entries.find((one) => entryId(one) === values[0]);
      if (!entry) throw new UserError(text('dictionary.gone'));
      return entryForm('dictionary-fill', `${pageAsked(argument)} ${entryId(entry)}`, entry);
    },
  }),
  messageControl('dictionary-remove', (call) => async () => {
    const news = await removeEntries(call, call.values);
    return dictionaryPanel(call, pageAsked(call.argument), news);
  }),
  /** The form's custom id holds the page number and, if an entry is changed, its id. */
  {
    ...messageControl('dictionary-fill', async (call) => {
      const entry = await entryOfForm(call.fields);
      const [page, id] = call.argument.split(' ');
      return async () => dictionaryPanel(call, pageAsked(page), await putEntry(call, entry, id));
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
    async begin(call) {
      const entry = await entryOfForm(call.fields);
      return async () => ({ lines: await putEntry(call, entry) });
    },
  }),
];
