import { type Button, button } from '../../discord/replies/layout.ts';
import { voiceWithModel } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { charactersOf } from '../../services/synthesis/parts.ts';
import { isAllowed } from '../../services/voices/preferences.ts';
import { languageOfTexts } from '../../services/voices/spoken-languages.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { listedVoice, type SpeechRequest } from '../../speech/request.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import type { ControlCall, Reply } from '../framework/command.ts';
import { speechFacts, speechLines, spokenBy, stoodInLines } from '../say/replies.ts';
import { currentPreferences, type VoiceCall } from '../voice-options/voice-option.ts';

/** The words of a sample are fixed, so that cached audio can be played again at no cost. */
function sampleRequest({ interaction }: VoiceCall, voice: Voice, sample = text('voices.sample')): SpeechRequest {
  const locale = voice.language === 'multiple' ? interaction.locale : voice.language;
  return { input: render(sample, locale), voice: listedVoice(voice), language: languageOfTexts(locale) };
}

/** For the voice card and /setup. The button names the sample's credits, so that pressing it agrees to the cost. */
export async function previewButton(call: VoiceCall, voice: Voice): Promise<Button> {
  return button('voice-preview', await listenLabel(call, sampleRequest(call, voice)), voice.id, 'primary');
}

async function listenLabel({ services }: VoiceCall, request: SpeechRequest): Promise<Text> {
  const { bot, spending, synthesizer } = services;
  if (bot.localVoice) return text('voices.preview');
  const sound = await synthesizer.recall(request);
  if (sound.every(({ kind }) => kind === 'at-hand')) return text('voices.preview');
  const billed = synthesizer.billedTexts(request, 'file');
  const about = spending.estimateCredits(billed)?.about;
  if (about === 0) return text('voices.preview');
  return about === undefined
    ? text('voices.preview-billed', { characters: charactersOf(billed) })
    : text('voices.preview-about', { about: Math.max(1, Math.round(about)) });
}

export const listen = (call: ControlCall, voice: Voice): Promise<Reply> =>
  play(call, [voice], sampleRequest(call, voice));

export function listenInARow(call: ControlCall, voices: readonly Voice[]): Promise<Reply> {
  const samples = voices.map((voice) => sampleRequest(call, voice, text('voices.named-sample', { name: voice.name })));
  const [first] = samples;
  if (first === undefined) throw new UserError(text('voices.gone'));
  const input = samples.map((sample) => sample.input).join('');
  return play(call, voices, { input, voice: first.voice, passages: samples.length > 1 ? samples : undefined });
}

async function play(call: ControlCall, voices: readonly Voice[], request: SpeechRequest): Promise<Reply> {
  const { interaction, services, signal } = call;
  // A forged custom id could name a voice that the server forbids.
  const { server } = await currentPreferences(call);
  const forbidden = voices.find((voice) => !isAllowed(voice, server));
  if (forbidden) throw new UserError(text('refused.voice-not-allowed', { voice: voiceWithModel(forbidden) }));
  const payer = { guildId: interaction.guildId ?? undefined, userId: interaction.user.id };
  const { facts, ...voiceMessage } = await services.synthesizer.voiceMessage(request, { ...payer, signal });
  return {
    voiceMessage,
    lines: [
      text('voices.previewed', { voice: spokenBy(voices, facts, services) }),
      ...stoodInLines(voices, facts, services),
      ...(await speechLines(facts, { ...payer, privately: true }, services)),
    ],
    facts: speechFacts(facts, services),
  };
}
