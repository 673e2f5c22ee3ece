import type { Guild } from 'discord.js';
import { button, type Modal } from '../../discord/replies/layout.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { cancelButton, cancelControl } from '../framework/cancel.ts';
import {
  type Announcement,
  type Control,
  type ControlCall,
  FOR_OWNERS,
  type Reply,
  type ShowProgress,
} from '../framework/command.ts';
import { filledIn } from '../framework/form-again.ts';
import { findServer } from './owner-servers.ts';
import { sendToServers } from './send-to-servers.ts';

const needs = { contexts: FOR_OWNERS };
/** With the words around it, it fits into Discord's 2000 in every language. */
const WORDS_CHARACTERS = 1_500;
const EVERYWHERE = 'all';
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
        const token = services.announcements.put({ words, guildIds, askerId: interaction.user.id });
        return {
          lines: [text('owner.message.ask', { servers: guildIds.length }), text('owner.message.shown', { words })],
          rows: [[button('owner-send', text('owner.message.yes'), token, 'primary'), cancelButton('owner-message')]],
        };
      };
    },
  },
  cancelControl('owner-message', text('owner.message.cancelled')),
  {
    name: 'owner-send',
    needs,
    replyTo: 'message',
    deferred: true,
    begin(call) {
      const announcement = call.services.announcements.take(call.argument);
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
  const { posted, missed } = await sendToServers(client, services, guildIds, words, (done) =>
    progress({ lines: [text('owner.message.sending', { done, servers: guildIds.length })] }),
  );
  const names = missed.slice(0, NAMED).map((id) => quote(client.guilds.cache.get(id)?.name ?? id, 60));
  const lines: Text[] = [text('owner.message.sent', { sent: posted.length }), ...posted.slice(0, NAMED)];
  if (posted.length > NAMED) lines.push(text('setting.more', { count: posted.length - NAMED }));
  if (missed.length > 0) {
    lines.push(text('owner.message.missed', { missed: missed.length, servers: names.join(', ') }));
  }
  return { lines, facts: { sent: posted.length, missed: missed.length } };
}
