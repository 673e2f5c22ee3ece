import { button } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { caughtUp } from '../../services/playback/guild-speakers.ts';
import type { Requested, SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { charactersOf, type Purpose } from '../../services/synthesis/parts.ts';
import { plainOptions, preferredOptions, voicesUnder, withAllowedStyles } from '../../services/voices/preferences.ts';
import { voicedBy } from '../../services/voices/voice-choice.ts';
import { billsStyle, listedVoice, requestsOf, type SpeechRequest } from '../../speech/request.ts';
import { text } from '../../texts/catalog.ts';
import { OfferedError, type SpeakCall } from '../framework/command.ts';
import { mustBeAcceptable, withoutUsualFormat } from '../voice-options/speech-options.ts';
import { currentPreferences } from '../voice-options/voice-option.ts';
import { goOnName, noteBlocked, noteOf, partsToBuy } from './offers.ts';
import { castScript, castWords, leaveOutTags } from './wording.ts';

/** What is requested of the speech service for an order, once its requester has been asked about the cost. */
export async function lookUp(
  call: SpeakCall,
  order: SpeechOrder,
  rules: ServerRules,
): Promise<{ readonly order: SpeechOrder; readonly requested: Requested }> {
  const { interaction, services } = call;
  const { guildId } = interaction;
  await mustHaveAllowedStyle(call, order);
  const preferences = await preferencesHere(call);
  const casting = order.isScript
    ? castScript(call, order, { preferences, rules })
    : castWords(call, order, { preferences, rules });
  const { passages, notes, isBleeped } = leaveOutTags(
    await casting.catch((error: unknown) => {
      throw noted(call, order, error);
    }),
  );
  const [{ voice, language }, ...others] = passages as [(typeof passages)[number], ...typeof passages];
  const asked: SpeechRequest = {
    input: passages.map(({ input }) => input).join(''),
    voice: listedVoice(voice),
    passages: others.length > 0 ? voicedBy(passages) : undefined,
    language: others.length > 0 ? undefined : language,
    ...plainOptions(preferredOptions(order.speechOptions, preferences)),
    ...order.output,
  };
  mustBeAcceptable(asked, voice, voicesUnder(rules, services.voices.known() ?? { voices: [] }));
  // The format makes no difference to audio that is only heard. A file has the requested format.
  const usual = order.as === 'file' ? asked : withoutUsualFormat(asked, voice);
  const isNew = order.as === 'voice' && !order.wasAccepted && guildId !== null;
  const request = isNew ? caughtUp(usual, rules, services.speakers.find(guildId)) : usual;
  const isCaughtUp = request !== usual;
  const found = isCaughtUp ? [text('say.caught-up'), ...notes] : [...notes];
  if (order.as !== 'voice' && order.channelId !== undefined) found.push(text('say.channel-ignored'));
  const requested = {
    request,
    voices: [...new Set(passages.map((passage) => passage.voice))],
    notes: found,
    isBleeped,
    billed: services.synthesizer.billedTexts(request, purposeOf(order)),
  };
  // Another try asks for the same audio.
  const { speed } = request;
  const again = isCaughtUp ? { ...order, speechOptions: { ...order.speechOptions, speed } } : order;
  await confirmFirst(call, again, requested, rules);
  return { order: again, requested };
}

/** The failure, which moderators see if it is a blocked word. */
function noted(call: SpeakCall, order: SpeechOrder, error: unknown): unknown {
  noteBlocked(call.services.moderation, noteOf(call, order, undefined), error);
  return error;
}

/** Rejects with a BlockedWordError where the server blocks a word in the style that was asked for. */
export async function mustHaveAllowedStyle(call: SpeakCall, order: SpeechOrder): Promise<void> {
  const { style } = order.speechOptions;
  if (style === undefined || !call.interaction.inCachedGuild()) return;
  const refusal = await call.services.texts.blockedInStyle(style, call.interaction.guildId);
  if (refusal) throw noted(call, order, refusal);
}

/** What was kept for other servers may have a style in which this one blocks a word: it is left out. */
async function preferencesHere(call: SpeakCall) {
  const preferences = await currentPreferences(call);
  const { interaction, services } = call;
  if (!interaction.inCachedGuild()) return preferences;
  const { guildId } = interaction;
  return withAllowedStyles(preferences, (style) => services.texts.blockedInStyle(style, guildId));
}

/**
 * Its requester is asked before a long text is made where it costs credits. Rejects with the question, or with the refusal that would follow it.
 */
async function confirmFirst(
  call: SpeakCall,
  order: SpeechOrder,
  requested: Requested,
  { confirmAboveCharacters: most }: ServerRules,
): Promise<void> {
  const { interaction, services } = call;
  const { request, billed } = requested;
  if (services.bot.localVoice || order.isConfirmed || charactersOf(billed) <= most) return;
  const toBuy = await partsToBuy(services, requested, purposeOf(order));
  if (charactersOf(toBuy) <= most) return;
  await services.spending.mustAllow({ guildId: interaction.guildId ?? undefined, userId: interaction.user.id }, toBuy);
  const characters = charactersOf(toBuy);
  const { as } = order;
  const about = services.spending.estimateCredits(toBuy)?.about;
  if (about === 0) return;
  const style = requestsOf(request).some(billsStyle) ? 'billed' : 'other';
  const asked =
    about === undefined
      ? text('say.confirm', { characters, style, as })
      : text('say.confirm-about', { characters, about: Math.max(1, Math.round(about)), style, as });
  const token = services.pending.put('order', { ...order, isConfirmed: true });
  const yes = button(goOnName(order.privately), text('say.confirm-yes', { as }), token, 'primary');
  throw new OfferedError(new UserError(asked), [[yes, button('say-cancel', text('question.cancel'), token)]]);
}

/** What the audio of an order is made for. */
const purposeOf = ({ as }: SpeechOrder): Purpose => (as === 'voice' ? 'listener' : 'file');
