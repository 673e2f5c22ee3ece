import { caughtUp } from '../../services/playback/guild-speakers.ts';
import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { plainOptions, preferredOptions, voicesUnder, withAllowedStyles } from '../../services/voices/preferences.ts';
import { voicedBy } from '../../services/voices/voice-choice.ts';
import { listedVoice, type SpeechRequest } from '../../speech/request.ts';
import { text } from '../../texts/catalog.ts';
import type { SpeakCall } from '../framework/command.ts';
import { ignoredBy, mustBeAcceptable, withoutUsualFormat } from '../voice-options/speech-options.ts';
import { currentPreferences } from '../voice-options/voice-option.ts';
import { confirmFirst, noteBlocked, noteOf, purposeOf } from './offers.ts';
import { castScript, castWords, leaveOutTags } from './wording.ts';

/** Finds the voices and options, checks them, and asks before a high cost. The returned order serves a second try. */
export async function lookUp(call: SpeakCall, order: SpeechOrder, rules: ServerRules) {
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
    ...order.speechOptions,
    ...plainOptions(preferredOptions(order.speechOptions, preferences)),
  };
  const usable = voicesUnder(rules, services.voices.known() ?? { voices: [] });
  mustBeAcceptable(asked, voice, usable);
  // A file keeps the chosen format. Other speech with and without its voice's default format would be paid for twice.
  const isKept = order.as === 'file' || services.bot.localVoice;
  const usual = isKept ? asked : withoutUsualFormat(asked, voice);
  const isNew = order.as === 'voice' && !order.wasAccepted && guildId !== null;
  const request = isNew ? caughtUp(usual, rules, services.speakers.find(guildId)) : usual;
  const isCaughtUp = request !== usual;
  const found = isCaughtUp ? [text('say.caught-up'), ...notes] : [...notes];
  if (order.as !== 'voice' && order.channelId !== undefined) found.push(text('say.channel-ignored'));
  // /voice set and /voice show name the ignored options that the member has stored.
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

function noted(call: SpeakCall, order: SpeechOrder, error: unknown): unknown {
  noteBlocked(call.services.moderation, noteOf(call, order, undefined), error);
  return error;
}

export async function mustHaveAllowedStyle(call: SpeakCall, order: SpeechOrder): Promise<void> {
  const { style } = order.speechOptions;
  if (style === undefined || !call.interaction.inCachedGuild()) return;
  const refusal = await call.services.texts.blockedInStyle(style, call.interaction.guildId);
  if (refusal) throw noted(call, order, refusal);
}

/** A stored style may come from another server, which does not block its words. */
async function preferencesHere(call: SpeakCall) {
  const preferences = await currentPreferences(call);
  const { interaction, services } = call;
  if (!interaction.inCachedGuild()) return preferences;
  const { guildId } = interaction;
  return withAllowedStyles(preferences, (style) => services.texts.blockedInStyle(style, guildId));
}
