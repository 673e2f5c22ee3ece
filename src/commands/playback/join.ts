import { VoiceJoinError } from '../../audio/connection/voice-session-types.ts';
import { raisesHand, voicePlace } from '../../discord/channels/voice-access.ts';
import { JoinError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import { chosenChannel, mustBeSpokenIn } from '../framework/channel-checks.ts';
import { voiceChannelOption } from '../framework/options.ts';
import { serverCommand } from '../framework/server-call.ts';

export const join = serverCommand<'speakers' | 'rules'>({
  name: 'join',
  description: 'join.description',
  options: [voiceChannelOption('join.channel')],
  needs: { speaks: true, cooldown: { uses: 3, perMs: 10_000 } },
  replyTo: 'everyone',
  deferred: true,

  async begin({ interaction, services, signal }) {
    const channel = chosenChannel(interaction, services.speakers, 'join');
    mustBeSpokenIn(channel, interaction, await services.rules.of(interaction.guildId));
    const speaker = services.speakers.of(interaction.guildId);
    const there = speaker.channelId === channel.id;
    const where = { channel: `<#${channel.id}>` };
    const joining = there
      ? Promise.resolve()
      : speaker.join(voicePlace(channel), {
          userId: interaction.user.id,
          textChannelId: interaction.channelId,
          signal,
        });
    joining.catch(() => undefined);
    return async (progress) => {
      if (!there && raisesHand(channel)) progress({ lines: [text('say.raising-hand', where)] });
      try {
        await joining;
      } catch (error) {
        throw error instanceof VoiceJoinError ? new JoinError(channel.id, error) : error;
      }
      return { lines: [text(there ? 'join.already' : 'join.joined', where)] };
    };
  },
});
