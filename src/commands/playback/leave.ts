import { UserError } from '../../errors/user-errors.ts';
import { admissionRefusal, wherever } from '../../services/servers/admission.ts';
import { text } from '../../texts/catalog.ts';
import { firstOfOthers, nothingThere, queueUserOf, requesterOf } from '../framework/checks.ts';
import { serverCommand } from '../framework/server-call.ts';

export const leave = serverCommand({
  name: 'leave',
  description: 'leave.description',
  needs: { voice: 'together' },
  replyTo: 'everyone',
  deferred: true,

  begin({ interaction, services, askedAtMs = performance.now() }) {
    const speaker = services.speakers.of(interaction.guildId);
    const asker = queueUserOf(interaction);
    // An earlier request would otherwise bring the bot back.
    const stopWhatComes = () =>
      speaker.stopWhatComes({ askedAtMs, byUserId: asker.userId, isOfAll: asker.isModerator });
    const { channelId } = speaker;
    if (channelId === undefined) {
      stopWhatComes();
      throw new UserError(nothingThere(services, interaction.guildId, text('leave.absent')));
    }
    // From any channel, also one in which the admins have the bot speak no more.
    const refusal = admissionRefusal(wherever(services.settings.known(interaction.guildId)), requesterOf(interaction));
    if (refusal) throw new UserError(refusal);
    const mustBeTheirs = () => {
      const others = firstOfOthers(asker, speaker.queue());
      if (others) throw new UserError(text('leave.not-yours', { member: `<@${others.order.userId}>` }));
    };
    mustBeTheirs();
    return async () => {
      // Another member's text may have come while Discord was answered.
      mustBeTheirs();
      stopWhatComes();
      await speaker.leave(asker.userId);
      return { lines: [text('leave.left', { channel: `<#${channelId}>` })] };
    };
  },
});
