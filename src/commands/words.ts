import type { Message } from 'discord.js';
import type { ReadableContext } from '../services/readable/context.ts';
import { readable } from '../services/readable/readable.ts';
import type { SpeakCall } from './speak.ts';
import type { Wish } from './wish.ts';

/** The words of a wish as they are read out. */
export function readableWords(call: SpeakCall, wish: Wish, { tags }: { readonly tags: boolean }): string {
  const { interaction } = call;
  return readable(wish.words, {
    ...namesFor(call),
    locale: interaction.guildLocale ?? interaction.locale,
    now: interaction.createdTimestamp,
    tags: wish.from === 'own' && tags ? 'keep' : 'remove',
  }).text;
}

/** Names by id, as far as they are known here without asking Discord. */
export function namesFor({
  interaction,
}: Pick<SpeakCall, 'interaction'>): Pick<ReadableContext, 'users' | 'channels' | 'roles'> {
  const { guild, client } = interaction;
  return {
    users: (id) => guild?.members.cache.get(id)?.displayName ?? client.users.cache.get(id)?.displayName,
    channels: (id) => {
      const channel = client.channels.cache.get(id);
      return channel && 'name' in channel ? (channel.name ?? undefined) : undefined;
    },
    roles: (id) => guild?.roles.cache.get(id)?.name,
  };
}

/** A message of somebody as it is read out: its words, and what else is on it announced. */
export function messageWords(call: Pick<SpeakCall, 'interaction'>, message: Message): string {
  const { interaction } = call;
  const { mentions } = message;
  const names = namesFor(call);
  return readable(message.content, {
    ...names,
    users: (id) => mentions.members?.get(id)?.displayName ?? mentions.users.get(id)?.displayName ?? names.users(id),
    locale: interaction.guildLocale ?? interaction.locale,
    now: interaction.createdTimestamp,
    tags: 'remove',
    attachments: [...message.attachments.values()].map(({ name, contentType, duration, spoiler }) => ({
      name,
      contentType,
      voiceMessage: duration !== null,
      spoiler,
    })),
    stickers: [...message.stickers.values()].map(({ name }) => name),
  }).text;
}
