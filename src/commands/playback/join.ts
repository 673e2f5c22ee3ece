import { VoiceJoinError } from '../../audio/connection/voice-session-types.ts';
import { raisesHand, voicePlace } from '../../discord/channels/permissions.ts';
import { button, type Content } from '../../discord/replies/layout.ts';
import { JoinError, UserError } from '../../errors/user-errors.ts';
import { type ServerRules, wherever } from '../../services/servers/admission.ts';
import { text } from '../../texts/catalog.ts';
import { firstOfOthers, isModerator, mustBeAdmitted, mustBeSpokenIn, usableChannel } from '../framework/checks.ts';
import { type CommandCall, serverCommand, serverControl } from '../framework/command.ts';
import { voiceChannelOption } from '../framework/options.ts';

const isAlwaysRead = ({ autoReadChannels, autoReadVoiceChat }: ServerRules, channelId: string): boolean =>
  autoReadVoiceChat === 'always' || autoReadChannels.includes(channelId);

export const join = serverCommand({
  name: 'join',
  options: [voiceChannelOption('join.channel')],
  speaks: true,
  cooldown: { uses: 3, perMs: 10_000 },
  replyTo: 'everyone',
  deferred: true,
  controls: [
    serverControl({
      name: 'join-quiet',
      speaks: true,
      together: true,
      replyTo: 'message',
      async begin({ interaction, services, argument }) {
        const rules = await services.settings.of(interaction.guildId);
        const wasRead = services.reading.stop(interaction.guildId, argument);
        const where = { channel: `<#${argument}>` };
        // The button does not overrule admins who have since set the bot to always read this channel.
        if (isAlwaysRead(rules, argument)) throw new UserError(text('join.always-read', where));
        if (!wasRead) throw new UserError(text('refused.over'));
        return async () => ({ lines: [text('join.reads-no-longer', where)] });
      },
    }),
  ],

  async begin(call) {
    const { interaction, services, signal } = call;
    const { guildId, user, channelId: textChannelId } = interaction;
    const channel = usableChannel(interaction, services.speakers, interaction.options.getChannel('channel')?.id);
    const rules = await services.settings.of(guildId);
    mustBeSpokenIn(channel.id, interaction, rules);
    const speaker = services.speakers.of(guildId);
    const isThere = speaker.channelId === channel.id;
    const where = { channel: `<#${channel.id}>` };
    const joining = isThere
      ? Promise.resolve()
      : speaker.join(voicePlace(channel), { userId: user.id, textChannelId, signal });
    joining.catch(() => undefined);
    return async (progress) => {
      if (!isThere && raisesHand(channel)) progress({ lines: [text('say.raising-hand', where)] });
      try {
        await joining;
      } catch (error) {
        throw error instanceof VoiceJoinError ? new JoinError(channel.id, error) : error;
      }
      const { lines, rows } = readChat(call, channel.id, rules);
      return { lines: [text(isThere ? 'join.already' : 'join.joined', where), ...lines], rows };
    };
  },
});

/**
 * Starts to read the voice channel's chat aloud, if the owner and the admins allow that. Returns lines for the reply.
 */
function readChat({ interaction, services }: CommandCall<'cached'>, channelId: string, rules: ServerRules): Content {
  const { guildId } = interaction;
  const isAlways = isAlwaysRead(rules, channelId);
  if (!services.reading.isOn || (rules.autoReadVoiceChat === 'never' && !isAlways)) return { lines: [] };
  if (services.reading.problem(guildId, [channelId])) return { lines: [] };
  const line = text('join.reads-chat', { channel: `<#${channelId}>` });
  // Members are not allowed to stop what admins have set to always be read.
  if (isAlways) return { lines: [line] };
  services.reading.read(guildId, channelId);
  return { lines: [line], rows: [[button('join-quiet', text('join.stop-reading'), channelId)]] };
}

export const leave = serverCommand({
  name: 'leave',
  together: true,
  replyTo: 'everyone',
  deferred: true,

  begin({ interaction, services, askedAtMs }) {
    const speaker = services.speakers.of(interaction.guildId);
    const { id: userId } = interaction.user;
    // Texts that were requested before /leave but are not queued yet would bring the bot back.
    const stopWhatComes = () =>
      speaker.stopWhatComes({ askedAtMs, byUserId: userId, isOfAll: isModerator(interaction) });
    const { channelId } = speaker;
    if (channelId === undefined) {
      stopWhatComes();
      throw new UserError(text('leave.absent'));
    }
    // /leave works even in text channels that the admins have not allowed.
    mustBeAdmitted(interaction, wherever(services.settings.known(interaction.guildId)));
    const mustBeTheirs = () => {
      const others = firstOfOthers(interaction, speaker.queue());
      if (others) throw new UserError(text('leave.not-yours', { member: `<@${others.order.userId}>` }));
    };
    mustBeTheirs();
    return async () => {
      // Another member's text may have entered the queue since the first check.
      mustBeTheirs();
      stopWhatComes();
      await speaker.leave(userId);
      return { lines: [text('leave.left', { channel: `<#${channelId}>` })] };
    };
  },
});
