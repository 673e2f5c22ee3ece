import type { RepliableInteraction } from 'discord.js';
import { managesServer } from '../../discord/channels/permissions.ts';
import type { ModerationLog, NoteStart } from '../../discord/moderation/moderation-log.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { KeptOrigin, KeptWords, NewText } from '../../services/playback/unspoken.ts';
import type { QueueItem, Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import type { CooldownRules } from '../../services/servers/cooldowns.ts';
import { BlockedWordError } from '../../services/text/spoken-text.ts';
import { text } from '../../texts/catalog.ts';
import { countedIn } from '../framework/checks.ts';
import { OfferedError, type Services, type SpeakCall, type Work } from '../framework/command.ts';

interface TextCall {
  readonly interaction: SpeakCall['interaction'];
  readonly services: Services;
}

/** Throws a UserError while the server's limits on how often one member has a text spoken allow no further one. */
export function checkTextCooldown({ interaction, services }: TextCall, rules: CooldownRules): void {
  const guildId = countedIn(interaction);
  const requester = textRequester(interaction);
  // First: time passes between the two, and would make the other one seem longer.
  const withoutPauseMs = services.speakers.cooldown.waitMs(guildId, requester, { ...rules, cooldownSeconds: 0 });
  const waitMs = services.speakers.cooldown.waitMs(guildId, requester, rules);
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new UserError(
    waitMs > withoutPauseMs
      ? text('refused.server-cooldown', { seconds })
      : text('refused.too-many-texts', { count: rules.textsInTenSeconds, seconds }),
  );
}

/** Counts an accepted text: a refused one is none. */
export function acceptAfterCooldown<Accepted>(call: TextCall, rules: CooldownRules, accept: () => Accepted): Accepted {
  checkTextCooldown(call, rules);
  const accepted = accept();
  const { interaction, services } = call;
  services.speakers.cooldown.take(countedIn(interaction), textRequester(interaction), rules);
  return accepted;
}

/** A text that was accepted just now and then failed at no cost does not count as a use either. */
export function uncountUnspoken({ interaction, services }: TextCall, rules: CooldownRules, work: Work): Work {
  const uncount = services.speakers.cooldown.ifUnspoken(countedIn(interaction), textRequester(interaction), rules);
  return async (progress) => {
    try {
      return await work(progress);
    } catch (error) {
      uncount(error instanceof OfferedError ? error.cause : error);
      throw error;
    }
  };
}

const textRequester = (interaction: SpeakCall['interaction']) => ({
  userId: interaction.user.id,
  isAdmin: managesServer(interaction),
});

interface KeptPlace {
  readonly kind: KeptOrigin['kind'];
  /** The channel that it is spoken in. */
  readonly channelId: string;
  readonly authorId?: string | undefined;
}

interface AcceptedText extends KeptPlace {
  readonly words: KeptWords;
}

/** A text that was accepted by an interaction, as it is kept for the case that the process ends. */
export function keptText(interaction: RepliableInteraction<'cached'>, { words, ...place }: AcceptedText): NewText {
  return {
    words,
    origin: keptOrigin(interaction, place),
    locateReply: async () => (await interaction.fetchReply()).id,
  };
}

/** The requester and the place of an interaction. */
export function keptOrigin(
  interaction: RepliableInteraction<'cached'>,
  { kind, channelId, authorId }: KeptPlace,
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

/** For the moderators of the server it is asked for in; undefined elsewhere. */
export function noteOf(
  { interaction }: SpeakCall,
  order: SpeechOrder,
  /** Undefined of a text that was refused before a voice was chosen. */
  requested: Requested | undefined,
): NoteStart | undefined {
  if (!interaction.inCachedGuild()) return undefined;
  return {
    guildId: interaction.guildId,
    userId: interaction.user.id,
    kind: order.as !== 'voice' ? order.as : order.from === 'message' ? 'message' : 'command',
    characters: (requested?.request.input ?? order.words).length,
    voices: requested?.voices,
    channelId: interaction.channelId ?? undefined,
    isBleeped: requested?.isBleeped ?? false,
  };
}

/**
 * Checks a text that is spoken again: a word in it may have been blocked since. Moderators then get the start of its
 * note. Rejects with a BlockedWordError.
 */
export async function mustBeUnblocked(
  { texts, moderation }: Services,
  start: NoteStart,
  { requested: { request } }: QueueItem,
): Promise<void> {
  const blocked = await texts.blockedInRequest(request, start.guildId);
  if (!blocked) return;
  noteBlocked(moderation, start, blocked);
  throw blocked;
}

/** Moderators also see texts that were refused for a blocked word; other refusals are for the writer alone. */
export function noteBlocked(log: ModerationLog, start: NoteStart | undefined, error: unknown): void {
  if (start && error instanceof BlockedWordError) log.note({ ...start, outcome: 'blocked', credits: 0 });
}
