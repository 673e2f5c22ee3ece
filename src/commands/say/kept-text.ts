import type { RepliableInteraction } from 'discord.js';
import type { KeptOrigin, NewText } from '../../services/playback/unspoken-keeper.ts';

interface AcceptedText extends Pick<NewText, 'words'>, Pick<KeptOrigin, 'kind'> {
  /** Where it is spoken. */
  readonly channelId: string;
}

/** A text that was accepted by an interaction, as it is kept for the case that the process ends. */
export function keptText(
  interaction: RepliableInteraction<'cached'>,
  { kind, channelId, words }: AcceptedText,
): NewText {
  const { guildId, user, channelId: textChannelId, applicationId, id: interactionId, token, locale } = interaction;
  return {
    words,
    origin: {
      ...{ kind, guildId, userId: user.id, channelId },
      ...(textChannelId !== null && { textChannelId }),
      reply: { applicationId, interactionId, token, locale },
    },
    locateReply: async () => (await interaction.fetchReply()).id,
  };
}
