import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReplyFile } from '../../discord/replies/content.ts';
import { quote } from '../../discord/replies/quote.ts';
import { type DictionaryEntries, entryKey } from '../../services/text/dictionary.ts';
import { combineDictionaries, exportDictionary, importDictionary } from '../../services/text/dictionary-file.ts';
import { firstItems, firstLines, type Text, text } from '../../texts/catalog.ts';
import type { CommandCall, Reply } from '../framework/command.ts';
import { readAttachment } from '../framework/forms.ts';
import { blockedEntries, blockedProblem } from './entries.ts';

/** A full dictionary has less than 1 MB in any form. */
const FILE_BYTES = 2 * 1024 * 1024;
/** Each has two quotations; a reply has 4,000 characters. */
const MAX_BLOCKED = 10;
/** Maximum number of added words that the reply names. */
const MAX_NAMED = 10;

type Format = 'json' | 'tsv';

/** Imports all entries of a file or none, and reports its errors line by line. */
export async function importFile({ interaction, services, signal }: CommandCall<'cached'>): Promise<Reply> {
  const { options, guildId } = interaction;
  const how = options.getString('how') === 'replace' ? 'replace' : 'merge';
  const file = await readAttachment(options.getAttachment('file', true), { maxBytes: FILE_BYTES, signal });
  const imported = await importDictionary(file);
  if (imported.problems.length > 0) return refused(imported.problems);
  const blocked = await blockedEntries(services, guildId, imported.entries);
  if (blocked.length > 0) return refused(firstLines(blocked.map(blockedProblem), MAX_BLOCKED));
  let counts = { added: 0, changed: 0, removed: 0 };
  // With a thousand entries each step takes some milliseconds, and blocks the event loop meanwhile.
  await nextTurn();
  const { before, after } = await services.texts.dictionaries.change(guildId, (present) => {
    const combined = combineDictionaries(present, imported.entries, how);
    counts = combined.counts;
    return combined.entries;
  });
  await nextTurn();
  const isLost = counts.changed + counts.removed > 0;
  const known = new Set(before.map(entryKey));
  const added = after.filter((entry) => !known.has(entryKey(entry)));
  return {
    lines: [
      text('dictionary.imported', { ...counts, after: after.length, before: before.length }),
      // Any flat JSON object can be read as a dictionary: a wrong file is seen by its words.
      ...(added.length === 0
        ? []
        : [
            text('dictionary.imported-added', {
              words: firstItems(
                added.map(({ from }) => quote(from, 40)),
                MAX_NAMED,
              ),
            }),
          ]),
      ...(imported.header === undefined ? [] : [text('dictionary.header', { line: quote(imported.header, 60) })]),
      ...(isLost ? [text('dictionary.imported-before')] : []),
    ],
    files: isLost ? [fileOf(before, 'json', 'crier-dictionary-before')] : undefined,
    facts: counts,
  };
}

const refused = (problems: readonly Text[]): Reply => ({
  lines: [],
  panel: [
    { kind: 'text', lines: [text('dictionary.import-wrong')] },
    { kind: 'text', lines: problems },
  ],
  facts: { outcome: 'refused', problems: problems.length },
});

export async function exportFile({ interaction, services }: CommandCall<'cached'>): Promise<Reply> {
  const format: Format = interaction.options.getString('format') === 'tsv' ? 'tsv' : 'json';
  const entries = await services.texts.dictionaries.entries(interaction.guildId);
  if (entries.length === 0) return { lines: [text('dictionary.empty')] };
  return {
    lines: [text('dictionary.exported', { count: entries.length })],
    files: [fileOf(entries, format, 'crier-dictionary')],
  };
}

function fileOf(entries: DictionaryEntries, format: Format, name: string): ReplyFile {
  return { name: `${name}.${format}`, bytes: new TextEncoder().encode(exportDictionary(entries, format)) };
}
