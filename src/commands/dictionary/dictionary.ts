import { setImmediate as nextTurn } from 'node:timers/promises';
import { MANAGE_SERVER } from '../../discord/channels/permissions.ts';
import { type Modal, quote } from '../../discord/replies/layout.ts';
import { type DictionaryEntries, entryKey } from '../../services/text/dictionary.ts';
import { combineDictionaries, exportDictionary, importDictionary } from '../../services/text/dictionary-file.ts';
import { firstItems, firstLines, type Text, text } from '../../texts/catalog.ts';
import { mustBeAdmitted } from '../framework/checks.ts';
import { type CommandCall, type Reply, serverCommand, type Work } from '../framework/command.ts';
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
import { blockedProblems, completeEntry, dictionaryPanel, entryForm, listControls, removeWord } from './entries.ts';

type ServerCall = CommandCall<'cached'>;

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
  controls: listControls,

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
