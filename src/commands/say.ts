import { ApplicationCommandOptionType, InteractionContextType } from 'discord.js';
import { voicePlace } from '../discord/voice-access.ts';
import { DeliveryError, UserError } from '../errors.ts';
import { type KeptVoice, keptVoices, plainManner, preferredManner } from '../services/preferences.ts';
import { SpeechError } from '../services/speech/errors.ts';
import type { SpeechRequest } from '../services/speech/request.ts';
import type { Delivery } from '../services/utterance.ts';
import { type Text, text } from '../texts/catalogue.ts';
import type { ChatCommand, Facts, Services } from './command.ts';
import { availablePreferences } from './preferences.ts';
import { quote } from './quote.ts';
import { serverCall } from './server-call.ts';
import { speechLines } from './speech-facts.ts';
import {
  FORMAT_OPTION,
  givenManner,
  givenRendition,
  ignoredLines,
  MANNER_OPTIONS,
  mustBeAcceptable,
  SEED_OPTION,
} from './speech-options.ts';
import { chooseFreshly, completeVoice, mustFit, voiceLabel } from './voice-option.ts';

/** A letter, a digit or an emoji of any script: without one a text is billed and nothing is heard. */
const SPEAKABLE = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

export const say: ChatCommand = {
  name: 'say',
  description: 'say.description',
  options: [
    { type: ApplicationCommandOptionType.String, name: 'text', description: 'say.text', required: true },
    { type: ApplicationCommandOptionType.String, name: 'voice', description: 'say.voice', autocomplete: true },
    ...MANNER_OPTIONS,
    SEED_OPTION,
    FORMAT_OPTION,
  ],
  needs: { contexts: [InteractionContextType.Guild], voice: 'speak', cooldown: { uses: 5, perMs: 10_000 } },
  replyTo: 'everyone',
  deferred: true,
  complete: completeVoice,

  async begin(call) {
    const { interaction, services } = serverCall(call);
    const words = interaction.options.getString('text', true).trim();
    if (!SPEAKABLE.test(words)) throw new UserError(text('say.empty'));
    const channel = interaction.member.voice.channel;
    if (!channel) throw new UserError(text('refused.not-in-voice', { command: 'say' }));
    const speaker = services.speakers.of(interaction.guildId);
    const preferences = await availablePreferences(call);
    const asked = interaction.options.getString('voice') ?? undefined;
    const { voice, vanished, list } = await chooseFreshly(services, { asked, kept: keptVoices(preferences) });
    const manner = plainManner(preferredManner(givenManner(interaction.options), preferences));
    const request: SpeechRequest = {
      input: words,
      voice: { kind: 'id', voiceId: voice.id, model: voice.model },
      ...manner,
      ...givenRendition(interaction.options),
    };
    mustBeAcceptable(request, voice);
    mustFit(words, manner.style, voice, list);

    if (speaker.queueFull) throw new UserError(text('refused.queue-full', { limit: speaker.queueLimit }));
    // Set going before the placeholder is there: sooner heard, and spoken in the order of asking.
    const delivering = speaker.say({
      place: voicePlace(channel),
      userId: interaction.user.id,
      textChannelId: interaction.channelId,
      request,
      signal: call.signal,
    });
    delivering.catch((error: unknown) => forgetVanishedVoices(services, error));

    return async () => {
      const delivery = await delivering;
      return {
        lines: spoken(delivery, words, voiceLabel(voice), vanished, services.localVoice),
        facts: factsOf(delivery),
      };
    };
  },
};

/** The service refused a voice that its list had: the next one who chooses sees a fresh list. */
function forgetVanishedVoices({ voices, log }: Services, error: unknown): void {
  const cause = error instanceof DeliveryError ? error.cause : error;
  if (!(cause instanceof SpeechError) || cause.kind !== 'voice-not-found') return;
  voices.refresh().catch((failure: unknown) => log.warn({ err: failure }, 'The voice list could not be refreshed'));
}

/** For the log: what was paid for and how long it took, nothing of what was said. */
function factsOf({ outcome, firstAudioMs, speech }: Delivery): Facts {
  const { requestId, model, inputCharacters, creditsUsed, creditsRemaining } = speech;
  return { spoken: outcome, firstAudioMs, requestId, model, inputCharacters, creditsUsed, creditsRemaining };
}

function spoken(
  { outcome, channelId, speech }: Delivery,
  words: string,
  voice: Text,
  vanished: readonly KeptVoice[],
  localVoice: boolean,
): Text[] {
  const heard = { channel: `<#${channelId}>`, voice, text: quote(words) };
  return [
    outcome === 'finished' ? text('say.spoken', heard) : text('say.stopped', heard),
    ...vanished.map(gone),
    ...ignoredLines(voice, speech.warnings),
    ...speechLines(speech, { localVoice }),
  ];
}

function gone({ source, choice }: KeptVoice): Text {
  return text(source === 'server' ? 'say.default-gone' : 'say.own-gone', { voice: voiceLabel(choice) });
}
