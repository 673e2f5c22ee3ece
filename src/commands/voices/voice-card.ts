import { managesServer } from '../../discord/channels/server-managers.ts';
import { button } from '../../discord/replies/layout.ts';
import { quote } from '../../discord/replies/quote.ts';
import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { UserError } from '../../errors/user-errors.ts';
import { choiceOf } from '../../services/servers/server-settings.ts';
import { keptVoices } from '../../services/voices/preferences.ts';
import { languageOfTexts } from '../../services/voices/spoken-languages.ts';
import { isAllowed } from '../../services/voices/voice-choice.ts';
import { modelRules } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { listedVoice } from '../../speech/request.ts';
import { languageLabel } from '../../speech/voice-languages.ts';
import { render, type Text, type TextList, text } from '../../texts/catalogue.ts';
import { type Control, type ControlCall, EVERYWHERE, type Reply, type Services } from '../framework/command.ts';
import { serverCall } from '../framework/server-call.ts';
import { speechLines } from '../voice-options/cost-lines.ts';
import { type PreferenceServices, preferencesOf } from '../voice-options/member-preferences.ts';
import { optionList } from '../voice-options/speech-options.ts';
import { chooseFreshly, formatList, languagesLabel, voiceRulesOf } from '../voice-options/voice-option.ts';
import { setDefaultVoice } from './default-voice.ts';
import { keepName, mustBeAllowed, readName } from './spoken-name.ts';
import { overruledLines, settingLine } from './voice.ts';

/** What making a sample takes. */
export type SampleServices =
  | PreferenceServices
  | 'localVoice'
  | 'moderation'
  | 'rules'
  | 'spending'
  | 'spokenTexts'
  | 'synthesiser'
  | 'voices';

/** In a message, where a label could be read as markup. */
const QUOTED = (label: string) => quote(label, 40);

const needs = {
  contexts: EVERYWHERE,
};

/** What can be done with one voice; their argument is its id, the first one's is chosen in a select. */
export const voiceCardControls: readonly Control<SampleServices>[] = [
  {
    name: 'voice-card',
    needs,
    replyTo: 'caller',
    deferred: true,
    begin:
      ({ interaction, services, values: [id = ''] }) =>
      async () =>
        card(await voiceOf(services, id), managesServer(interaction), interaction.locale),
  },
  {
    name: 'voice-preview',
    needs: { ...needs, speaks: true, cooldown: { uses: 5, perMs: 30_000 } },
    replyTo: 'caller',
    deferred: true,
    begin: (call) => () => preview(call),
  },
  {
    name: 'voice-mine',
    needs,
    replyTo: 'caller',
    deferred: true,
    begin: (call) => () => useAsMine(call),
  },
  {
    name: 'voice-name-listen',
    needs: { ...needs, speaks: true, cooldown: { uses: 5, perMs: 30_000 } },
    replyTo: 'caller',
    deferred: true,
    begin: (call) => () => listenToName(call),
  },
  {
    name: 'voice-name',
    needs,
    replyTo: 'caller',
    deferred: true,
    begin: (call) => () => keepName(call),
  },
  {
    name: 'voice-default',
    needs,
    replyTo: 'caller',
    deferred: true,
    begin(anywhere) {
      const { interaction, services, argument } = serverCall(anywhere);
      if (!managesServer(interaction)) throw new UserError(text('refused.not-permitted'));
      return async () => setDefaultVoice(services, interaction.guildId, await voiceOf(services, argument));
    },
  },
];

export async function voiceOf({ voices }: Pick<Services, 'voices'>, id: string): Promise<Voice> {
  const { voices: all } = await voices.list();
  const voice = all.find((one) => one.id === id);
  if (!voice) throw new UserError(text('voices.gone'));
  return voice;
}

