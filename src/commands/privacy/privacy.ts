import { managesServer } from '../../discord/channels/server-managers.ts';
import type { KeptData } from '../../services/privacy/stored-data.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { ChatCommand } from '../framework/command.ts';
import { EVERYWHERE } from '../framework/contexts.ts';

export const privacy: ChatCommand<'kept'> = {
  name: 'privacy',
  description: 'privacy.description',
  needs: {
    contexts: EVERYWHERE,
    cooldown: { uses: 3, perMs: 15_000 },
  },
  replyTo: 'caller',
  deferred: true,

  begin({ interaction, services }) {
    const { id } = interaction.user;
    const isAdmin = managesServer(interaction);
    return async () => {
      const entries = await Promise.all(services.kept.map((entry) => entryLines(entry, id)));
      return {
        lines: [],
        panel: [
          { kind: 'text', lines: [text('privacy.title')] },
          { kind: 'separator' },
          { kind: 'text', lines: entries.flat() },
          { kind: 'separator' },
          {
            kind: 'text',
            lines: [text('privacy.log'), text('privacy.forget'), ...(isAdmin ? [text('privacy.forget-server')] : [])],
          },
        ],
      };
    };
  },
};

/** What is kept of everybody, and below it what there is of this one. */
async function entryLines({ holds, member }: KeptData, userId: string): Promise<Text[]> {
  const kept = await member?.describe(userId);
  return [
    text('privacy.entry', { holds: text(holds) }),
    ...(member ? [kept ? text('privacy.yours', { what: kept }) : text('privacy.nothing')] : []),
  ];
}
