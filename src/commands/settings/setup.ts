import type { BaseInteraction } from 'discord.js';
import { MANAGE_SERVER } from '../../discord/channels/permissions.ts';
import { type Button, button, DISCORD_LIMITS, type Row } from '../../discord/replies/layout.ts';
import { voiceLabel } from '../../discord/replies/quote.ts';
import { explain } from '../../errors/explain.ts';
import { UserError } from '../../errors/user-errors.ts';
import { SERVER_SETTINGS, type ServerSettings, type SettingName } from '../../services/servers/server-settings.ts';
import { isUnlimited, type OwnerLimits } from '../../services/spending/limits.ts';
import { keptVoices, NO_PREFERENCES, voicesUnder } from '../../services/voices/preferences.ts';
import { chooseVoice, offerVoices } from '../../services/voices/voice-choice.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { messageControl, type Reply, type Services, serverCommand, serverControl } from '../framework/command.ts';
import { previewButton, voiceOf, withDefaultVoice } from '../voices/voice-card.ts';
import { changeSettings, describeHolding, mustBeReadable, settingLabel } from './change.ts';
import { FORMS } from './panel-forms.ts';
import { type PageName, selectOf } from './panel-pages.ts';

const STEPS = ['voice', 'people', 'limits', 'summary'] as const;
type Step = (typeof STEPS)[number];

const isStep = (name: string): name is Step => (STEPS as readonly string[]).includes(name);

/**
 * Marks the argument of a panel's control that stands in a step of /setup. The reply is then the step, not the panel.
 */
const IN_SETUP = ' setup';
export const inSetup = (argument: string): boolean => argument.endsWith(IN_SETUP);

export const stepOfPage = (page: PageName): Step => (page === 'people' || page === 'limits' ? page : 'voice');

const SHOWN_LIMITS = [
  'creditsPerServer',
  'creditsPerMember',
  'maxCharacters',
  'queueLimit',
  'cooldownSeconds',
] as const;

interface SetupCall {
  readonly interaction: BaseInteraction<'cached'>;
  readonly services: Services;
}

export async function stepOf(call: SetupCall, step: Step, news: readonly Text[] = []): Promise<Reply> {
  const { interaction, services } = call;
  const settings = mustBeReadable(await services.settings.get(interaction.guildId));
  const limits = services.spending.ownerLimits;
  const { lines, rows } = step === 'voice' ? await voiceStep(call, settings) : STEP[step](settings, limits);
  const problem = step === 'people' ? services.reading.autoJoinProblem(interaction.guildId, settings) : undefined;
  const above = problem ? [...news, problem] : news;
  const goOn = step === 'summary' ? [] : [nextRow(step)];
  return { lines: [...above, ...lines], rows: [...rows, ...goOn] };
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
  // Without the voice list, this step of /setup offers only the language. The other steps need no voice list.
  if (list instanceof SpeechError) {
    services.log.warn({ err: list }, 'Could not list the voices: showing the setup without them');
    const lines = [text('setup.voice'), ...explain(list, services.bot).lines, text('setup.language')];
    return { lines, rows: selectRows(settings, 'language') };
  }
  const { voices } = list;
  const kept = keptVoices({ ...NO_PREFERENCES, server: settings });
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
  const lines = [text('setup.voice')];
  if (voice) lines.push(text('setup.voice.now', { voice: voiceLabel(voice) }));
  else lines.push(text(voices.length === 0 ? 'refused.no-voices' : 'refused.none-allowed'));
  if (voices.length > options.length) lines.push(text('setup.voice.more', { count: voices.length }));
  lines.push(text('setup.language'));
  const rows: Row[] = [];
  if (options.length > 0) {
    rows.push({ kind: 'select', control: 'setup-voice', placeholder: text('voices.choose'), options });
  }
  if (voice) rows.push([await previewButton(call, voice)]);
  return { lines, rows: [...rows, ...selectRows(settings, 'language')] };
}

const STEP: Readonly<Record<Exclude<Step, 'voice'>, (settings: ServerSettings, limits: OwnerLimits) => Drawn>> = {
  people: (settings, limits) => ({
    lines: [text('setup.people'), ...shown(['allowedRoles', 'allowedChannels'], settings, limits)],
    rows: selectRows(settings, 'allowedRoles', 'allowedChannels'),
  }),
  limits(settings, limits) {
    const isFree = isUnlimited(limits);
    const names = SHOWN_LIMITS.filter((name) => !(isFree && SERVER_SETTINGS[name].ownerLimit));
    const forms = isFree ? (['texts'] as const) : (['credits', 'texts'] as const);
    return {
      lines: [text(isFree ? 'setup.limits-free' : 'setup.limits'), ...shown(names, settings, limits)],
      rows: [forms.map((form) => button('settings-form', FORMS[form], `${form}${IN_SETUP}`))],
    };
  },
  summary(settings, limits) {
    const chosen = Object.keys(settings) as SettingName[];
    const values = chosen.length > 0 ? shown(chosen, settings, limits) : [text('setup.summary.nothing')];
    return { lines: [text('setup.summary'), ...values, text('setup.summary.more')], rows: [] };
  },
};

const selectRows = (settings: ServerSettings, ...names: readonly SettingName[]): readonly Row[] =>
  names.flatMap((name) => {
    const select = selectOf(name, { settings, voices: [] });
    return select ? [{ ...select, argument: `${name}${IN_SETUP}` }] : [];
  });

const shown = (names: readonly SettingName[], settings: ServerSettings, limits: OwnerLimits): readonly Text[] =>
  names.map((name) =>
    text('lines.value', {
      name: settingLabel(name),
      value: describeHolding(name, settings[name], limits, settings),
    }),
  );

function nextRow(step: Exclude<Step, 'summary'>): readonly Button[] {
  const index = STEPS.indexOf(step);
  const [previous, next] = [STEPS[index - 1], STEPS[index + 1] ?? 'summary'];
  const goOn = button('setup-step', text(next === 'summary' ? 'setup.finish' : 'setup.next'), next, 'primary');
  return previous ? [button('setup-step', text('setup.back'), previous), goOn] : [goOn];
}

/**
 * Three optional steps through the first settings of a server. The welcome message in a new server offers them, too.
 */
export const setup = serverCommand({
  name: 'setup',
  description: 'setup.description',
  defaultMemberPermissions: MANAGE_SERVER,
  replyTo: 'caller',
  deferred: true,

  begin: (call) => () => stepOf(call, 'voice'),

  controls: [
    serverControl({
      // The button on the welcome message, which all members see. The steps of /setup follow in a message for the admin
      // alone.
      name: 'setup-begin',
      replyTo: 'caller',
      deferred: true,
      begin: (call) => () => stepOf(call, 'voice'),
    }),
    messageControl('setup-step', (call) => {
      const { argument } = call;
      if (!isStep(argument)) throw new UserError(text('refused.over'));
      return () => stepOf(call, argument);
    }),
    messageControl('setup-voice', (call) => async () => {
      const { interaction, services, values } = call;
      const [id = ''] = values;
      const voice = await voiceOf(services, id);
      const { lines } = await changeSettings(services, interaction.guildId, (before) =>
        withDefaultVoice(before, voice),
      );
      return stepOf(call, 'voice', lines);
    }),
  ],
});
