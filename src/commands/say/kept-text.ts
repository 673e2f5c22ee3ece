import type { RepliableInteraction } from 'discord.js';
import type { KeptOrigin, NewText } from '../../services/playback/unspoken-keeper.ts';

interface AcceptedText extends Pick<NewText, 'words'>, Pick<KeptOrigin, 'kind' | 'authorId'> {
  /** Where it is spoken. */
  readonly channelId: string;
}

/** A text that was accepted by an interaction, as it is kept for the case that the process ends. */
export function keptText(interaction: RepliableInteraction<'cached'>, { words, ...place }: AcceptedText): NewText {
  return {
    words,
    origin: keptOrigin(interaction, place),
    locateReply: async () => (await interaction.fetchReply()).id,
  };
}

/** Who asked by an interaction, and where. */
export function keptOrigin(
  interaction: RepliableInteraction<'cached'>,
  { kind, channelId, authorId }: Pick<KeptOrigin, 'kind' | 'channelId' | 'authorId'>,
): KeptOrigin {
  const { guildId, user, channelId: textChannelId, applicationId, id: interactionId, token, locale } = interaction;
  return {
    kind,
    guildId,
    userId: user.id,
    channelId,
    authorId,
    textChannelId: textChannelId ?? undefined,
    reply: { applicationId, interactionId, token, locale },
  };
}
