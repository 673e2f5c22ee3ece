import { InteractionContextType } from 'discord.js';
import { UserError } from '../errors.ts';
import { text } from '../texts/catalogue.ts';
import type { Command } from './command.ts';

export const leave: Command = {
  name: 'leave',
  description: 'leave.description',
  needs: { contexts: [InteractionContextType.Guild], voice: 'together' },
  replyTo: 'everyone',
  deferred: true,

  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    const channelId = speaker?.channelId;
    if (!speaker || channelId === undefined) throw new UserError(text('leave.absent'));
    return async () => {
      await speaker.leave();
      return { lines: [text('leave.left', { channel: `<#${channelId}>` })] };
    };
  },
};
