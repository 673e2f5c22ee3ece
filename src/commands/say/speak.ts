import { setImmediate as nextTurn } from 'node:timers/promises';
import type { VoiceBasedChannel } from 'discord.js';
import { managesServer, voicePlace } from '../../discord/channels/permissions.ts';
import { UserError } from '../../errors/user-errors.ts';
import { caughtUp } from '../../services/playback/guild-speakers.ts';
import type { Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import { DEFAULT_RULES, mustBeReadTo, type ServerRules } from '../../services/servers/admission.ts';
import { BlockedWordError } from '../../services/text/blocked-words.ts';
import { plainOptions, preferredOptions, voicesUnder, withAllowedStyles } from '../../services/voices/preferences.ts';
import { listedVoice, type SpeechRequest } from '../../speech/interface/schemas.ts';
import { text } from '../../texts/catalog.ts';
import { countedIn, mustBeSpokenIn, mustHaveListeners, usableChannel } from '../framework/checks.ts';
import { OfferedError, type SpeakCall, serverCall, type Work } from '../framework/command.ts';
import { currentPreferences, ignoredBy, mustBeAcceptable, withoutUsualFormat } from '../voice-options/voice-option.ts';
import { makeMessage } from './files.ts';
import { confirmFirst, noteOf, purposeOf } from './offers.ts';
import { followed } from './replies.ts';
import { castScript, castWords, leaveOutTags } from './wording.ts';

/** Rejects with a UserError if a check fails. */
export async function speak(call: SpeakCall, given: SpeechOrder): Promise<Work> {
  const { speakers, privacy } = call.services;
  if (speakers.refusal) throw new UserError(speakers.refusal);
  const { id: userId } = call.interaction.user;
  await mustBeReadTo(privacy.optOuts, userId, given.authorId);
  const { channel, rules } = await placeOf(call, given);
  if (!given.wasAccepted) mustBeCool(call, rules);
  const { order, requested } = await lookUp(call, given, rules);
  // The author may have opted out during the checks above. An opt-out by itself stops only queued texts.
  await mustBeReadTo(privacy.optOuts, userId, given.authorId);
  // A request that was accepted before has already passed the server's cooldown.
  const cooldown = order.wasAccepted ? { ...rules, cooldownSeconds: 0 } : rules;
  return accept(call, cooldown, () =>
    channel ? speakIn(channel, call, order, requested) : makeMessage(call, order, requested),
  );
}

export const rulesFor = async ({ interaction, services }: SpeakCall): Promise<ServerRules> =>
  interaction.inCachedGuild() ? services.settings.of(interaction.guildId) : DEFAULT_RULES;

/**
 * Rejects with a UserError if the voice channel cannot be used. The channel is checked before the rules are read, so
 * that most refusals need no database.
 */
export async function placeOf(call: SpeakCall, { as, channelId }: SpeechOrder) {
  if (as !== 'voice') return { channel: undefined, rules: await rulesFor(call) };
  const { interaction, services } = call;
  if (!interaction.inCachedGuild()) throw new UserError(text('say.no-voice-here'));
  const channel = usableChannel(interaction, services.speakers, channelId);
  if (channelId !== undefined) mustHaveListeners(interaction, channelId);
  const rules = await rulesFor(call);
  mustBeSpokenIn(channel.id, interaction, rules);
  return { channel, rules };
}

/** Finds and checks the voices and options, and asks before a high cost. A retry must use the returned SpeechOrder. */
async function lookUp(call: SpeakCall, order: SpeechOrder, rules: ServerRules) {
  const { interaction, services } = call;
  const { guildId } = interaction;
  await mustHaveAllowedStyle(call, order);
  const current = await currentPreferences(call);
  // A stored style may come from another server, which does not block its words.
  const preferences = interaction.inCachedGuild()
    ? await withAllowedStyles(current, (style) => services.texts.blockedInStyle(style, interaction.guildId))
    : current;
  const cast = order.isScript ? castScript : castWords;
  const { passages, notes, isBleeped } = leaveOutTags(
    await cast(call, order, { preferences, rules }).catch((error: unknown) => {
      throw noted(call, order, error);
    }),
  );
  // The event loop gets a turn before a long text is split into the parts that are billed.
  await nextTurn();
  const [{ voice, language }, ...others] = passages as [(typeof passages)[number], ...typeof passages];
  const asked: SpeechRequest = {
    input: passages.map(({ input }) => input).join(''),
    voice: listedVoice(voice),
    passages: others.length > 0 ? passages.map((one) => ({ ...one, voice: listedVoice(one.voice) })) : undefined,
    language: others.length > 0 ? undefined : language,
    ...order.speechOptions,
    ...plainOptions(preferredOptions(order.speechOptions, preferences)),
  };
  const usable = voicesUnder(rules, services.voices.known() ?? { voices: [] });
  mustBeAcceptable(asked, voice, usable);
  // A file keeps the chosen format. Other requests omit the voice's default format, so that cached audio is reused.
  const isKept = order.as === 'file' || services.bot.localVoice;
  const usual = isKept ? asked : withoutUsualFormat(asked, voice);
  const isNew = order.as === 'voice' && !order.wasAccepted && guildId !== null;
  const request = isNew ? caughtUp(usual, rules, services.speakers.find(guildId)) : usual;
  const isCaughtUp = request !== usual;
  const found = isCaughtUp ? [text('say.caught-up'), ...notes] : [...notes];
  if (order.as !== 'voice' && order.channelId !== undefined) found.push(text('say.channel-ignored'));
  // The reply names only this request's ignored options: /voice set and /voice show name the stored ones.
  const given = { ...order.speechOptions, passages: asked.passages };
  const ignored = ignoredBy(voice, given, order.isScript ? [] : usable);
  found.push(...ignored.lines);
  const requested = {
    request,
    voices: [...new Set(passages.map((passage) => passage.voice))],
    notes: found,
    takenBy: ignored.takenBy,
    isBleeped,
    billed: services.synthesizer.billedTexts(request, purposeOf(order)),
  };
  // A second try keeps a raised speed, because audio of another speed would be paid for again.
  const { speed } = request;
  const again = isCaughtUp ? { ...order, speechOptions: { ...order.speechOptions, speed } } : order;
  await confirmFirst(call, again, requested, rules);
  return { order: again, requested };
}

/** The moderation log gets only refusals for a blocked word. The requester alone sees other refusals. */
function noted(call: SpeakCall, order: SpeechOrder, error: unknown): unknown {
  const note = noteOf(call, order, undefined);
  if (note && error instanceof BlockedWordError) {
    call.services.moderation.note({ ...note, outcome: 'blocked', credits: 0 });
  }
  return error;
}

export async function mustHaveAllowedStyle(call: SpeakCall, order: SpeechOrder): Promise<void> {
  const { style } = order.speechOptions;
  if (style === undefined || !call.interaction.inCachedGuild()) return;
  const refusal = await call.services.texts.blockedInStyle(style, call.interaction.guildId);
  if (refusal) throw noted(call, order, refusal);
}

const counted = ({ interaction }: SpeakCall) =>
  [countedIn(interaction), { userId: interaction.user.id, isAdmin: managesServer(interaction) }] as const;

/** A member's texts have two limits: the admins' pause between texts, and a number of texts in ten seconds. */
export function mustBeCool(call: SpeakCall, rules: ServerRules): void {
  const { cooldown } = call.services.speakers;
  // The refusal names the limit with the longer wait. The wait without the cooldown is measured first: measured later,
  // the wait would be shorter, and the refusal could name the wrong limit.
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
 * A text that fails at no cost does not count toward the member's limits. Throws a UserError if the member has to wait.
 */
export function accept(call: SpeakCall, rules: ServerRules, begin: () => Work): Work {
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
  return followed(call, { channel, note, replayed: undefined }, (onProgress) =>
    services.speakers
      .of(interaction.guildId)
      .submit({ place: voicePlace(channel), order, requested, onProgress, askedAtMs, acknowledged, signal }),
  );
}
