import type { Message } from 'discord.js';
import { type MentionedNames, mentionedNames } from '../../discord/messages/member-names.ts';
import { readableParts } from '../../discord/messages/readable-parts.ts';
import { voiceLabel } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import { DEFAULT_RULES, type ServerRules } from '../../services/servers/server-rules.ts';
import type { SpokenTexts } from '../../services/text/spoken-text.ts';
import type { VoicedPassage } from '../../services/voices/voice-choice.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { isSpeakable, parseTags } from '../../speech/interface/tags.ts';
import { tagsOf } from '../../speech/request.ts';
import { text } from '../../texts/catalog.ts';
import type { SpeakCall } from '../framework/command.ts';

type Wording = Awaited<ReturnType<SpokenTexts['ofReadable']>>;

/** The words of an order as they are spoken. Rejects with a BlockedWordError, or a UserError where nothing is left of them. */
export async function wordsToSpeak(call: SpeakCall, order: SpeechOrder, rules: ServerRules): Promise<Wording> {
  const where = whereOf(call, order, rules);
  const words =
    order.from === 'message'
      ? order.words
      : await readableWords(call, order.words, await namesFor(call, order.words), where);
  const spoken = await call.services.texts.ofReadable(words, where);
  return { ...spoken, words: mustBeSpeakable(spoken.words, words) };
}

/** The same for the lines of a script, each by itself in its locale; the names in all of them are looked up once. */
export async function linesToSpeak(
  call: SpeakCall,
  order: SpeechOrder,
  lines: readonly { readonly words: string; readonly locale: string | undefined }[],
  rules: ServerRules,
): Promise<readonly Wording[]> {
  const where = whereOf(call, order, rules);
  const names = await namesFor(call, order.words);
  const readable: { words: string; locale: string }[] = [];
  for (const { words, locale = where.locale } of lines) {
    call.signal.throwIfAborted();
    readable.push({ words: await readableWords(call, words, names, { ...where, locale }), locale });
  }
  const spoken = await call.services.texts.ofLines(readable, where);
  return spoken.map((line, index) => ({ ...line, words: mustBeSpeakable(line.words, readable[index]?.words ?? '') }));
}

function mustBeSpeakable(spoken: string, words: string): string {
  if (isSpeakable(spoken)) return spoken;
  throw new UserError(text(isSpeakable(words) ? 'say.silenced' : 'say.empty'));
}

/**
 * Removes tags that a voice would read aloud, since they would cost money and spoil the text. `leftOut` is that voice.
 * Throws a UserError if the text has nothing else.
 */
export function leaveOutTags<
  Cast extends { readonly input: string; readonly voice: Voice; readonly passages?: readonly VoicedPassage[] },
>(cast: Cast): Cast & { readonly leftOut?: Voice } {
  const { input, voice, passages } = cast;
  const written = passages ?? [{ input, voice, language: undefined }];
  const spoken = written.map((each) => ({ ...each, input: withoutReadTags(each.input, each.voice) }));
  const changed = written.find((each, index) => each.input !== spoken[index]?.input);
  if (!changed) return cast;
  const heard = spoken.filter((each) => isSpeakable(each.input));
  const [first] = heard;
  if (!first) throw new UserError(text('say.only-tags', { voice: voiceLabel(changed.voice) }));
  return {
    ...cast,
    input: spoken.map((each) => each.input).join(''),
    voice: first.voice,
    leftOut: changed.voice,
    passages: passages && heard,
  };
}

/** The tags with a name of their own for which /tags gives an example (texts/en.ts): members try just these. */
const EXAMPLES: readonly string[] = ['[whispering]', '[cheerful]', '<sigh>', '<short pause>'];

/** Whether /say leaves tags out for a voice. For one of an engine, brackets may be words. */
export const leavesOutTags = (voice: Voice): boolean => modelRules(voice.model).known && tagsOf(voice) === 'none';

/** The tags of `ext` and the examples: other brackets may be words. */
function withoutReadTags(words: string, voice: Voice): string {
  if (!leavesOutTags(voice)) return words;
  const spoken = parseTags(words, 'closed')
    .map(({ kind, raw }) => {
      if (kind === 'instant' || EXAMPLES.includes(raw.toLowerCase())) return ' ';
      return kind === 'open' || kind === 'close' ? '' : raw;
    })
    .join('');
  return spoken === words ? words : spoken.replaceAll(/ {2,}/g, ' ').replaceAll(/^ +| +$/g, '');
}

function whereOf(call: SpeakCall, order: SpeechOrder, rules: ServerRules) {
  return {
    guildId: call.interaction.inCachedGuild() ? call.interaction.guildId : undefined,
    locale: localeOf(call, order, rules),
    tags: order.from === 'own' ? 'keep' : 'remove',
  } as const;
}

function readableWords(
  call: SpeakCall,
  written: string,
  names: MentionedNames,
  { locale, tags }: { readonly locale: string; readonly tags: 'keep' | 'remove' },
): Promise<string> {
  const context = { ...names, locale, tags, now: call.interaction.createdTimestamp };
  return call.services.texts.asReadable(written, context, call.interaction.guildId ?? undefined);
}

/** The language of announcing words: the server's if others hear them, otherwise the caller's own. */
function localeOf(
  { interaction }: SpeakCall,
  { as, privately = false }: SpeechOrder,
  { language }: ServerRules,
): string {
  if (privately && as !== 'voice') return interaction.locale;
  return language ?? interaction.guildLocale ?? interaction.locale;
}

/** The names of what a text mentions, for the caller to see. */
export function namesFor(
  { interaction, services, signal }: SpeakCall,
  words: string,
  mentioned?: MentionedNames['users'],
): Promise<MentionedNames> {
  const { guild, client } = interaction;
  const reader = interaction.inCachedGuild() ? interaction.member : null;
  return mentionedNames({
    words,
    client,
    guild,
    reader,
    spokenNames: services.voices.spokenNames,
    signal,
    mentioned,
  });
}

/** The readable words of a member's message: its text, and the names of everything else on it. */
export async function messageWords(call: SpeakCall, message: Message, order: SpeechOrder): Promise<string> {
  const { interaction, services } = call;
  const rules = interaction.inCachedGuild() ? await services.settings.of(interaction.guildId) : DEFAULT_RULES;
  const { content, mentioned, ...parts } = readableParts(message);
  const context = {
    ...(await namesFor(call, content, mentioned)),
    ...parts,
    locale: localeOf(call, order, rules),
    now: interaction.createdTimestamp,
    tags: 'remove',
  } as const;
  return services.texts.asReadable(content, context, interaction.guildId ?? undefined);
}
