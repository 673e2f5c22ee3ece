import { MANAGE_SERVER } from '../../discord/channels/permissions.ts';
import { type Button, button, DISCORD_LIMITS, type PanelPart, voiceLabel } from '../../discord/replies/layout.ts';
import { explain } from '../../errors/explain.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SettingName } from '../../services/servers/server-settings.ts';
import { isUnlimited } from '../../services/spending/limits.ts';
import { keptVoices, NO_PREFERENCES, voicesUnder } from '../../services/voices/preferences.ts';
import { chooseVoice, offerVoices } from '../../services/voices/voice-choice.ts';
import { SpeechError } from '../../speech/errors.ts';
import { oneOfEachName } from '../../speech/interface/schemas.ts';
import { text } from '../../texts/catalog.ts';
import { messageControl, type SpeakCall, serverCommand, serverControl } from '../framework/command.ts';
import { voiceItem } from '../voice-options/voice-option.ts';
import { previewButton, setDefaultVoice } from '../voices/voices.ts';
import { describeHolding, mustBeReadable, settingLabel } from './change.ts';
import { drawSetting, note, type PageName, type PanelContext, row } from './panel-pages.ts';

const STEPS = ['voice', 'reading', 'people', 'limits', 'summary'] as const;
type Step = (typeof STEPS)[number];

const isStep = (name: string): name is Step => (STEPS as readonly string[]).includes(name);

/** Marks custom ids whose press shows the step of /setup again, not the settings panel. */
const IN_SETUP = ' setup';
export const inSetup = (argument: string): boolean => argument.endsWith(IN_SETUP);

export const stepOfPage = (page: PageName): Step => (isStep(page) ? page : 'voice');

const SHOWN_LIMITS = [
  'creditsPerServer',
  'creditsPerMember',
  'maxCharacters',
  'queueLimit',
  'cooldownSeconds',
] as const;

type SetupCall = SpeakCall<'cached'>;

export async function stepOf(call: SetupCall, step: Step) {
  const { interaction, services } = call;
  const { guildId } = interaction;
  const settings = mustBeReadable(await services.settings.get(guildId));
  const parts = await STEP[step]({ guildId, services, settings, voices: [] }, call);
  return { lines: [], panel: step === 'summary' ? parts : [...parts, row(nextRow(step))] };
}

async function voiceParts({ services, settings }: PanelContext, call: SetupCall): Promise<PanelPart[]> {
  const list = await services.voices.list().catch((error: unknown) => {
    if (error instanceof SpeechError) return error;
    throw error;
  });
  if (list instanceof SpeechError) {
    services.log.warn({ err: list }, 'Could not list the voices: showing the setup without them');
    const lines = [text('setup.voice'), ...explain(list, services.bot).lines];
    return [{ kind: 'text', lines }];
  }
  const { voices } = list;
  const kept = keptVoices({ ...NO_PREFERENCES, server: settings });
  const chosen = chooseVoice(voices, { kept, rules: settings });
  const voice = chosen.kind === 'chosen' ? chosen.voice : undefined;
  const options = offerVoices(voicesUnder(settings, list), '', kept)
    .filter(({ id }) => id.length <= DISCORD_LIMITS.menuOptionCharacters)
    .slice(0, DISCORD_LIMITS.menuOptions)
    .map((each) => ({ ...voiceItem(each), chosen: each.id === voice?.id }));
  const parts = [note(text('setup.voice'))];
  if (voice) {
    const line = text('settings.value', { setting: settingLabel('defaultVoice'), value: voiceLabel(voice) });
    parts.push({ kind: 'section', line, button: await previewButton(call, voice) });
  } else parts.push(note(text(voices.length === 0 ? 'refused.no-voices' : 'refused.none-allowed')));
  if (options.length > 0) {
    parts.push(
      row({ kind: 'select', control: 'setup-voice', argument: '', placeholder: text('voices.choose'), options }),
    );
  }
  const { length: count } = oneOfEachName(voices);
  if (count > options.length) parts.push(note(text('setup.voice.more', { count })));
  return parts;
}

type DrawStep = (context: PanelContext, call: SetupCall) => PanelPart[] | Promise<PanelPart[]>;

const STEP: Readonly<Record<Step, DrawStep>> = {
  voice: async (context, call) => [
    ...(await voiceParts(context, call)),
    ...drawn(['language'], context),
    note(text('setup.language')),
  ],
  reading(context) {
    const { reading } = context.services;
    if (!reading.isOn) return [note(text('setup.reading')), note(text('settings.reading-off'))];
    const problem = reading.problem(context.guildId, context.settings.autoReadChannels ?? []);
    const settings = drawn(['autoReadChannels', 'autoReadOnlyInVoice'], context);
    return [note(text('setup.reading')), ...settings, ...(problem ? [note(problem)] : [])];
  },
  people(context) {
    const problem = context.services.reading.autoJoinProblem(context.guildId, context.settings);
    const settings = drawn(['allowedRoles', 'allowedChannels'], context);
    return [note(text('setup.people')), ...settings, ...(problem ? [note(problem)] : [])];
  },
  limits(context) {
    const { bot, spending } = context.services;
    const counted = isUnlimited(spending.ownerLimits) ? 'nothing' : bot.localVoice ? 'characters' : 'credits';
    return [note(text('setup.limits', { counted })), ...drawn(SHOWN_LIMITS, context)];
  },
  summary({ services, settings }) {
    const values = (Object.keys(settings) as SettingName[]).map((name) =>
      text('lines.value', {
        name: settingLabel(name, services.bot.localVoice),
        value: describeHolding(name, settings[name], services.spending.ownerLimits, settings),
      }),
    );
    const shown = values.length > 0 ? values : [text('setup.summary.nothing')];
    return [{ kind: 'text', lines: [text('setup.summary'), ...shown, text('setup.summary.more')] }];
  },
};

const drawn = (names: readonly SettingName[], context: PanelContext): PanelPart[] =>
  names.flatMap((name) => drawSetting(name, context, IN_SETUP));

function nextRow(step: Exclude<Step, 'summary'>): readonly Button[] {
  const index = STEPS.indexOf(step);
  const [previous, next] = [STEPS[index - 1], STEPS[index + 1] ?? 'summary'];
  const goOn = button('setup-step', text(next === 'summary' ? 'setup.finish' : 'setup.next'), next, 'primary');
  return previous ? [button('setup-step', text('setup.back'), previous), goOn] : [goOn];
}

/** The bot's welcome message in a new server has a button that begins this setup, too. */
export const setup = serverCommand({
  name: 'setup',
  defaultMemberPermissions: MANAGE_SERVER,
  deferred: true,

  begin: (call) => () => stepOf(call, 'voice'),

  controls: [
    serverControl({
      // All members see the welcome message with this button, so the steps of the setup appear in a private reply.
      name: 'setup-begin',
      deferred: true,
      begin: (call) => () => stepOf(call, 'voice'),
    }),
    messageControl('setup-step', (call) => {
      const { argument } = call;
      if (!isStep(argument)) throw new UserError(text('refused.over'));
      return () => stepOf(call, argument);
    }),
    messageControl('setup-voice', (call) => async () => {
      mustBeReadable(await call.services.settings.get(call.interaction.guildId));
      await setDefaultVoice(call, call.values[0] ?? '');
      return stepOf(call, 'voice');
    }),
  ],
});
