import { quote } from '../../discord/replies/quote.ts';
import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { UserError } from '../../errors/user-errors.ts';
import { choiceOf } from '../../services/servers/server-settings.ts';
import type { OwnSettings } from '../../services/voices/member-settings.ts';
import {
  keptVoices,
  MANNERS,
  type Preferences,
  plainOptions,
  preferredOptions,
  type Sourced,
  type SpeechOptionName,
} from '../../services/voices/preferences.ts';
import type { VoiceList } from '../../services/voices/voice-catalogue.ts';
import { chooseVoice, isAllowed, type VoiceRules } from '../../services/voices/voice-choice.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { listedVoice, requestWarnings } from '../../speech/request.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { type ChatCommand, type CommandCall, EVERYWHERE, type Reply, type Work } from '../framework/command.ts';
import { stringOption, subcommand } from '../framework/options.ts';
import { bySubcommand } from '../framework/subcommand.ts';
import { type PreferenceServices, preferencesOf } from '../voice-options/member-preferences.ts';
import { givenOptions, ignoredLines, MANNER_OPTIONS, mustBeInRange } from '../voice-options/speech-options.ts';
import {
  type ChosenVoice,
  chooseFreshly,
  completeVoice,
  mustBeChosen,
  voiceRulesOf,
} from '../voice-options/voice-option.ts';

const FIELDS = ['voice', ...MANNERS] as const;
type Field = (typeof FIELDS)[number];

type Where = 'here' | 'everywhere';

const WHERE = stringOption('where', 'voice.where', {
  choices: [
    { name: 'voice.where.here', value: 'here' },
    { name: 'voice.where.everywhere', value: 'everywhere' },
  ],
});

type VoiceServices = PreferenceServices | 'rules' | 'voices' | 'localVoice';

export const voice: ChatCommand<VoiceServices> = {
  name: 'voice',
  description: 'voice.description',
  options: [
    subcommand('set', 'voice.set.description', [
      stringOption('voice', 'voice.set.voice', { autocomplete: true }),
      ...MANNER_OPTIONS,
      WHERE,
    ]),
    subcommand('show', 'voice.show.description'),
    subcommand('reset', 'voice.reset.description', [
      stringOption('what', 'voice.reset.what', {
        choices: FIELDS.map((field) => ({ name: `parameter.${field}` as const, value: field })),
      }),
      WHERE,
    ]),
  ],
  needs: { contexts: EVERYWHERE },
  replyTo: 'caller',
  deferred: true,
  complete: completeVoice,

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
};

const SUBCOMMANDS: Readonly<Record<'set' | 'show' | 'reset', (call: CommandCall<VoiceServices>) => Work>> = {
  set,
  show: (call) => () => show(call),
  reset: (call) => () => reset(call),
};

function set(call: CommandCall<VoiceServices>): Work {
  const { options } = call.interaction;
  const asked = options.getString('voice')?.trim() || undefined;
  const speechOptions = givenOptions(options);
  if (asked === undefined && Object.keys(speechOptions).length === 0) throw new UserError(text('voice.set.nothing'));
  mustBeInRange(speechOptions);
  return async () => {
    const preferences = await preferencesOf(call);
    const { voice, list } = await chooseFreshly(call.services, { asked, kept: keptVoices(preferences) });
    const wanted: OwnSettings = { ...(asked !== undefined && { voice: choiceOf(voice) }), ...speechOptions };
    const { before, after, where, now } = await change(call, preferences, (own) => ({ ...own, ...wanted }));
    const changed = FIELDS.filter((field) => wanted[field] !== undefined);
    const rules = await voiceRulesOf(call);
    const { gone, ignored } = inEffect(list, now, rules);
    const shadowed = where === 'everywhere' ? changed.filter((field) => now.here[field] !== undefined) : [];
    return {
      lines: [
        text('voice.set.kept', { where }),
        ...changed.map((field) => settingLine(field, before, after)),
        ...(shadowed.length > 0 ? [text('voice.set.shadowed', { parameters: names(shadowed) })] : []),
        ...(asked === undefined ? [] : overruledLines(voice, list, now, rules)),
        ...gone,
        ...ignored,
      ],
    };
  };
}

async function reset(call: CommandCall<VoiceServices>): Promise<Reply> {
  const what = call.interaction.options.getString('what');
  const fields = FIELDS.filter((field) => what === null || field === what);
  const preferences = await preferencesOf(call);
  // Before anything is changed: what speaks from now on has to be told.
  const { list } = await chooseFreshly(call.services, { kept: keptVoices(preferences) });
  const { before, where, now } = await change(call, preferences, (own) => without(own, fields));
  const taken = fields.filter((field) => before[field] !== undefined);
  if (taken.length === 0) return { lines: [text('voice.reset.nothing', { where })] };
  const effect = inEffect(list, now, await voiceRulesOf(call));
  return {
    lines: [
      text('voice.reset.done', { where }),
      ...taken.map((field) => {
        const present = effect.values[field];
        const common = { parameter: text(`parameter.${field}`), before: keptValue(field, before) };
        if (!present) return text('voice.reset.unset', common);
        return text('voice.reset.value', { ...common, value: present.value, source: text(`source.${present.source}`) });
      }),
      ...effect.gone,
    ],
  };
}

