import { UserError } from '../../errors/user-errors.ts';
import { admissionRefusal, wherever } from '../../services/servers/admission.ts';
import { text } from '../../texts/catalogue.ts';
import { firstOfOthers, nothingThere, queueUserOf } from '../framework/checks/queue-rights.ts';
import { requesterOf } from '../framework/requester.ts';
import { serverCommand } from '../framework/server-call.ts';

export const leave = serverCommand<'speakers' | 'rules' | 'unspoken'>({
  name: 'leave',
  description: 'leave.description',
  needs: { voice: 'together' },
  replyTo: 'everyone',
  deferred: true,

  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    const channelId = speaker?.channelId;
    if (!speaker || channelId === undefined) {
      throw new UserError(nothingThere(services, interaction.guildId, text('leave.absent')));
    }
    // From any channel, also one in which the admins have the bot speak no more.
    const refusal = admissionRefusal(wherever(services.rules.known(interaction.guildId)), requesterOf(interaction));
    if (refusal) throw new UserError(refusal);
    const mustBeTheirs = () => {
      const others = firstOfOthers(queueUserOf(interaction), speaker.queue());
      if (others) throw new UserError(text('leave.not-yours', { member: `<@${others.userId}>` }));
    };
    mustBeTheirs();
    return async () => {
      // Another member's text may have come while Discord was answered.
      mustBeTheirs();
      await speaker.leave(interaction.user.id);
      return { lines: [text('leave.left', { channel: `<#${channelId}>` })] };
    };
  },
});
