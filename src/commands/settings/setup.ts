import type { BaseInteraction } from 'discord.js';
import { MANAGE_SERVER } from '../../discord/channels/server-managers.ts';
import { type Button, button, type Row } from '../../discord/replies/layout.ts';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { explain } from '../../errors/explain.ts';
import { UserError } from '../../errors/user-errors.ts';
import { holdingValue } from '../../services/servers/server-rules.ts';
import {
  SERVER_SETTINGS,
  SETTINGS_LIMITS,
  type ServerSettings,
  type SettingName,
} from '../../services/servers/server-settings.ts';
import { isUnlimited } from '../../services/spending/spending-types.ts';
import { keptByServer } from '../../services/voices/preferences.ts';
import { chooseVoice, offerVoices } from '../../services/voices/voice-choice.ts';
import { voicesUnder } from '../../services/voices/voice-rules.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Reply, Services } from '../framework/command.ts';
import { messageControl, serverCommand, serverControl } from '../framework/server-call.ts';
import { voiceNamed } from '../voice-options/voice-option.ts';
import { ignoredDefaults, withDefaultVoice } from '../voices/default-voice.ts';
import { previewButton, voiceOf } from '../voices/voice-card.ts';
import { changeSettings, validSetting } from './change.ts';
import { type Circumstances, describeHolding, settingLabel } from './describe.ts';
import { emojiWordsIn, formOfServer } from './panel-controls.ts';
import { editOfForm, nameOfForm, settingsForm } from './panel-forms.ts';
import { languageSelect, SERVERS_OWN, TEXT_AND_VOICE_CHANNELS } from './panel-pages.ts';
import { withBefore } from './settings-file.ts';

const STEPS = ['voice', 'people', 'limits', 'summary'] as const;
type Step = (typeof STEPS)[number];

const isStep = (name: string): name is Step => (STEPS as readonly string[]).includes(name);

/** What the forms of the last step change. */
const LIMIT_FORMS = ['credits', 'texts'] as const;
const SHOWN_LIMITS = [
  'creditsPerServer',
  'creditsPerMember',
  'maxCharacters',
  'confirmAboveCharacters',
  'queueLimit',
] as const satisfies readonly SettingName[];

/** The choice of roles or channels; nothing chosen means everybody and everywhere. */
const idsControl = (name: string, setting: 'allowedRoles' | 'allowedChannels') =>
  messageControl(name, ({ interaction, services, values }) => {
    const ids = validSetting(setting, values.length > 0 ? [...values] : undefined);
    return () => change({ interaction, services }, 'people', (before) => ({ ...before, [setting]: ids }));
  });

/** Three steps through what a server needs first, each of which can be skipped; also offered where the bot is new. */
export const setup = serverCommand({
  name: 'setup',
  description: 'setup.description',
  defaultMemberPermissions: MANAGE_SERVER,
  replyTo: 'caller',
  deferred: true,

  begin({ interaction, services }) {
    return () => stepOf({ interaction, services }, 'voice');
  },

  controls: [
    serverControl({
      // On the welcome, which all members see: the steps stand in a message for the admin alone.
      name: 'setup-begin',
      replyTo: 'caller',
      deferred: true,
      begin({ interaction, services }) {
        return () => stepOf({ interaction, services }, 'voice');
      },
    }),
    messageControl('setup-step', ({ interaction, services, argument }) => {
      if (!isStep(argument)) throw new UserError(text('refused.over'));
      return () => stepOf({ interaction, services }, argument);
    }),
    messageControl('setup-voice', ({ interaction, services, values: [id = ''] }) => async () => {
      const voice = await voiceOf(services, id);
      const edit = (before: ServerSettings) => withDefaultVoice(before, voice);
      const { lines, after } = await changeSettings(services, interaction.guildId, edit);
      const { voices } = await services.voices.list();
      return stepOf({ interaction, services }, 'voice', [...lines, ...ignoredDefaults(after, voices)]);
    }),
    messageControl('setup-language', ({ interaction, services, values: [locale = ''] }) => {
      const language = validSetting('language', locale === SERVERS_OWN ? undefined : locale);
      return () => change({ interaction, services }, 'voice', (before) => ({ ...before, language }));
    }),
    idsControl('setup-roles', 'allowedRoles'),
    idsControl('setup-channels', 'allowedChannels'),
    serverControl({
      name: 'setup-form',
      replyTo: 'message',
      // Discord takes a form only as the first answer.
      deferred: false,
      async begin({ interaction, services, argument }) {
        const form = settingsForm(
          limitForm(argument),
          await services.settings.get(interaction.guildId),
          services.localVoice,
        );
        if (!form) throw new UserError(text('refused.over'));
        return { modal: { ...form, control: 'setup-fill' } };
      },
    }),
    {
      ...messageControl('setup-fill', ({ interaction, services, argument, fields }) => {
        limitForm(nameOfForm(argument));
        return async () => {
          const call = { interaction, services };
          const edit = await editOfForm(argument, fields, {
            voiceNamed: (asked) => voiceNamed(call, asked),
            emojiWords: emojiWordsIn(call),
            localVoice: services.localVoice,
          });
          return change(call, 'limits', edit);
        };
      }),
      form: formOfServer,
    },
  ],
});

function limitForm(argument: string): string {
  const form = LIMIT_FORMS.find((one) => one === argument);
  if (form === undefined) throw new UserError(text('refused.over'));
  return form;
}

interface SetupCall {
  readonly interaction: Pick<BaseInteraction<'cached'>, 'guildId' | 'locale'>;
  readonly services: Services;
}

async function change(call: SetupCall, step: Step, edit: (before: ServerSettings) => ServerSettings): Promise<Reply> {
  const change = await changeSettings(call.services, call.interaction.guildId, edit);
  return withBefore(await stepOf(call, step, change.lines), change);
}

