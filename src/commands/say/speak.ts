import type { VoiceBasedChannel } from 'discord.js';
import { raisesHand, voicePlace } from '../../discord/channels/voice-access.ts';
import { noteOfDelivery, noteWhenOver } from '../../discord/moderation/moderation-notes.ts';
import { quote, voiceLabel } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { Submission } from '../../services/playback/guild-speaker-types.ts';
import { caughtUp } from '../../services/playback/guild-speakers.ts';
import type { QueueItem, Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import { mustBeReadTo } from '../../services/servers/opt-outs.ts';
import { DEFAULT_RULES, type ServerRules } from '../../services/servers/server-rules.ts';
import {
  isServers,
  type KeptVoice,
  keptVoices,
  type Preferences,
  plainOptions,
  preferredOptions,
  voicesUnder,
  withAllowedStyles,
} from '../../services/voices/preferences.ts';
import { localeToSpeak, type VoicedPassage, voicedBy } from '../../services/voices/voice-choice.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { listedVoice, type SpeechRequest } from '../../speech/request.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { callersChannel, mustBeSpokenIn, namedChannelWithListeners } from '../framework/checks.ts';
import { OfferedError, type ShowProgress, type SpeakCall, type Work } from '../framework/command.ts';
import { serverCall } from '../framework/server-call.ts';
import { mustBeAcceptable, withoutUsualFormat } from '../voice-options/speech-options.ts';
import {
  areKanjiTo,
  chooseFreshly,
  currentPreferences,
  foreignLine,
  insteadOfLine,
  languageMissed,
  languageOfWords,
  languageToTell,
} from '../voice-options/voice-option.ts';
import { acceptAfterCooldown, checkTextCooldown, keptText, noteBlocked, noteOf, uncountUnspoken } from './accepted.ts';
import { confirmFirst, offeringAgain, purposeOf } from './confirm-and-retry.ts';
import { castScript, languagesOfLines, nameWithin, readScript, voicesOfLines } from './script.ts';
import { speechFile, speechVoiceMessage } from './speech-files.ts';
import { createPartsWatch, finalReply, laterReply, type PartsWatch, progressOf } from './speech-progress.ts';
import { leaveOutTags, linesToSpeak, wordsToSpeak } from './text-preparation.ts';

/**
 * What all ways to speak have in common: looks up the voice, checks everything that can be refused, asks before it
 * becomes dear, and sets the speech going.
 */
export async function speak(call: SpeakCall, given: SpeechOrder): Promise<Work> {
  const { refusal } = call.services.speakers;
  if (refusal) throw new UserError(refusal);
  const asked = { userId: call.interaction.user.id, authorId: given.authorId };
  await mustBeReadTo(call.services.privacy.optOuts, asked);
  const { channel, rules } = await placeOf(call, given);
  if (!given.wasAccepted) checkTextCooldown(call, rules);
  const { order, requested } = await lookUp(call, given, rules);
  // Once more: what is under way at an opt-out is ended, and this is not yet.
  await mustBeReadTo(call.services.privacy.optOuts, asked);
  const begin = channel ? () => speakIn(channel, call, order, requested) : () => makeMessage(call, order, requested);
  // The same text once more after a failure: it has had its pause.
  const cooldown = order.wasAccepted ? { ...rules, cooldownSeconds: 0 } : rules;
  return uncountUnspoken(call, cooldown, acceptAfterCooldown(call, cooldown, begin));
}

/** What the server's admins chose. */
export const rulesFor = async ({ interaction, services }: SpeakCall): Promise<ServerRules> =>
  interaction.inCachedGuild() ? services.settings.of(interaction.guildId) : DEFAULT_RULES;

/** From now on it can be called off, also while Discord is still taking the first answer. */
function makeMessage(call: SpeakCall, order: SpeechOrder, requested: Requested): Work {
  const { interaction, services, signal } = call;
  const { request } = requested;
  const guildId = interaction.guildId ?? undefined;
  const whose = { guildId, userId: interaction.user.id, authorId: order.authorId };
  const file = services.speakers.files.begin({ ...whose, request }, signal);
  const make = order.as === 'file' ? speechFile : speechVoiceMessage;
  return () => make(call, order, requested, file);
}

function speakIn(channel: VoiceBasedChannel, call: SpeakCall, order: SpeechOrder, requested: Requested): Work {
  const { interaction, services, signal } = serverCall(call);
  const { authorId } = order;
  const note = noteOf(call, order, requested);
  const speaker = services.speakers.of(interaction.guildId);
  const parts = createPartsWatch();
  const needsInvitation = raisesHand(channel);
  // Set going before the placeholder is there: sooner heard, and spoken in the order of asking.
  const submission = speaker.submit({
    place: voicePlace(channel),
    order,
    requested,
    onProgress: parts.onProgress,
    askedAtMs: call.askedAtMs,
    acknowledged: call.acknowledged,
    signal,
  });
  const kept = services.speakers.unspoken.keep(
    submission,
    keptText(interaction, { kind: 'say', channelId: channel.id, words: { order, requested }, authorId }),
  );
  void call.answered?.then(() => kept?.told());
  const start = note && { ...note, channelId: channel.id };
  noteWhenOver(services, start, submission.delivery.then(noteOfDelivery), kept);
  return async (progress) => {
    try {
      return await followSubmission(call, submission, { parts, needsInvitation, progress });
    } catch (error) {
      if (!kept?.comesBack) throw error;
      return laterReply(error instanceof OfferedError ? error.cause : error, services);
    }
  };
}

interface Following {
  readonly parts: PartsWatch;
  /** It is to be spoken on a stage to which a moderator has to invite the bot. */
  readonly needsInvitation: boolean;
  readonly progress: ShowProgress;
}

async function followSubmission(
  call: SpeakCall,
  submission: Submission,
  { parts, needsInvitation, progress }: Following,
) {
  const show = (item: QueueItem) => {
    const content = progressOf(item, parts.latest, call.services, needsInvitation);
    if (content) progress(content);
  };
  parts.onChanged = () => show(submission.item());
  const unsubscribe = submission.onChanged(show);
  show(submission.item());
  try {
    return finalReply(submission.item(), await submission.delivery, call.services);
  } catch (error) {
    const { order, requested } = submission.item();
    throw await offeringAgain(error, order, requested, call);
  } finally {
    unsubscribe();
  }
}

/**
 * The checked voice channel of the speech, and the rules of the server; no channel for a file or a voice message. It
 * comes first: without a place to speak, neither the store nor the service is asked.
 */
export async function placeOf(call: SpeakCall, order: SpeechOrder) {
  const channel = channelOf(call, order);
  const rules = await rulesFor(call);
  if (channel) mustBeSpokenIn(channel, serverCall(call).interaction, rules);
  return { channel, rules };
}

function channelOf(call: SpeakCall, { as, channelId }: SpeechOrder) {
  if (as !== 'voice') return undefined;
  if (!call.interaction.inCachedGuild()) throw new UserError(text('say.no-voice-here'));
  const { interaction, services } = serverCall(call);
  return channelId === undefined
    ? callersChannel(interaction, services.speakers, 'say')
    : namedChannelWithListeners(interaction, services.speakers, channelId);
}

async function lookUp(
  call: SpeakCall,
  order: SpeechOrder,
  rules: ServerRules,
): Promise<{ readonly order: SpeechOrder; readonly requested: Requested }> {
  const { services } = call;
  await mustHaveAllowedStyle(call, order);
  const preferences = await preferencesHere(call);
  const cast = order.isScript
    ? castLines(call, order, { preferences, rules })
    : chooseForWords(call, order, { preferences, rules });
  const { input, voice, passages, language, isBleeped, notes, leftOut } = leaveOutTags(await cast);
  const asked: SpeechRequest = {
    input,
    voice: listedVoice(voice),
    passages: passages && voicedBy(passages),
    language,
    ...plainOptions(preferredOptions(order.speechOptions, preferences)),
    ...order.output,
  };
  const usable = voicesUnder(rules, services.voices.known() ?? { voices: [] });
  mustBeAcceptable(asked, voice, usable);
  // The format makes no difference to audio that is only heard. A file has the requested format.
  const usual = order.as === 'file' ? asked : withoutUsualFormat(asked, voice);
  const { guildId } = call.interaction;
  const isNew = order.as === 'voice' && !order.wasAccepted && guildId !== null;
  const request = isNew ? caughtUp(usual, rules, services.speakers.find(guildId)) : usual;
  const isCaughtUp = request !== usual;
  // Another try asks for the same sound.
  const { speed } = request;
  const again = isCaughtUp ? { ...order, speechOptions: { ...order.speechOptions, speed } } : order;
  const billed = services.synthesizer.billedTexts(request, purposeOf(order));
  const voices = passages ? [...new Set(passages.map((passage) => passage.voice))] : [voice];
  const found = [...notes];
  if (isCaughtUp) found.unshift(text('say.caught-up'));
  if (order.as !== 'voice' && order.channelId !== undefined) found.push(text('say.channel-ignored'));
  if (leftOut) found.push(text('say.tags-ignored', { voice: voiceLabel(leftOut) }));
  const requested = { request, voices, notes: found, isBleeped, billed };
  await confirmFirst(call, again, requested, rules);
  return { order: again, requested };
}

interface Casting {
  readonly voice: Voice;
  readonly input: string;
  /** The passages of a script for several voices; `voice` is the first one. */
  readonly passages?: readonly VoicedPassage[];
  /** The language that the request names for the voice. */
  readonly language?: string | undefined;
  /** These as in Requested. */
  readonly notes: readonly Text[];
  readonly isBleeped: boolean;
}

/** The words as they are spoken, by the voice for them. */
async function chooseForWords(
  call: SpeakCall,
  order: SpeechOrder,
  { preferences, rules }: { readonly preferences: Preferences; readonly rules: ServerRules },
): Promise<Casting> {
  const language = order.language ?? (await languageOfWords(call, order.words, preferences));
  const kept = keptVoices(preferences, language);
  // What is wrong with a text is known without the service: it may be slow, or down.
  const locale = localeToSpeak(language, call.services.voices.known(), {
    asked: order.voice,
    kept,
    rules,
    language: order.language,
  });
  const wording = wordsToSpeak(call, order, locale === undefined ? rules : { ...rules, language: locale });
  const { words: input, isBleeped } = await notingBlocked(call, order, wording);
  mustFit(input, order, rules);
  const areKanji = order.language === undefined ? areKanjiTo(call, input, preferences) : order.language === 'ja';
  const orders = { asked: order.voice, kept, rules, words: input, language: order.language, areKanji };
  const chosen = await chooseFreshly(call.services, orders);
  const told = order.language ?? languageToTell(call, input, { voice: chosen.voice, language, preferences });
  const missed = order.language ?? (await languageMissed(call, input, chosen, { preferences, rules }));
  const { voice, vanished, insteadOf } = chosen;
  const notes = [
    ...vanished.map(goneLine),
    ...foreignLine(voice, missed, order.language === undefined ? 'say.foreign-language' : 'say.foreign-chosen'),
  ];
  if (insteadOf) notes.push(insteadOfLine(insteadOf, voice, order.language));
  return { voice, input, isBleeped, language: told, notes };
}

/** The lines of a script as they are spoken, each by its speaker's voice. */
async function castLines(
  call: SpeakCall,
  order: SpeechOrder,
  { preferences, rules }: { readonly preferences: Preferences; readonly rules: ServerRules },
): Promise<Casting> {
  const written = readScript(order.words);
  const cast = await castScript(call, written, rules);
  const known = await languagesOfLines(call, written, { cast, preferences, rules });
  const spoken = await notingBlocked(call, order, linesToSpeak(call, order, known, rules));
  const lines = known.map((line, index) => ({ ...line, words: `${spoken[index]?.words}\n` }));
  const input = lines.map(({ words }) => words).join('');
  mustFit(input, order, rules);
  const passages = voicesOfLines(call, lines, { cast, preferences, rules });
  const [first, ...others] = passages;
  if (!first) throw new UserError(text('say.empty'));
  const { voice, language, insteadOf } = first;
  const isBleeped = spoken.some((line) => line.isBleeped);
  if (others.length > 0) return { voice, isBleeped, notes: [], input, passages };
  const notes: Text[] = [];
  if (insteadOf) notes.push(insteadOfLine(insteadOf, voice, order.language));
  const name = nameWithin(written, cast);
  if (name !== undefined) notes.push(text('script.name-within', { name: quote(name, 60) }));
  return { voice, isBleeped, notes, input: input.trim(), language };
}

async function notingBlocked<Words>(call: SpeakCall, order: SpeechOrder, words: Promise<Words>): Promise<Words> {
  try {
    return await words;
  } catch (error) {
    noteBlocked(call.services.moderation, noteOf(call, order, undefined), error);
    throw error;
  }
}

/** Rejects with a BlockedWordError where the server blocks a word in the style that was asked for. */
export async function mustHaveAllowedStyle(call: SpeakCall, order: SpeechOrder): Promise<void> {
  const { style } = order.speechOptions;
  if (style === undefined || !call.interaction.inCachedGuild()) return;
  const refusal = await call.services.texts.blockedInStyle(style, call.interaction.guildId);
  if (refusal) await notingBlocked(call, order, Promise.reject(refusal));
}

/** What was kept for other servers may have a style in which this one blocks a word: it is left out. */
async function preferencesHere(call: SpeakCall): Promise<Preferences> {
  const preferences = await currentPreferences(call);
  const { interaction, services } = call;
  if (!interaction.inCachedGuild()) return preferences;
  const { guildId } = interaction;
  return withAllowedStyles(preferences, (style) => services.texts.blockedInStyle(style, guildId));
}

/** Emoji, names and the dictionary can make more words of a text than were typed. */
function mustFit({ length }: string, { words }: SpeechOrder, { maxCharacters: limit }: ServerRules): void {
  const counted = length > words.length ? 'spoken' : 'typed';
  if (length > limit) throw new UserError(text('say.too-long', { length, limit, counted }));
}

const goneLine = ({ source, choice }: KeptVoice): Text =>
  text(isServers(source) ? 'say.default-gone' : 'say.own-gone', { voice: voiceLabel(choice) });
