import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import { firstOfOthers, queueUserOf } from '../framework/checks/queue-rights.ts';
import { serverCommand } from '../framework/server-call.ts';

export const leave = serverCommand<'speakers'>({
  name: 'leave',
  description: 'leave.description',
  needs: { voice: 'together', speaks: true },
  replyTo: 'everyone',
  deferred: true,

  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    const channelId = speaker?.channelId;
    if (!speaker || channelId === undefined) throw new UserError(text('leave.absent'));
    const others = firstOfOthers(queueUserOf(interaction), speaker.queue());
    if (others) throw new UserError(text('leave.not-yours', { member: `<@${others.userId}>` }));
    return async () => {
      await speaker.leave(interaction.user.id);
      return { lines: [text('leave.left', { channel: `<#${channelId}>` })] };
    };
  },
});