/** A step with what was just changed on top. */
async function stepOf(call: SetupCall, step: Step, news: readonly Text[] = []): Promise<Reply> {
  const { interaction, services } = call;
  const settings = await services.settings.get(interaction.guildId);
  const { lines, rows } =
    step === 'voice'
      ? await voiceStep(call, settings)
      : STEP[step](settings, {
          limits: services.spending.ownerLimits,
          localVoice: services.localVoice,
          rules: settings,
        });
  const problem = step === 'people' ? services.autoJoinProblem(interaction.guildId, settings) : undefined;
  const goOn = step === 'summary' ? [] : [nextRow(step, news.length > 0)];
  return { lines: [...news, ...(problem ? [problem] : []), ...lines], rows: [...rows, ...goOn] };
}

interface Drawn {
  readonly lines: readonly Text[];
  readonly rows: readonly Row[];
}

async function voiceStep(call: SetupCall, settings: ServerSettings): Promise<Drawn> {
  const { services } = call;
  const list = await services.voices.list().catch((error: unknown) => {
    if (error instanceof SpeechError) return error;
    throw error;
  });
  // The other steps do without it.
  if (list instanceof SpeechError) {
    services.log.warn({ err: list }, 'The set-up is shown without the voices: the speech service does not answer');
    const lines = [text('setup.voice'), ...explain(list, services).lines, text('setup.language')];
    return { lines, rows: [languageRow(settings)] };
  }
  const { voices } = list;
  const kept = keptByServer(settings);
  const chosen = chooseVoice(voices, { kept, rules: settings });
  const voice = chosen.kind === 'chosen' ? chosen.voice : undefined;
  const options = offerVoices(voicesUnder(settings, list), '', kept)
    .filter(({ id }) => id.length <= DISCORD_LIMITS.menuOptionCharacters)
    .slice(0, DISCORD_LIMITS.menuOptions)
    .map(({ id, name, model, language }) => ({
      value: id,
      label: name,
      description: language === 'multiple' ? model : `${model} · ${language}`,
      chosen: id === voice?.id,
    }));
  return {
    lines: [
      text('setup.voice'),
      ...(voice
        ? [text('setup.voice.now', { voice: voiceLabel(voice) })]
        : [text(voices.length === 0 ? 'refused.no-voices' : 'refused.none-allowed')]),
      ...(voices.length > options.length ? [text('setup.voice.more', { count: voices.length })] : []),
      text('setup.language'),
    ],
    rows: [
      ...(options.length > 0
        ? [{ kind: 'select', control: 'setup-voice', placeholder: text('voices.choose'), options } as const]
        : []),
      ...(voice ? [[await previewButton(call, voice)]] : []),
      languageRow(settings),
    ],
  };
}

function languageRow(settings: ServerSettings): Row {
  const { argument: _, ...select } = languageSelect('language', { settings });
  return { ...select, control: 'setup-language' };
}

const STEP: Readonly<
  Record<Exclude<Step, 'voice'>, (settings: ServerSettings, circumstances: Circumstances) => Drawn>
> = {
  people: (settings, circumstances) => ({
    lines: [
      text('setup.people'),
      ...(['allowedRoles', 'allowedChannels'] as const).map((name) => shown(name, settings, circumstances)),
    ],
    rows: [
      {
        kind: 'role-select',
        control: 'setup-roles',
        placeholder: text('setup.people.roles'),
        atLeast: 0,
        atMost: SETTINGS_LIMITS.roles,
        chosen: settings.allowedRoles ?? [],
      },
      {
        kind: 'channel-select',
        control: 'setup-channels',
        placeholder: text('setup.people.channels'),
        atLeast: 0,
        atMost: SETTINGS_LIMITS.channels,
        chosen: settings.allowedChannels ?? [],
        channelTypes: TEXT_AND_VOICE_CHANNELS.speaking,
      },
    ],
  }),
  limits(settings, circumstances) {
    const isFree = isUnlimited(circumstances.limits);
    const names = SHOWN_LIMITS.filter((name) => !(isFree && SERVER_SETTINGS[name].ownerLimit));
    return {
      lines: [
        text(isFree ? 'setup.limits-free' : 'setup.limits'),
        ...names.map((name) => shown(name, settings, circumstances)),
      ],
      rows: [
        [
          ...(isFree ? [] : [button('setup-form', text('setup.limits.credits'), 'credits')]),
          button('setup-form', text('setup.limits.texts'), 'texts'),
        ],
      ],
    };
  },
  summary(settings, circumstances) {
    const chosen = Object.keys(settings) as SettingName[];
    return {
      lines: [
        text('setup.summary'),
        ...(chosen.length > 0
          ? chosen.map((name) => shown(name, settings, circumstances))
          : [text('setup.summary.nothing')]),
        text('setup.summary.more'),
      ],
      rows: [],
    };
  },
};

function shown(name: SettingName, settings: ServerSettings, circumstances: Circumstances): Text {
  const value = holdingValue(name, settings, circumstances.localVoice);
  return text('setup.value', { setting: settingLabel(name), value: describeHolding(name, value, circumstances) });
}

function nextRow(step: Exclude<Step, 'summary'>, isChanged: boolean): readonly Button[] {
  const index = STEPS.indexOf(step);
  const [previous, next] = [STEPS[index - 1], STEPS[index + 1] ?? 'summary'];
  const label = next === 'summary' ? 'setup.finish' : isChanged ? 'setup.next' : 'setup.skip';
  return [
    ...(previous ? [button('setup-step', text('setup.back'), previous)] : []),
    button('setup-step', text(label), next, isChanged ? 'primary' : 'secondary'),
  ];
}
