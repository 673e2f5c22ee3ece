import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { MANAGE_SERVER } from '../../discord/channels/permissions.ts';
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
import {
  combineDictionaries,
  exportDictionary,
  importDictionary,
  readEntry,
} from '../../services/text/dictionary-file.ts';
import { inSlices } from '../../services/time/slices.ts';
import { firstItems, firstLines, render, type Text, text } from '../../texts/catalog.ts';
import { pageAsked, pageLines, pageOf, pageRows } from '../framework/buttons.ts';
import { mustBeAdmitted } from '../framework/checks.ts';
import {
  type CommandCall,
  type CompletionCall,
  messageControl,
  type Reply,
  type SpeakCall,
  serverCall,
  serverCommand,
  serverControl,
  type Work,
} from '../framework/command.ts';
import { readAttachment } from '../framework/forms.ts';
import {
  attachmentOption,
  autocompleteOption,
  bySubcommand,
  choiceOption,
  required,
  stringOption,
  subcommand,
} from '../framework/options.ts';
import { LONG_TEXT_CHARACTERS, plainOrder } from '../say/say.ts';
import { speak } from '../say/speak.ts';
import { wordsToSpeak } from '../say/wording.ts';

type ServerCall = CommandCall<'cached'>;
type PanelCall = SpeakCall<'cached'>;

export const dictionary = serverCommand({
  name: 'dictionary',
  options: [
    subcommand('add', 'dictionary.add.description'),
    subcommand('remove', 'dictionary.remove.description', [
      required(autocompleteOption('word', 'dictionary.remove.word')),
    ]),
    subcommand('list', 'dictionary.list.description'),
    subcommand('test', 'dictionary.test.description', [
      required(stringOption('text', 'dictionary.test.text', LONG_TEXT_CHARACTERS)),
    ]),
    subcommand('import', 'dictionary.import.description', [
      required(attachmentOption('file', 'dictionary.import.file')),
      choiceOption('how', 'dictionary.import.how', [
        { name: text('dictionary.import.merge'), value: 'merge' },
        { name: text('dictionary.import.replace'), value: 'replace' },
      ]),
    ]),
    subcommand('export', 'dictionary.export.description', [
      choiceOption('format', 'dictionary.export.format', [
        'json',
        { name: text('dictionary.export.tsv'), value: 'tsv' },
      ]),
    ]),
  ],
  defaultMemberPermissions: MANAGE_SERVER,
  deferred: true,
  complete: completeEntry,
  controls: [
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
  ],

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
});

const SUBCOMMANDS: Readonly<Record<string, (call: ServerCall) => Work | Modal | Promise<Work>>> = {
  add: () => entryForm('dictionary-new', ''),
  remove: (call) => async () => ({ lines: await removeWord(call, call.interaction.options.getString('word', true)) }),
  list: (call) => () => dictionaryPanel(call, 0),
  test: tryOut,
  import: (call) => () => importFile(call),
  export: (call) => () => exportFile(call),
};

/** Speaks the text if the member is in a voice channel, otherwise shows the words that the bot would speak. */
async function tryOut(call: ServerCall): Promise<Work> {
  const { interaction, services } = call;
  const rules = await services.settings.of(interaction.guildId);
  const words = interaction.options.getString('text', true).trim();
  const order = { ...plainOrder(call), words, privately: true };
  if (interaction.member.voice.channelId !== null) {
    mustBeAdmitted(interaction, rules);
    return speak(call, order);
  }
  return async () => {
    const spoken = await wordsToSpeak(call, order, rules);
    return { lines: [text('dictionary.reads', { text: quote(spoken.words, 1_000) }), text('dictionary.reads-hint')] };
  };
}

/** Even a full dictionary has less than 1 MB. */
const FILE_BYTES = 2 * 1024 * 1024;
/** Ten refused entries fit into Discord's 4,000 characters. */
const MAX_BLOCKED = 10;
const MAX_NAMED = 10;

