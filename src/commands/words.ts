import type { Message } from 'discord.js';
import { namesOfMentioned } from '../discord/mentioned-members.ts';
import { readableParts } from '../discord/readable-parts.ts';
import type { ReadableContext } from '../services/readable/context.ts';
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
    ...namesFor(call, await namesOfMentioned(interaction.guild, wish.words)),
    ...where,
    now: interaction.createdTimestamp,
    tags: rules.tags ? 'keep' : 'remove',
  });
}

/** The language of what is read out for others to hear. */
function localeOf({ interaction }: Pick<SpeakCall, 'interaction'>, { language }: Pick<Rules, 'language'>): string {
  return language ?? interaction.guildLocale ?? interaction.locale;
}

/** Names by id: those known here, and those that were asked for. */
function namesFor(
  { interaction }: Pick<SpeakCall, 'interaction'>,
  asked: ReadonlyMap<string, string>,
): Pick<ReadableContext, 'users' | 'channels' | 'roles'> {
  const { guild, client } = interaction;
  return {
    users: (id) =>
      guild?.members.cache.get(id)?.displayName ?? asked.get(id) ?? client.users.cache.get(id)?.displayName,
    channels: (id) => {
      const channel = client.channels.cache.get(id);
      return channel && 'name' in channel ? (channel.name ?? undefined) : undefined;
    },
    roles: (id) => guild?.roles.cache.get(id)?.name,
  };
}

/** A message of somebody in readable words: what it says, and what else is on it announced. */
export async function messageWords(
  call: Pick<SpeakCall, 'interaction' | 'services'>,
  message: Message,
): Promise<string> {
  const { interaction, services } = call;
  const { mentions } = message;
  const rules = interaction.inCachedGuild() ? await services.rules.of(interaction.guildId) : {};
  const names = namesFor(call, await namesOfMentioned(interaction.guild, message.content));
  return readable(message.content, {
    ...names,
    users: (id) => names.users(id) ?? mentions.users.get(id)?.displayName,
    locale: localeOf(call, rules),
    now: interaction.createdTimestamp,
    tags: 'remove',
    ...readableParts(message),
  }).text;
}