async function show(call: CommandCall<VoiceServices>): Promise<Reply> {
  const preferences = await preferencesOf(call);
  const { list } = await chooseFreshly(call.services, { kept: keptVoices(preferences) });
  const { values, gone, ignored } = inEffect(list, preferences, await voiceRulesOf(call));
  return {
    lines: [
      text(call.interaction.inCachedGuild() ? 'voice.show.title' : 'voice.show.title-direct'),
      ...FIELDS.map((field) => {
        const parameter = text(`parameter.${field}`);
        const present = values[field];
        if (!present) return text('voice.show.unset', { parameter });
        return text('voice.show.value', { parameter, value: present.value, source: text(`source.${present.source}`) });
      }),
      ...gone,
      ...ignored,
      ...(await unreadableLines(call)),
      text('voice.show.hint'),
    ],
  };
}

async function unreadableLines({ interaction, services }: CommandCall<VoiceServices>): Promise<Text[]> {
  const guildIds = interaction.inCachedGuild() ? [interaction.guildId, undefined] : [undefined];
  const { id: userId } = interaction.user;
  const found = await Promise.all(guildIds.map((guildId) => services.members.unreadable({ userId, guildId })));
  const unreadable = FIELDS.filter((field) => found.some((fields) => fields.includes(field)));
  return unreadable.length > 0 ? [text('voice.show.unreadable', { parameters: names(unreadable) })] : [];
}

/** Changes what the caller has kept, here or everywhere as they say, and tells what holds from now on. */
async function change(
  { interaction, services }: CommandCall<VoiceServices>,
  preferences: Preferences,
  edit: (before: OwnSettings) => OwnSettings,
) {
  // Outside a server there is no here.
  const here = interaction.inCachedGuild() && interaction.options.getString('where') !== 'everywhere';
  const where: Where = here ? 'here' : 'everywhere';
  const guildId = here ? interaction.guildId : undefined;
  const { before, after } = await services.members.change({ userId: interaction.user.id, guildId }, edit);
  const now: Preferences = { ...preferences, [where]: after };
  return { before, after, where, now };
}

interface Effect {
  /** What speaks in this server when /say names nothing; undefined where nobody chose a value. */
  readonly values: Readonly<Record<Field, Sourced<Text> | undefined>>;
  readonly gone: readonly Text[];
  readonly ignored: readonly Text[];
}

function inEffect(list: VoiceList, preferences: Preferences, rules: VoiceRules): Effect {
  const chosen: ChosenVoice = mustBeChosen(chooseVoice(list.voices, { kept: keptVoices(preferences), rules }));
  const speechOptions = preferredOptions({}, preferences);
  const request = { input: '', voice: listedVoice(chosen.voice), ...plainOptions(speechOptions) };
  const worded = (name: SpeechOptionName): Sourced<Text> | undefined => {
    const kept = speechOptions[name];
    return kept && { value: speechOptionValue(kept.value), source: kept.source };
  };
  return {
    values: {
      voice: { value: voiceLabel(chosen.voice), source: chosen.source },
      style: worded('style'),
      speed: worded('speed'),
      temperature: worded('temperature'),
    },
    gone: chosen.vanished.map(({ source, choice }) =>
      text('voice.show.gone', { voice: voiceLabel(choice), source: text(`source.${source}`) }),
    ),
    ignored: ignoredLines(voiceLabel(chosen.voice), requestWarnings(request)),
  };
}

/** Where admins have another voice speak here than the one that a member has just kept: which one, and why. */
export function overruledLines(kept: Voice, { voices }: VoiceList, now: Preferences, rules: VoiceRules): Text[] {
  const chosen = chooseVoice(voices, { kept: keptVoices(now), rules });
  // Which of one's own goes first is told by itself.
  if (chosen.kind !== 'chosen' || chosen.voice.id === kept.id || chosen.source === 'own-here') return [];
  return [
    ...(isAllowed(kept, rules) ? [] : [text('refused.voice-not-allowed', { voice: voiceLabel(kept) })]),
    text('voice.set.overruled', { voice: voiceLabel(chosen.voice), source: text(`source.${chosen.source}`) }),
  ];
}

/** What became of one thing that a member keeps. */
export function settingLine(field: Field, before: OwnSettings, after: OwnSettings): Text {
  const common = { parameter: text(`parameter.${field}`), after: keptValue(field, after) };
  const same = field === 'voice' ? before.voice?.voiceId === after.voice?.voiceId : before[field] === after[field];
  if (same) return text('voice.set.unchanged', common);
  return text('voice.set.changed', { ...common, before: keptValue(field, before) });
}

function keptValue(field: Field, own: OwnSettings): Text {
  if (field === 'voice') return own.voice ? voiceLabel(own.voice) : text('voice.unset');
  const value = own[field];
  return value === undefined ? text('voice.unset') : speechOptionValue(value);
}

function speechOptionValue(value: string | number): Text {
  return typeof value === 'string' ? text('voice.style', { style: quote(value) }) : text('voice.number', { value });
}

function names(fields: readonly Field[]) {
  return { list: fields.map((field) => text(`parameter.${field}`)) };
}

function without(own: OwnSettings, fields: readonly Field[]): OwnSettings {
  return Object.fromEntries(Object.entries(own).filter(([field]) => !fields.includes(field as Field)));
}
