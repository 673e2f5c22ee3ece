import { managesServer } from '../../discord/channels/permissions.ts';
import { button, quote, voiceLabel, voiceName, voiceWithModel } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { choiceOf, type ServerSettings } from '../../services/servers/server-settings.ts';
import { charactersOf } from '../../services/synthesis/parts.ts';
import { isAllowed, languageOfTexts } from '../../services/voices/preferences.ts';
import { soundLabel } from '../../services/voices/voice-catalog.ts';
import { modelRules } from '../../speech/interface/models.ts';
import { listedVoice, type Voice } from '../../speech/interface/schemas.ts';
import { render, type Text, type TextList, text } from '../../texts/catalog.ts';
import { type Control, type ControlCall, type Services, serverCall } from '../framework/command.ts';
import { speechFacts, speechLines, spokenBy, stoodInLines } from '../say/replies.ts';
import {
  currentPreferences,
  formatList,
  languagesLabel,
  optionList,
  preferencesOf,
  type VoiceCall,
} from '../voice-options/voice-option.ts';
import { inEffect, overruledLines } from './voice.ts';

/** Discord could take characters in a voice's label for markup. */
const QUOTED = (label: string) => quote(label, 40);

const onVoice = (name: string, begin: Control['begin']): Control => ({ name, deferred: true, begin });

export const SAMPLE_LIMITS = { speaks: true, cooldown: { uses: 5, perMs: 30_000 } } as const;

export const voiceCardControls: readonly Control[] = [
  onVoice('voice-card', (call) => async () => {
    const voice = await voiceOf(call.services, call.values[0] ?? '');
    return { lines: [about(voice)], rows: [await cardButtons(call, voice)] };
  }),
  {
    ...SAMPLE_LIMITS,
    ...onVoice('voice-preview', (call) => async () => {
      const voice = await voiceOf(call.services, call.argument);
      return { ...(await listen(call, [voice])), rows: [await cardButtons(call, voice)] };
    }),
  },
  onVoice('voice-mine', (call) => () => useAsMine(call)),
  onVoice('voice-default', (anywhere) => {
    const { interaction, services, argument } = serverCall(anywhere);
    if (!managesServer(interaction)) throw new UserError(text('refused.not-permitted'));
    return async () => setDefaultVoice(services, interaction.guildId, await voiceOf(services, argument));
  }),
];

export async function voiceOf({ voices }: Services, id: string): Promise<Voice> {
  const { voices: all } = await voices.list();
  const voice = all.find((one) => one.id === id);
  if (!voice) throw new UserError(text('voices.gone'));
  return voice;
}

function about(voice: Voice): Text {
  const { name, model, languages: { length: count } = [], formats } = voice;
  const languages =
    count > 1
      ? text('voices.card.speaks', { count })
      : text('voices.card.language', { language: languagesLabel(voice, QUOTED) });
  const options = optionsOf(voice);
  const sound = soundLabel(voice, QUOTED);
  if (sound !== undefined) return text('voices.card-with-sound', { name: voiceName(voice), sound, languages, options });
  return text('voices.card', {
    ...{ name: quote(name, 80), model: quote(model, 40), languages, options },
    formats: formats.length === 0 ? '–' : formatList(formats),
  });
}

async function cardButtons(call: VoiceCall, voice: Voice) {
  const { id } = voice;
  const buttons = [await previewButton(call, voice), button('voice-mine', text('voices.use-mine'), id)];
  if (managesServer(call.interaction)) buttons.push(button('voice-default', text('voices.use-default'), id));
  return buttons;
}

/** Lists the options that a voice supports. For an unknown model, the list says that there may be more. */
function optionsOf(voice: Voice): TextList | string {
  const options = optionList(voice);
  const all = modelRules(voice.model).known
    ? options
    : [...options, text(options.length > 0 ? 'voices.card.more-options' : 'voices.card.options-unknown')];
  return all.length === 0 ? '–' : { list: all };
}

async function useAsMine(call: ControlCall) {
  const { interaction, services, argument } = call;
  const voice = await voiceOf(services, argument);
  const [preferences, list] = await Promise.all([preferencesOf(call), services.voices.list()]);
  const guildId = interaction.inCachedGuild() ? interaction.guildId : undefined;
  const place = { userId: interaction.user.id, guildId };
  const { before, after } = await services.voices.members.change(place, (own) => ({ ...own, voice: choiceOf(voice) }));
  const where = guildId === undefined ? 'everywhere' : 'here';
  const now = { ...preferences, [where]: after };
  const { absent, ignored, rows } = inEffect(list, now);
  const was = before.voice && before.voice.voiceId !== voice.id ? voiceLabel(before.voice) : 'none';
  const kept = text('voices.mine', { where, voice: voiceLabel(voice), before: was });
  return { lines: [kept, ...overruledLines(voice, list, now), ...absent, ...ignored], rows };
}

async function setDefaultVoice({ settings }: Services, guildId: string, voice: Voice) {
  const { before } = await settings.change(guildId, (present) => withDefaultVoice(present, voice));
  if (before.defaultVoice?.voiceId === voice.id) return { lines: [text('settings.unchanged')] };
  const former = before.defaultVoice ? voiceLabel(before.defaultVoice) : text('setting.unset.default');
  const setting = text('setting.defaultVoice');
  return { lines: [text('settings.changed', { setting, after: voiceLabel(voice), before: former })] };
}

/** Used by the voice card and /setup to set a default voice. Throws a UserError if the server forbids the voice. */
export function withDefaultVoice(settings: ServerSettings, voice: Voice): ServerSettings {
  if (!isAllowed(voice, settings))
    throw new UserError(text('refused.voice-not-allowed', { voice: voiceWithModel(voice) }));
  return { ...settings, defaultVoice: choiceOf(voice) };
}

/** The words of a sample are fixed, so that cached audio can be played again at no cost. */
function sampleRequest({ interaction }: VoiceCall, voice: Voice, sample = text('voices.sample')) {
  const locale = voice.language === 'multiple' ? interaction.locale : voice.language;
  return { input: render(sample, locale), voice: listedVoice(voice), language: languageOfTexts(locale) };
}

/** For the voice card and /setup. The button names the sample's credits, so that pressing it agrees to the cost. */
export async function previewButton(call: VoiceCall, voice: Voice) {
  return button('voice-preview', await listenLabel(call, sampleRequest(call, voice)), voice.id, 'primary');
}

async function listenLabel({ services }: VoiceCall, request: ReturnType<typeof sampleRequest>): Promise<Text> {
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

/** Several voices are heard in a row, and each says its name. */
export async function listen(call: ControlCall, voices: readonly Voice[]) {
  const { interaction, services, signal } = call;
  const samples = voices.map((voice) =>
    sampleRequest(call, voice, voices.length > 1 ? text('voices.named-sample', { name: voice.name }) : undefined),
  );
  const [first] = samples;
  if (first === undefined) throw new UserError(text('voices.gone'));
  // A forged custom id could name a voice that the server forbids.
  const { server } = await currentPreferences(call);
  const forbidden = voices.find((voice) => !isAllowed(voice, server));
  if (forbidden) throw new UserError(text('refused.voice-not-allowed', { voice: voiceWithModel(forbidden) }));
  const input = samples.map((sample) => sample.input).join('');
  const request = samples.length > 1 ? { input, voice: first.voice, passages: samples } : first;
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
