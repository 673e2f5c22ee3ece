import { managesServer } from '../../discord/channels/permissions.ts';
import type { KeptData } from '../../services/privacy/stored-data.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { type ChatCommand, EVERYWHERE, type Services } from '../framework/command.ts';
import { booleanOption } from '../framework/options.ts';

export const privacy: ChatCommand = {
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
      const entries = await Promise.all(services.privacy.kept.map((entry) => entryLines(entry, id, services.log)));
      return {
        lines: [],
        panel: [
          { kind: 'text', lines: [text('privacy.title')] },
          { kind: 'separator' },
          { kind: 'text', lines: entries.flat() },
          { kind: 'separator' },
          {
            kind: 'text',
            lines: [
              text('privacy.log'),
              text(services.bot.isSpeechMadeHere ? 'privacy.made-here' : 'privacy.sent'),
              text('privacy.replies'),
              text('privacy.forget'),
              ...(isAdmin ? [text('privacy.forget-server')] : []),
            ],
          },
        ],
      };
    };
  },
};

async function entryLines({ holds, member }: KeptData, userId: string, log: Services['log']): Promise<Text[]> {
  return [text('lines.item', { item: holds }), ...(member ? [await presentLine(member, userId, log)] : [])];
}

async function presentLine(
  member: NonNullable<KeptData['member']>,
  userId: string,
  log: Services['log'],
): Promise<Text> {
  try {
    const what = await member.describe(userId);
    return what ? text('privacy.yours', { what }) : text('privacy.nothing');
  } catch (error) {
    log.warn({ err: error }, 'Could not list the stored data of a member');
    return text('privacy.unknown');
  }
}

export const optOut: ChatCommand = {
  name: 'opt-out',
  description: 'opt-out.description',
  options: [booleanOption('back', 'opt-out.back')],
  needs: {
    contexts: EVERYWHERE,
  },
  replyTo: 'caller',
  deferred: true,

  async begin({ interaction, services }) {
    const isOut = interaction.options.getBoolean('back') !== true;
    await services.privacy.optOuts.set(interaction.user.id, isOut);
    return async () => ({ lines: [text(isOut ? 'opt-out.done' : 'opt-out.taken-back')] });
  },
};
