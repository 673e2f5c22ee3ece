import { type Button, button, quote, voiceWithModel } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { charactersOf } from '../../services/synthesis/parts.ts';
import { LEFT_OVER_TOKEN, spokenName } from '../../services/text/readable/names.ts';
import { MAX_SPOKEN_NAME } from '../../services/voices/member-settings.ts';
import { isAllowed, languageOfTexts } from '../../services/voices/preferences.ts';
import { isSpeakable } from '../../speech/interface/models.ts';
import { listedVoice, type SpeechRequest, type Voice } from '../../speech/interface/schemas.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import type { CommandCall, ControlCall, Reply, Work } from '../framework/command.ts';
import { type OptionDefinition, required, stringOption, subcommand } from '../framework/options.ts';
import { speechFacts, speechLines, spokenBy, stoodInLines } from '../say/replies.ts';
import { namesFor } from '../say/wording.ts';
import { currentPreferences, type VoiceCall } from '../voice-options/voice-option.ts';

export const nameSubcommand = (where: OptionDefinition) =>
  subcommand('name', 'voice.name.description', [
    required(stringOption('name', 'voice.name.name', { maxLength: MAX_SPOKEN_NAME })),
    where,
  ]);

export function setName(call: CommandCall): Work {
  const { interaction, services } = call;
  const guildId =
    interaction.inCachedGuild() && interaction.options.getString('where') !== 'everywhere'
      ? interaction.guildId
      : undefined;
  return async () => {
    const typed = interaction.options.getString('name', true);
    const name = nameToSay(await namingMembers(call, typed), interaction.locale, typed);
    await mustBeAllowed(call, name);
    await services.voices.members.change({ userId: interaction.user.id, guildId }, (own) => ({
      ...own,
      spokenName: name,
    }));
    const lines = [
      text('voice.name.kept', { where: guildId === undefined ? 'everywhere' : 'here', name: quote(name) }),
    ];
    if (guildId === undefined) lines.push(...(await shadowingLines(call)));
    return { lines };
  };
}

/** Mentions of anything but members are removed, because they would be spoken as digits. */
async function namingMembers(call: CommandCall, written: string): Promise<string> {
  const { users } = await namesFor(call, written);
  return written
    .replaceAll(/<@!?(\d{1,20})>/g, (_mention, id: string) => users(id) ?? '')
    .replaceAll(LEFT_OVER_TOKEN, ' ');
}

/** Ends a name at a word. The name of a single emoji may exceed the limit, because it is spoken in words. */
const KEPT = new RegExp(`^.{0,${MAX_SPOKEN_NAME}}(?!\\S)`);

/** The name has emoji only if it has nothing else. Throws a UserError if nothing is left to speak. */
function nameToSay(written: string, locale: string, typed: string): string {
  const said = spokenName(written, locale, MAX_SPOKEN_NAME);
  const name = KEPT.exec(said)?.[0] ?? said.slice(0, MAX_SPOKEN_NAME).toWellFormed();
  if (!isSpeakable(name)) throw new UserError(text('voice.name.unspeakable', { name: quote(typed) }));
  return name;
}

async function shadowingLines({ interaction, services }: VoiceCall): Promise<readonly Text[]> {
  if (!interaction.inCachedGuild()) return [];
  const { guildId, user } = interaction;
  const { spokenName } = await services.voices.members.get({ userId: user.id, guildId });
  return spokenName === undefined
    ? []
    : [text('voice.set.shadowed', { parameters: { list: [text('parameter.spokenName')] } })];
}

async function mustBeAllowed({ interaction, services }: VoiceCall, name: string): Promise<void> {
  const refusal = await services.texts.blockedIn(name, interaction.inCachedGuild() ? interaction.guildId : undefined);
  if (refusal) throw new UserError(text('voice.name.blocked', { name: quote(name) }));
}

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
