import { setTimeout as wait } from 'node:timers/promises';
import type { Guild } from 'discord.js';
import { writableChannel } from '../../discord/channels/permissions.ts';
import { post } from '../../discord/channels/post.ts';
import { button, type Modal } from '../../discord/replies/layout.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import { cancelButton, cancelControl } from '../framework/buttons.ts';
import {
  type Announcement,
  type Control,
  type ControlCall,
  FOR_OWNERS,
  type Reply,
  type Services,
  type ShowProgress,
} from '../framework/command.ts';
import { filledIn } from '../framework/forms.ts';
import { findServer } from './owner-servers.ts';

const needs = { contexts: FOR_OWNERS };
/** With the words around it, it fits into Discord's 2000 in every language. */
const WORDS_CHARACTERS = 1_500;
const EVERYWHERE = 'all';
/** Far below what Discord allows, so that speech and commands have the rest. */
const EACH_MS = 250;
/** How many of the servers that could not be reached are named. */
const NAMED = 10;

/** To all servers, or to this one. */
export function messageForm(server: Guild | undefined): Modal {
  return {
    title: text('owner.message.title'),
    control: 'owner-message',
    argument: server?.id ?? EVERYWHERE,
    fields: [
      {
        kind: 'paragraph',
        name: 'words',
        label: text('owner.message.words'),
        description:
          server === undefined
            ? text('owner.message.to-all')
            : text('owner.message.to-one', { server: quote(server.name, 60) }),
        minLength: 1,
        maxLength: WORDS_CHARACTERS,
      },
    ],
  };
}

export const messageControls: readonly Control[] = [
  {
    name: 'owner-message',
    needs,
    replyTo: 'caller',
    deferred: false,
    form: ({ interaction: { client }, argument, fields }) =>
      filledIn(messageForm(argument === EVERYWHERE ? undefined : findServer(client, argument)), fields),
    begin({ interaction, services, argument, fields }) {
      const words = (fields.words ?? '').trim();
      if (words === '' || words.length > WORDS_CHARACTERS) throw new UserError(text('owner.message.empty'));
      const { client } = interaction;
      return async () => {
        const guildIds = argument === EVERYWHERE ? [...client.guilds.cache.keys()] : [findServer(client, argument).id];
        const token = services.pending.put('announcement', { words, guildIds, userId: interaction.user.id });
        return {
          lines: [text('owner.message.ask', { servers: guildIds.length }), text('owner.message.shown', { words })],
          rows: [[button('owner-send', text('owner.message.yes'), token, 'primary'), cancelButton('owner-message')]],
        };
      };
    },
  },
  cancelControl('owner-message', text('owner.message.canceled')),
  {
    name: 'owner-send',
    needs,
    replyTo: 'message',
    deferred: true,
    begin(call) {
      const announcement = call.services.pending.take('announcement', call.argument);
      if (!announcement) throw new UserError(text('refused.over'));
      return (progress) => sendAll(call, announcement, progress);
    },
  },
];

async function sendAll(
  { interaction: { client }, services }: ControlCall,
  { words, guildIds }: Announcement,
  progress: ShowProgress,
): Promise<Reply> {
  const missed: string[] = [];
  const posted: Text[] = [];
  for (const [done, guildId] of guildIds.entries()) {
    if (done > 0) await wait(EACH_MS);
    progress({ lines: [text('owner.message.sending', { done, servers: guildIds.length })] });
    const guild = client.guilds.cache.get(guildId);
    const place = await send(guild, services, words).catch((error: unknown) => {
      services.log.info({ err: error, guildId }, 'The owner’s message could not be sent to this server');
      return undefined;
    });
    if (place) posted.push(place);
    else missed.push(quote(guild?.name ?? guildId, 60));
  }
  const lines: Text[] = [text('owner.message.sent', { sent: posted.length }), ...posted.slice(0, NAMED)];
  if (posted.length > NAMED) lines.push(text('setting.more', { count: posted.length - NAMED }));
  if (missed.length > 0) {
    lines.push(text('owner.message.missed', { missed: missed.length, servers: missed.slice(0, NAMED).join(', ') }));
  }
  return { lines, facts: { sent: posted.length, missed: missed.length } };
}

/** Returns the channel of the message; undefined if the bot has left the server or cannot write anywhere in it. */
async function send(guild: Guild | undefined, { settings }: Services, words: string): Promise<Text | undefined> {
  const channel = guild?.available ? writableChannel(guild) : undefined;
  if (!guild || !channel) return undefined;
  const { language } = await settings.of(guild.id);
  const content = render(text('owner.message.heading', { words }), language ?? guild.preferredLocale);
  await post(channel, { content }, 'Sending the owner’s message');
  // Its owner need not be in that server: a mention would show no name.
  return text('owner.message.posted', { server: quote(guild.name, 60), channel: quote(channel.name, 60) });
}
