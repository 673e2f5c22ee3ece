import type { Message } from 'discord.js';
import { type MentionedNames, mentionedNames } from '../discord/mentioned-names.ts';
import { readableParts } from '../discord/readable-parts.ts';
import { readable } from '../services/readable/readable.ts';
import type { ServerRules } from '../services/server-rules.ts';
import type { SpeakCall } from './speak-call.ts';
import type { Wish } from './wish.ts';

type Rules = Pick<ServerRules, 'tags' | 'language'>;

/** The words of a wish as they are spoken. Rejects with a BlockedWordError. */
export async function spokenWords(call: SpeakCall, wish: Wish, rules: Rules): Promise<string> {
  const { interaction, services } = call;
  const where = {
    guildId: interaction.inCachedGuild() ? interaction.guildId : undefined,
    locale: localeOf(call, rules),
  };
  if (wish.from === 'message') return services.spokenTexts.ofReadable(wish.words, where);
  return services.spokenTexts.ofWritten(wish.words, {
    ...(await namesFor(call, wish.words)),
    ...where,
    now: interaction.createdTimestamp,
    tags: rules.tags ? 'keep' : 'remove',
  });
}

/** The language of what is read out for others to hear. */
function localeOf({ interaction }: Pick<SpeakCall, 'interaction'>, { language }: Pick<Rules, 'language'>): string {
  return language ?? interaction.guildLocale ?? interaction.locale;
}

function namesFor(
  { interaction }: Pick<SpeakCall, 'interaction'>,
  words: string,
  mentioned?: MentionedNames['users'],
): Promise<MentionedNames> {
  const { guild, client } = interaction;
  const reader = interaction.inCachedGuild() ? interaction.member : null;
  return mentionedNames({ words, client, guild, reader, ...(mentioned && { mentioned }) });
}

/** A message of somebody in readable words: what it says, and what else is on it announced. */
export async function messageWords(
  call: Pick<SpeakCall, 'interaction' | 'services'>,
  message: Message,
): Promise<string> {
  const { interaction, services } = call;
  const rules = interaction.inCachedGuild() ? await services.rules.of(interaction.guildId) : {};
  const { content, mentioned, ...parts } = readableParts(message);
  return readable(content, {
    ...(await namesFor(call, content, mentioned)),
    ...parts,
    locale: localeOf(call, rules),
    now: interaction.createdTimestamp,
    tags: 'remove',
  }).text;
}
