import { button, type PanelPart, type Row } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { DictionaryEntry } from '../../services/text/dictionary.ts';
import { firstLines, type Text, text } from '../../texts/catalog.ts';
import { type Page, pageAsked, pageLines, pageOf, pageRows } from '../framework/buttons.ts';
import {
  type Control,
  type ControlCall,
  messageControl,
  type Reply,
  type Services,
  serverControl,
} from '../framework/command.ts';
import { filledIn } from '../framework/forms.ts';
import {
  addEntry,
  describeEntry,
  editEntry,
  entryForm,
  entryId,
  entryLabel,
  entryOfForm,
  removeEntries,
  sorted,
} from './entries.ts';

/** Fits into a panel with everything else, in any script, however long the words are. */
const PAGE = 8;
const MAX_NEWS = 3;

/** All entries, a page at a time, with what was just changed on top. */
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
  const menu = { kind: 'select', argument: `${number}`, options } as const;
  return [
    { ...menu, control: 'dictionary-edit', placeholder: text('dictionary.form-edit') },
    { ...menu, control: 'dictionary-remove', placeholder: text('dictionary.remove'), atMost: options.length },
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
    deferred: false,
    begin({ argument }) {
      return { modal: entryForm('dictionary-fill', `${pageAsked(argument)}`) };
    },
  }),
  serverControl({
    name: 'dictionary-edit',
    replyTo: 'message',
    // Discord takes a form only as the first answer.
    deferred: false,
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
  /** Its argument: the page of the list it was opened from, and the entry that is changed. */
  {
    ...messageControl('dictionary-fill', (call) => {
      const entry = entryOfForm(call.fields);
      return () => fill(call, entry);
    }),
    async form({ interaction: { guildId }, services, argument }) {
      const [, id] = argument.split(' ');
      const entries = guildId === null ? [] : await services.texts.dictionaries.entries(guildId);
      return entryForm(
        'dictionary-fill',
        argument,
        entries.find((one) => entryId(one) === id),
      );
    },
  },
  /** The form of /dictionary add, which stands on no list. */
  serverControl({
    name: 'dictionary-new',
    replyTo: 'caller',
    deferred: true,
    form: ({ fields }) => filledIn(entryForm('dictionary-new', ''), fields),
    begin({ interaction, services, fields }) {
      const entry = entryOfForm(fields);
      return async () => ({ lines: await addEntry(services, interaction.guildId, entry) });
    },
  }),
];

async function fill(
  { interaction, services, argument }: ControlCall<'cached'>,
  entry: DictionaryEntry,
): Promise<Reply> {
  const { guildId } = interaction;
  const [page, id] = argument.split(' ');
  const news =
    id === undefined ? await addEntry(services, guildId, entry) : await editEntry(services, guildId, id, entry);
  return dictionaryPanel(services, guildId, pageAsked(page), news);
}
