import { managesServer } from '../../discord/channels/permissions.ts';
import { type Button, button, quote, voiceLabel, voiceName, voiceWithModel } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { choiceOf, type ServerSettings } from '../../services/servers/server-settings.ts';
import { isAllowed } from '../../services/voices/preferences.ts';
import { soundLabel } from '../../services/voices/voice-catalog.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, type TextList, text } from '../../texts/catalog.ts';
import {
  type Control,
  type ControlCall,
  EVERYWHERE,
  type Needs,
  type Reply,
  type Services,
  serverCall,
} from '../framework/command.ts';
import {
  formatList,
  languagesLabel,
  optionList,
  preferencesOf,
  type VoiceCall,
} from '../voice-options/voice-option.ts';
import { listen, previewButton } from './spoken-name.ts';
import { inEffect, overruledLines } from './voice.ts';

/** Discord could take characters in a voice's label for markup. */
const QUOTED = (label: string) => quote(label, 40);

const onVoice = (name: string, begin: Control['begin'], needs?: Omit<Needs, 'contexts'>): Control => ({
  name,
  needs: { contexts: EVERYWHERE, ...needs },
  deferred: true,
  begin,
});

export const SAMPLE_NEEDS = { speaks: true, cooldown: { uses: 5, perMs: 30_000 } } as const;

export const voiceCardControls: readonly Control[] = [
  onVoice('voice-card', (call) => async () => card(call, await voiceOf(call.services, call.values[0] ?? ''))),
  onVoice('voice-preview', (call) => () => preview(call), SAMPLE_NEEDS),
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

async function card(call: VoiceCall, voice: Voice): Promise<Reply> {
  return { lines: [about(voice)], rows: [await cardButtons(call, voice)] };
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

async function cardButtons(call: VoiceCall, voice: Voice): Promise<readonly Button[]> {
  const { id } = voice;
  const buttons = [await previewButton(call, voice), button('voice-mine', text('voices.use-mine'), id)];
  if (managesServer(call.interaction)) buttons.push(button('voice-default', text('voices.use-default'), id));
  return buttons;
}

/** A voice of an unknown model may support more options, and the list says so. */
function optionsOf(voice: Voice): TextList | string {
  const options = optionList(voice);
  const all = modelRules(voice.model).known
    ? options
    : [...options, text(options.length > 0 ? 'voices.card.more-options' : 'voices.card.options-unknown')];
  return all.length === 0 ? '–' : { list: all };
}

async function preview(call: ControlCall): Promise<Reply> {
  const voice = await voiceOf(call.services, call.argument);
  const heard = await listen(call, voice);
  return { ...heard, rows: [await cardButtons(call, voice)] };
}

async function useAsMine(call: ControlCall): Promise<Reply> {
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

async function setDefaultVoice({ settings }: Services, guildId: string, voice: Voice): Promise<Reply> {
  const { before } = await settings.change(guildId, (present) => withDefaultVoice(present, voice));
  if (before.defaultVoice?.voiceId === voice.id) return { lines: [text('settings.unchanged')] };
  const former = before.defaultVoice ? voiceLabel(before.defaultVoice) : text('setting.unset.default');
  const setting = text('setting.defaultVoice');
  return { lines: [text('settings.changed', { setting, after: voiceLabel(voice), before: former })] };
}

/** For the voice card and /setup; /settings uses voiceNamed(). Throws a UserError for a voice that the server forbids. */
export function withDefaultVoice(settings: ServerSettings, voice: Voice): ServerSettings {
  if (!isAllowed(voice, settings))
    throw new UserError(text('refused.voice-not-allowed', { voice: voiceWithModel(voice) }));
  return { ...settings, defaultVoice: choiceOf(voice) };
}
