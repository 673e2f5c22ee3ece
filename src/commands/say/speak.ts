import type { RepliableInteraction, VoiceBasedChannel } from 'discord.js';
import { managesServer } from '../../discord/channels/permissions.ts';
import { raisesHand, voicePlace } from '../../discord/channels/voice-access.ts';
import { noteOfDelivery, noteWhenOver } from '../../discord/moderation/moderation-log.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Submission } from '../../services/playback/guild-speaker-types.ts';
import type { Kept } from '../../services/playback/unspoken.ts';
import type { Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import type { CooldownRules } from '../../services/servers/cooldowns.ts';
import { mustBeReadTo } from '../../services/servers/opt-outs.ts';
import { DEFAULT_RULES, type ServerRules } from '../../services/servers/server-rules.ts';
import { text } from '../../texts/catalog.ts';
import { countedIn, mustBeSpokenIn, mustHaveListeners, usableChannel } from '../framework/checks.ts';
import { OfferedError, type SpeakCall, serverCall, type Work } from '../framework/command.ts';
import { makeMessage } from './files.ts';
import { keptOrigin, noteOf, offeringAgain } from './offers.ts';
import { createFollower, laterReply } from './replies.ts';
import { lookUp } from './request.ts';

/**
 * What all ways to speak have in common: looks up the voice, checks everything that can be refused, asks before it
 * becomes expensive, and sets the speech going.
 */
export async function speak(call: SpeakCall, given: SpeechOrder): Promise<Work> {
  const { speakers, privacy } = call.services;
  if (speakers.refusal) throw new UserError(speakers.refusal);
  const asked = { userId: call.interaction.user.id, authorId: given.authorId };
  await mustBeReadTo(privacy.optOuts, asked);
  const { channel, rules } = await placeOf(call, given);
  if (!given.wasAccepted) mustBeCool(call, rules);
  const { order, requested } = await lookUp(call, given, rules);
  // Once more: what is under way at an opt-out is ended, and this is not yet.
  await mustBeReadTo(privacy.optOuts, asked);
  // The same text once more after a failure: it has had its pause.
  const cooldown = order.wasAccepted ? { ...rules, cooldownSeconds: 0 } : rules;
  return accept(call, cooldown, () =>
    channel
      ? speakIn(channel, call, order, requested)
      : makeMessage(call, order, requested, noteOf(call, order, requested)),
  );
}

/** What the server's admins chose. */
export const rulesFor = async ({ interaction, services }: SpeakCall): Promise<ServerRules> =>
  interaction.inCachedGuild() ? services.settings.of(interaction.guildId) : DEFAULT_RULES;

/**
 * The checked voice channel of the speech, and the rules of the server; no channel for a file or a voice message. It
 * comes first: without a place to speak, neither the store nor the service is asked.
 */
export async function placeOf(call: SpeakCall, { as, channelId }: SpeechOrder) {
  if (as !== 'voice') return { channel: undefined, rules: await rulesFor(call) };
  if (!call.interaction.inCachedGuild()) throw new UserError(text('say.no-voice-here'));
  const { interaction, services } = serverCall(call);
  const channel = usableChannel(interaction, services.speakers, 'say', channelId);
  if (channelId !== undefined) mustHaveListeners(interaction, channelId);
  const rules = await rulesFor(call);
  mustBeSpokenIn(channel, interaction, rules);
  return { channel, rules };
}

const counted = ({ interaction }: SpeakCall) =>
  [countedIn(interaction), { userId: interaction.user.id, isAdmin: managesServer(interaction) }] as const;

/** Throws a UserError while the server's limits on how often one member has a text spoken allow no further one. */
export function mustBeCool(call: SpeakCall, rules: CooldownRules): void {
  const { cooldown } = call.services.speakers;
  // First: time passes between the two, and would make the other one seem longer.
  const withoutPauseMs = cooldown.waitMs(...counted(call), { ...rules, cooldownSeconds: 0 });
  const waitMs = cooldown.waitMs(...counted(call), rules);
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new UserError(
    waitMs > withoutPauseMs
      ? text('refused.server-cooldown', { seconds })
      : text('refused.too-many-texts', { count: rules.textsInTenSeconds, seconds }),
  );
}

/** Begins a text and counts it, unless that is refused; one that then fails at no cost does not count as a use either. */
export function accept(call: SpeakCall, rules: CooldownRules, begin: () => Work): Work {
  const { cooldown } = call.services.speakers;
  mustBeCool(call, rules);
  const work = begin();
  cooldown.take(...counted(call), rules);
  const uncount = cooldown.ifUnspoken(...counted(call), rules);
  return async (progress) => {
    try {
      return await work(progress);
    } catch (error) {
      uncount(error instanceof OfferedError ? error.cause : error);
      throw error;
    }
  };
}

function speakIn(channel: VoiceBasedChannel, call: SpeakCall, order: SpeechOrder, requested: Requested): Work {
  const { interaction, services, askedAtMs, acknowledged, signal } = serverCall(call);
  const followed = { replayed: undefined, needsInvitation: raisesHand(channel), creditsBefore: 0 };
  const follower = createFollower(services, followed);
  // Set going before the placeholder is there: sooner heard, and spoken in the order of asking.
  const submission = services.speakers.of(interaction.guildId).submit({
    place: voicePlace(channel),
    order,
    requested,
    onProgress: follower.onProgress,
    askedAtMs,
    acknowledged,
    signal,
  });
  const kept = keep(call, submission, 'say');
  const note = noteOf(call, order, requested);
  noteWhenOver(services, note && { ...note, channelId: channel.id }, submission.delivery.then(noteOfDelivery), kept);
  return async (progress) => {
    try {
      return await follower.follow(submission, progress);
    } catch (error) {
      if (kept?.comesBack) return laterReply(error, services);
      throw await offeringAgain(error, order, requested, services);
    }
  };
}

/** Keeps a text that was accepted for the case that the process ends, until its requester has an answer. */
export function keep(call: SpeakCall, submission: Submission, kind: 'say' | 'replay'): Kept | undefined {
  const interaction = call.interaction as RepliableInteraction<'cached'>;
  const { order, requested, channelId } = submission.item();
  const kept = call.services.speakers.unspoken.keep(submission, {
    words: { order, requested },
    origin: keptOrigin(interaction, { kind, channelId, authorId: order.authorId }),
    locateReply: async () => (await interaction.fetchReply()).id,
  });
  void call.answered.then(() => kept?.told());
  return kept;
}