async function importFile(call: ServerCall): Promise<Reply> {
  const { interaction, services, signal } = call;
  const { options, guildId } = interaction;
  const how = options.getString('how') === 'replace' ? 'replace' : 'merge';
  const file = await readAttachment(options.getAttachment('file', true), { maxBytes: FILE_BYTES, signal });
  const imported = await importDictionary(file);
  if (imported.problems.length > 0) return refused(imported.problems);
  const blocked = await blockedProblems(call, imported.entries);
  if (blocked.length > 0) return refused(firstLines(blocked, MAX_BLOCKED));
  let counts = { added: 0, changed: 0, removed: 0 };
  // An import of 1,000 entries takes time, so the bot does other work between its steps.
  await nextTurn();
  const { before, after } = await services.texts.dictionaries.change(guildId, (present) => {
    const combined = combineDictionaries(present, imported.entries, how);
    counts = combined.counts;
    return combined.entries;
  });
  await nextTurn();
  const known = new Set(before.map(entryKey));
  const added = after.filter((entry) => !known.has(entryKey(entry))).map(({ from }) => quote(from, 40));
  const lines = [text('dictionary.imported', { ...counts, after: after.length, before: before.length })];
  // Any flat JSON object is a valid dictionary. An admin who imported a different file notices by the added words.
  if (added.length > 0) lines.push(text('dictionary.imported-added', { words: firstItems(added, MAX_NAMED) }));
  if (imported.header !== undefined) lines.push(text('dictionary.header', { line: quote(imported.header, 60) }));
  if (counts.changed + counts.removed === 0) return { lines, facts: counts };
  lines.push(text('dictionary.imported-before'));
  return { lines, files: [fileOf(before, 'json', 'crier-dictionary-before')], facts: counts };
}

const refused = (problems: readonly Text[]): Reply => ({
  lines: [],
  panel: [
    { kind: 'text', lines: [text('dictionary.import-wrong')] },
    { kind: 'text', lines: problems },
  ],
  facts: { outcome: 'refused', problems: problems.length },
});

async function exportFile({ interaction, services }: ServerCall): Promise<Reply> {
  const format = interaction.options.getString('format') === 'tsv' ? 'tsv' : 'json';
  const entries = await services.texts.dictionaries.entries(interaction.guildId);
  if (entries.length === 0) return { lines: [text('dictionary.empty')] };
  return {
    lines: [text('dictionary.exported', { count: entries.length })],
    files: [fileOf(entries, format, 'crier-dictionary')],
  };
}

const fileOf = (entries: DictionaryEntries, format: 'json' | 'tsv', name: string) => ({
  name: `${name}.${format}`,
  bytes: new TextEncoder().encode(exportDictionary(entries, format)),
});

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

async function completeEntry(anywhere: CompletionCall) {
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
async function blockedProblems({ interaction, services }: PanelCall, entries: DictionaryEntries) {
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
async function putEntry(call: PanelCall, entry: DictionaryEntry, id?: string): Promise<readonly Text[]> {
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
  const old = before.find(isReplaced);
  const after = describeEntry(entry);
  if (!old) return [text('dictionary.added', { after })];
  if (isDeepStrictEqual(old, entry)) return [text('dictionary.unchanged', { after })];
  return [text('dictionary.changed', { after, before: describeEntry(old) })];
}

/** Rejects with a UserError if the dictionary no longer has an entry of `ids`, or with a StoreError if saving fails. */
async function removeEntries({ interaction, services }: PanelCall, ids: readonly string[]) {
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
async function removeWord(call: PanelCall, word: string) {
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

async function dictionaryPanel({ interaction, services }: PanelCall, asked: number, news: readonly Text[] = []) {
  const entries = sorted(await services.texts.dictionaries.entries(interaction.guildId));
  const page = pageOf(entries, PAGE, asked);
  const { number, shown } = page;
  const told = firstLines(news, MAX_NEWS);
  const list = [
    ...shown.map((entry) => text('lines.item', { item: describeEntry(entry) })),
    text('words.count', { count: entries.length }),
    ...pageLines(page),
  ];
  const options = shown.map((entry) => ({ value: entryId(entry), label: entryLabel(entry) }));
  const choosable = { atLeast: 1, atMost: options.length };
  const menu = { kind: 'select', argument: `${number}`, options } as const;
  const menus: readonly Row[] = [
    { ...menu, control: 'dictionary-edit', placeholder: text('dictionary.form-edit') },
    { ...menu, control: 'dictionary-remove', placeholder: text('dictionary.remove'), choosable },
  ];
  const rows = [...(shown.length > 0 ? menus : []), ...pageRows('dictionary-page', page)];
  const panel: PanelPart[] = [
    { kind: 'text', lines: [text('dictionary.title')] },
    ...(told.length > 0 ? [{ kind: 'text', lines: told } as const] : []),
    { kind: 'separator' },
    { kind: 'text', lines: entries.length > 0 ? list : [text('dictionary.empty')] },
    ...rows.map((row) => ({ kind: 'row', row }) as const),
    { kind: 'row', row: [button('dictionary-add', text('dictionary.form-add'), `${number}`)] },
  ];
  return { lines: [], panel };
}
