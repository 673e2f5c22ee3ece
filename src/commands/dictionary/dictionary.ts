import { MANAGE_SERVER } from '../../discord/channels/permissions.ts';
import { DISCORD_LIMITS } from '../../discord/replies/layout.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import { admissionRefusal } from '../../services/servers/admission.ts';
import { type DictionaryEntries, type DictionaryEntry, entryKey, MAX_FROM } from '../../services/text/dictionary.ts';
import { render, text } from '../../texts/catalog.ts';
import { requesterOf } from '../framework/checks.ts';
import {
  type CommandCall,
  type CompletionCall,
  type Form,
  type Reply,
  serverCall,
  serverCommand,
  type Work,
} from '../framework/command.ts';
import { attachmentOption, bySubcommand, stringOption, subcommand } from '../framework/options.ts';
import { LONG_TEXT_CHARACTERS } from '../say/say.ts';
import { speak } from '../say/speak.ts';
import { wordsToSpeak } from '../say/wording.ts';
import { entryForm, entryId, entryLabel, removeEntries, sorted } from './entries.ts';
import { dictionaryPanel, listControls } from './list.ts';
import { exportFile, importFile } from './transfer.ts';

type ServerCall = CommandCall<'cached'>;

export const dictionary = serverCommand({
  name: 'dictionary',
  description: 'dictionary.description',
  options: [
    subcommand('add', 'dictionary.add.description'),
    subcommand('remove', 'dictionary.remove.description', [
      stringOption('word', 'dictionary.remove.word', { required: true, autocomplete: true, maxLength: MAX_FROM }),
    ]),
    subcommand('list', 'dictionary.list.description'),
    subcommand('test', 'dictionary.test.description', [
      stringOption('text', 'dictionary.test.text', { required: true, maxLength: LONG_TEXT_CHARACTERS }),
    ]),
    subcommand('import', 'dictionary.import.description', [
      attachmentOption('file', 'dictionary.import.file', { required: true }),
      stringOption('how', 'dictionary.import.how', {
        choices: [
          { name: 'dictionary.import.merge', value: 'merge' },
          { name: 'dictionary.import.replace', value: 'replace' },
        ],
      }),
    ]),
    subcommand('export', 'dictionary.export.description', [
      stringOption('format', 'dictionary.export.format', {
        choices: [{ value: 'json' }, { name: 'dictionary.export.tsv', value: 'tsv' }],
      }),
    ]),
  ],
  defaultMemberPermissions: MANAGE_SERVER,
  replyTo: 'caller',
  deferred: true,
  complete: completeWord,
  controls: listControls,

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
});

type Subcommand = 'add' | 'remove' | 'list' | 'test' | 'import' | 'export';

const SUBCOMMANDS: Readonly<Record<Subcommand, (call: ServerCall) => Work | Form | Promise<Work>>> = {
  add: () => ({ modal: entryForm('dictionary-new', '') }),
  remove: (call) => () => remove(call),
  list:
    ({ interaction, services }) =>
    () =>
      dictionaryPanel(services, interaction.guildId, 0),
  test: tryOut,
  import: (call) => () => importFile(call),
  export: (call) => () => exportFile(call),
};

async function remove({ interaction, services }: ServerCall): Promise<Reply> {
  const word = interaction.options.getString('word', true);
  const entries = await services.texts.dictionaries.entries(interaction.guildId);
  const entry = pickedOrTyped(entries, word, interaction.locale);
  if (!entry) throw new UserError(text('dictionary.no-such', { word: quote(word, 60) }));
  return { lines: await removeEntries(services.texts.dictionaries, interaction.guildId, [entryId(entry)]) };
}

/** What was picked from the list that opens while typing is an id; after a change of channel, clients send what it shows instead. */
function pickedOrTyped(entries: DictionaryEntries, word: string, locale: string) {
  const typed = { from: word, to: '', wholeWord: true };
  const keys = [entryKey({ ...typed, caseSensitive: true }), entryKey(typed)];
  return (
    entries.find((entry) => entryId(entry) === word) ??
    keys.map((key) => entries.find((entry) => entryKey(entry) === key)).find((entry) => entry !== undefined) ??
    entries.find((entry) => choiceName(entry, locale) === word)
  );
}

async function completeWord(anywhere: CompletionCall) {
  const { interaction, services } = serverCall(anywhere);
  const typed = interaction.options.getFocused().toLocaleLowerCase();
  // The compiled dictionary is cached, so that it is not read again at each key press.
  const { entries } = await services.texts.dictionaries.of(interaction.guildId);
  return sorted(entries)
    .filter(({ from }) => from.toLocaleLowerCase().includes(typed))
    .slice(0, DISCORD_LIMITS.choices)
    .map((entry) => ({
      name: choiceName(entry, interaction.locale),
      value: entryId(entry),
    }));
}

const choiceName = (entry: DictionaryEntry, locale: string): string =>
  render(entryLabel(entry), locale).slice(0, DISCORD_LIMITS.choiceCharacters).toWellFormed().trim();

/** Speaks like /say, for the caller's ears and eyes; shows how a text is read where nothing can be heard. */
async function tryOut(call: ServerCall): Promise<Work> {
  const { interaction, services } = call;
  const rules = await services.settings.of(interaction.guildId);
  const words = interaction.options.getString('text', true).trim();
  const order: SpeechOrder = {
    userId: interaction.user.id,
    textChannelId: interaction.channelId ?? undefined,
    from: 'own',
    words,
    as: 'voice',
    speechOptions: {},
    output: {},
    privately: true,
  };
  if (interaction.member.voice.channelId !== null) {
    const refused = admissionRefusal(rules, requesterOf(interaction));
    if (refused) throw new UserError(refused);
    return speak(call, order);
  }
  return async () => {
    const spoken = await wordsToSpeak(call, order, rules);
    return { lines: [text('dictionary.reads', { text: quote(spoken.words, 1_000) }), text('dictionary.reads-hint')] };
  };
}