function card(voice: Voice, forAdmin: boolean, locale: string): Reply {
  const { id, name, model, languages = [], formats } = voice;
  return {
    lines: [
      text('voices.card', {
        name: quote(name, 80),
        model: quote(model, 40),
        languages:
          languages.length > 1
            ? text('voices.card.languages', {
                languages: { list: languages.map((code) => QUOTED(languageLabel(code, locale))) },
              })
            : text('voices.card.language', { language: languagesLabel(voice, QUOTED) }),
        formats: formats.length === 0 ? '–' : formatList(formats),
        options: optionsOf(voice),
      }),
    ],
    rows: [
      [
        button('voice-preview', text('voices.preview'), id, 'primary'),
        button('voice-mine', text('voices.use-mine'), id),
        ...(forAdmin ? [button('voice-default', text('voices.use-default'), id)] : []),
      ],
    ],
  };
}

/** Of a model that is not in the table, more may work than is known. */
function optionsOf(voice: Voice): TextList | string {
  const options = optionList(voice);
  const all = modelRules(voice.model).known
    ? options
    : [...options, text(options.length > 0 ? 'voices.card.more-options' : 'voices.card.options-unknown')];
  return all.length === 0 ? '–' : { list: all };
}

async function preview(call: ControlCall<SampleServices>): Promise<Reply> {
  const voice = await voiceOf(call.services, call.argument);
  const heard = await listen(call, voice, text('voices.sample'));
  return { ...heard, rows: card(voice, managesServer(call.interaction), call.interaction.locale).rows ?? [] };
}

/**
 * A sample in that voice, in its language where there is a translation. It is the same for everybody, so that it is paid
 * for once.
 */
export async function listen(call: ControlCall<SampleServices>, voice: Voice, sample: Text): Promise<Reply> {
  const { interaction, services, signal } = call;
  // Whichever voice a made-up id names.
  if (!isAllowed(voice, await voiceRulesOf(call))) {
    throw new UserError(text('refused.voice-not-allowed', { voice: voiceLabel(voice) }));
  }
  const locale = voice.language === 'multiple' ? interaction.locale : voice.language;
  const { facts, ...voiceMessage } = await services.synthesiser.voiceMessage(
    { input: render(sample, locale), voice: listedVoice(voice), language: languageOfTexts(locale) },
    { guildId: interaction.guildId ?? undefined, userId: interaction.user.id, spentBy: 'sample', signal },
  );
  const { requestId, creditsUsed, creditsRemaining } = facts;
  return {
    voiceMessage,
    lines: [text('voices.previewed', { voice: voiceLabel(voice) }), ...speechLines(facts, services)],
    facts: { requestId, creditsUsed, creditsRemaining },
  };
}

/** One's name as the bot would say it, in one's own voice. */
async function listenToName(call: ControlCall<SampleServices>): Promise<Reply> {
  const { name, where } = readName(call.argument);
  await mustBeAllowed(call, name, where);
  const [preferences, rules] = await Promise.all([preferencesOf(call), voiceRulesOf(call)]);
  const { voice } = await chooseFreshly(call.services, { kept: keptVoices(preferences), rules, words: name });
  const heard = await listen(call, voice, text('voice.name.sample', { name }));
  return { ...heard, rows: [[button('voice-name', text('voice.name.keep'), call.argument)]] };
}

async function useAsMine(call: ControlCall<SampleServices>): Promise<Reply> {
  const { interaction, services, argument } = call;
  const voice = await voiceOf(services, argument);
  const [preferences, rules, list] = await Promise.all([
    preferencesOf(call),
    voiceRulesOf(call),
    services.voices.list(),
  ]);
  const guildId = interaction.inCachedGuild() ? interaction.guildId : undefined;
  const place = { userId: interaction.user.id, guildId };
  const { before, after } = await services.members.change(place, (own) => ({ ...own, voice: choiceOf(voice) }));
  const where = guildId === undefined ? 'everywhere' : 'here';
  return {
    lines: [
      text('voice.set.kept', { where }),
      settingLine('voice', before, after),
      ...overruledLines(voice, list, { ...preferences, [where]: after }, rules),
    ],
  };
}
