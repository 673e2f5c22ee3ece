import type { Message } from 'discord.js';
import { type MentionedNames, mentionedNames } from '../../discord/messages/mentioned-names.ts';
import { readableParts } from '../../discord/messages/readable-parts.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import type { ReadableContext } from '../../services/text/readable/context.ts';
import { isSpeakable } from '../../speech/speakable.ts';
import { text } from '../../texts/catalogue.ts';
import type { SpeakCall } from './speak-call.ts';

type WordingRules = Pick<ServerRules, 'tags' | 'language'>;

/** Who will hear it. */
type Audience = Pick<SpeechOrder, 'as' | 'privately'>;

/** The words of a order as they are spoken. Rejects with a BlockedWordError, or a UserError where nothing is left of them. */
export async function wordsToSpeak(call: SpeakCall, order: SpeechOrder, rules: WordingRules): Promise<string> {
  const { interaction, services } = call;
  const guildId = interaction.inCachedGuild() ? interaction.guildId : undefined;
  const locale = localeOf(call, order, rules);
  const tags = order.from === 'own' && rules.tags ? 'keep' : 'remove';
  const words = order.from === 'message' ? order.words : await readableWords(call, order.words, { locale, tags });
  const spoken = await services.spokenTexts.ofReadable(words, { guildId, locale, tags });
  if (isSpeakable(spoken)) return spoken;
  throw new UserError(text(isSpeakable(words) ? 'say.silenced' : 'say.empty'));
}

async function readableWords(
  call: SpeakCall,
  written: string,
  how: Pick<ReadableContext, 'locale' | 'tags'>,
): Promise<string> {
  const now = call.interaction.createdTimestamp;
  const context = { ...(await namesFor(call, written)), ...how, now };
  return call.services.spokenTexts.asReadable(written, context, ownerOf(call));
}

/** Whose turn the work on a text counts as. */
const ownerOf = ({ interaction }: Pick<SpeakCall, 'interaction'>) => interaction.guildId ?? interaction.user.id;

/** The language of what is read out: the server's for others to hear, the caller's own for nobody else. */
function localeOf(
  { interaction }: Pick<SpeakCall, 'interaction'>,
  { as, privately = false }: Audience,
  { language }: Pick<WordingRules, 'language'>,
): string {
  if (privately && as !== 'voice') return interaction.locale;
  return language ?? interaction.guildLocale ?? interaction.locale;
}

function namesFor(
  { interaction, services }: Pick<SpeakCall, 'interaction' | 'services'>,
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
    spokenNames: services.spokenNames,
    ...(mentioned && { mentioned }),
  });
}

/** A message of somebody in readable words: what it says, and what else is on it announced. */
export async function messageWords(
  call: Pick<SpeakCall, 'interaction' | 'services'>,
  message: Message,
  audience: Audience,
): Promise<string> {
  const { interaction, services } = call;
  const rules = interaction.inCachedGuild() ? await services.rules.of(interaction.guildId) : {};
  const { content, mentioned, ...parts } = readableParts(message);
  const context = {
    ...(await namesFor(call, content, mentioned)),
    ...parts,
    locale: localeOf(call, audience, rules),
    now: interaction.createdTimestamp,
    tags: 'remove',
  } as const;
  return services.spokenTexts.asReadable(content, context, ownerOf(call));
}
