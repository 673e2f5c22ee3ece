import type { VoiceBasedChannel } from 'discord.js';
import { managesServer } from '../../discord/channels/permissions.ts';
import { voicePlace } from '../../discord/channels/voice-access.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import type { CooldownRules } from '../../services/servers/cooldowns.ts';
import { mustBeReadTo } from '../../services/servers/opt-outs.ts';
import { DEFAULT_RULES, type ServerRules } from '../../services/servers/server-rules.ts';
import { text } from '../../texts/catalog.ts';
import { countedIn, mustBeSpokenIn, mustHaveListeners, usableChannel } from '../framework/checks.ts';
import { OfferedError, type SpeakCall, serverCall, type Work } from '../framework/command.ts';
import { makeMessage } from './files.ts';
import { lookUp } from './look-up.ts';
import { noteOf, offeringAgain } from './offers.ts';
import { followed } from './replies.ts';

/**
 * Chooses the voice, checks the text, asks before a high cost, and starts the speech. Rejects with a UserError if a
 * check fails.
 */
export async function speak(call: SpeakCall, given: SpeechOrder): Promise<Work> {
  const { speakers, privacy } = call.services;
  if (speakers.refusal) throw new UserError(speakers.refusal);
  const asked = { userId: call.interaction.user.id, authorId: given.authorId };
  await mustBeReadTo(privacy.optOuts, asked);
  const { channel, rules } = await placeOf(call, given);
  if (!given.wasAccepted) mustBeCool(call, rules);
  const { order, requested } = await lookUp(call, given, rules);
  // The opt-outs are checked again, because the author of the text may have opted out during the checks above. An
  // opt-out by itself stops only queued texts.
  await mustBeReadTo(privacy.optOuts, asked);
  // A second try after a failure need not wait for the server's cooldown: the first try has already waited.
  const cooldown = order.wasAccepted ? { ...rules, cooldownSeconds: 0 } : rules;
  return accept(call, cooldown, () =>
    channel ? speakIn(channel, call, order, requested) : makeMessage(call, order, requested),
  );
}

export const rulesFor = async ({ interaction, services }: SpeakCall): Promise<ServerRules> =>
  interaction.inCachedGuild() ? services.settings.of(interaction.guildId) : DEFAULT_RULES;

/**
 * Finds the voice channel for a text, and the server's rules; no voice channel for a file or a voice message. Rejects
 * with a UserError if the voice channel cannot be used. The channel is checked before the rules are read, so that most
 * refusals need no database.
 */
export async function placeOf(call: SpeakCall, { as, channelId }: SpeechOrder) {
  if (as !== 'voice') return { channel: undefined, rules: await rulesFor(call) };
  if (!call.interaction.inCachedGuild()) throw new UserError(text('say.no-voice-here'));
  const { interaction, services } = serverCall(call);
  const channel = usableChannel(interaction, services.speakers, channelId);
  if (channelId !== undefined) mustHaveListeners(interaction, channelId);
  const rules = await rulesFor(call);
  mustBeSpokenIn(channel, interaction, rules);
  return { channel, rules };
}

const counted = ({ interaction }: SpeakCall) =>
  [countedIn(interaction), { userId: interaction.user.id, isAdmin: managesServer(interaction) }] as const;

/**
 * Throws a UserError if the member has to wait. In each server, a member's texts have two limits: the admins' pause
 * between texts, and a number of texts in ten seconds.
 */
export function mustBeCool(call: SpeakCall, rules: CooldownRules): void {
  const { cooldown } = call.services.speakers;
  // The refusal names the pause between texts if the wait would be shorter without that pause, otherwise the limit on
  // texts in ten seconds. The wait without the pause is measured first: waits shrink as time passes, so a second
  // measurement is always a little shorter.
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

/**
 * Starts a text and counts it toward the member's limits. A text that fails at no cost does not count. Throws a
 * UserError if the member has to wait.
 */
export function accept(call: SpeakCall, rules: CooldownRules, begin: () => Work): Work {
  const { cooldown } = call.services.speakers;
  mustBeCool(call, rules);
  const work = begin();
  const uncount = cooldown.count(...counted(call), rules);
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
  const note = noteOf(call, order, requested);
  const work = followed(call, { channel, kind: 'say', note, replayed: undefined }, (onProgress) =>
    services.speakers
      .of(interaction.guildId)
      .submit({ place: voicePlace(channel), order, requested, onProgress, askedAtMs, acknowledged, signal }),
  );
  return async (progress) => {
    try {
      return await work(progress);
    } catch (error) {
      throw await offeringAgain(error, order, requested, services);
    }
  };
}
