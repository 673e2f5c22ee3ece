import { managesServer } from '../../discord/channels/permissions.ts';
import { button, quote, type Row, voiceLabel, voiceName, voiceWithModel } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { choiceOf } from '../../services/servers/server-settings.ts';
import { charactersOf } from '../../services/synthesis/parts.ts';
import { isAllowed, keptVoices, languageOfTexts, voicesUnder } from '../../services/voices/preferences.ts';
import { soundLabel, soundWords } from '../../services/voices/voice-catalog.ts';
import { languageNamed, voicesThatSpeak } from '../../speech/interface/languages.ts';
import { INSTANT_TAGS, modelRules, type TagSyntax, WRAPPING_TAGS } from '../../speech/interface/models.ts';
import { knownOptions, listedVoice, oneOfEachName, tagsOf, type Voice } from '../../speech/interface/schemas.ts';
import { rankVoices } from '../../speech/voice-search.ts';
import { render, type Text, type TextList, text } from '../../texts/catalog.ts';
import { pageAsked, pageLines, pageOf, pageRows } from '../framework/buttons.ts';
import {
  type ChatCommand,
  type Control,
  type ControlCall,
  type Reply,
  type Services,
  serverCall,
} from '../framework/command.ts';
import { stringOption } from '../framework/options.ts';
import { speechFacts, speechLines, spokenBy, stoodInLines } from '../say/replies.ts';
import { leavesOutTags } from '../say/wording.ts';
import {
  aboutVoice,
  chooseFreshly,
  completeVoice,
  currentPreferences,
  formatList,
  languagesLabel,
  modelNames,
  optionList,
  preferencesOf,
  type VoiceCall,
  voiceItem,
  voiceOption,
} from '../voice-options/voice-option.ts';
import { change, inEffect, overruledLines, VOICE_ID_CHARACTERS } from './voice.ts';

export const tags: ChatCommand = {
  name: 'tags',
  options: [voiceOption('tags.voice')],
  deferred: true,
  complete: completeVoice,

  begin(call) {
    const asked = call.interaction.options.getString('voice') ?? undefined;
    return async () => {
      const preferences = await currentPreferences(call);
      const orders = { asked, kept: keptVoices(preferences), rules: preferences.server };
      const { voice, list } = await chooseFreshly(call.services, orders);
      return listOf(voice, voicesUnder(preferences.server, list));
    };
  },
};

function listOf(voice: Voice, usable: readonly Voice[]): Reply {
  const syntax = tagsOf(voice);
  const name = voiceName(voice);
  if (syntax === 'none') {
    const models = modelNames(usable.filter((other) => knownOptions(other).includes('tags')));
    const words = leavesOutTags(voice) ? 'left' : 'read';
    const others = models.length > 0 ? { list: models } : 'none';
    return { lines: [text('tags.none', { voice: name, tags: words, models: others })] };
  }
  return { lines: [...explanation(syntax, name), text('tags.hint')] };
}

function explanation(syntax: Exclude<TagSyntax, 'none'>, voice: Text | string): Text[] {
  if (syntax === 'square-open') return [text('tags.square', { voice })];
  if (syntax === 'angle-open') return [text('tags.angle', { voice })];
  return [
    text('tags.closed', { voice }),
    text('tags.instant', { tags: INSTANT_TAGS.map((name) => `\`[${name}]\``).join(' ') }),
    text('tags.wrapping', { tags: WRAPPING_TAGS.map((name) => `\`<${name}>…</${name}>\``).join(' ') }),
  ];
}

/** The number of voices on a page of /voices: a select could offer more, but ten lines are readable on a phone. */
const PAGE = 10;
/** The maximum length of a search: it must fit into a button's custom id (100 characters), next to the page number. */
const SEARCH_CHARACTERS = 60;
const SEPARATOR = '|';

/** Discord could take characters in a voice's label for markup. */
const QUOTED = (label: string) => quote(label, 40);

const SAMPLE_LIMITS = { speaks: true, cooldown: { uses: 5, perMs: 30_000 } } as const;

/** The reply to a voice's select or button, which only the caller sees. */
const onVoice = (name: string, begin: Control['begin']): Control => ({ name, deferred: true, begin });

export const voices: ChatCommand = {
  name: 'voices',
  options: [stringOption('search', 'voices.search', SEARCH_CHARACTERS)],
  deferred: true,
  controls: [
    {
      name: 'voices',
      replyTo: 'message',
      deferred: true,
      begin: (call) => async () => show(call, call.argument),
    },
    {
      ...SAMPLE_LIMITS,
      ...onVoice('voices-listen', (call) => {
        // The press is forged, or the button to hear voices is older than the owner's switch to a paid speech service.
        if (!call.services.bot.localVoice) throw new UserError(text('refused.over'));
        return async () => listen(call, (await find(call, call.argument)).page.shown);
      }),
    },
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
      const call = serverCall(anywhere);
      if (!managesServer(call.interaction)) throw new UserError(text('refused.not-permitted'));
      return () => setDefaultVoice(call, call.argument);
    }),
  ],

  begin(call) {
    const search = call.interaction.options.getString('search')?.trim() ?? '';
    return async () => show(call, `0${SEPARATOR}${search}`);
  },
};

/** `argument` is that of a button: the number of a page, and the search. */
async function find(call: VoiceCall, argument: string) {
  const [number, ...words] = argument.split(SEPARATOR);
  const search = words.join(SEPARATOR);
  const [list, { server }] = await Promise.all([call.services.voices.list(), currentPreferences(call)]);
  const usable = voicesUnder(server, list);
  const found = voicesMeant(search, usable, call.interaction.locale);
  return { list, usable, search, found, page: pageOf(found, PAGE, pageAsked(number)) };
}

async function show(call: VoiceCall, argument: string): Promise<Reply> {
  const { voices: catalog, bot } = call.services;
  const { list, usable, search, found, page } = await find(call, argument);
  const lines = [
    heading(search, found.length, { usable: usable.length, all: list.voices.length }),
    ...page.shown.map(voiceLine),
    ...pageLines(page),
  ];
  if (page.shown.length > 0) lines.push(text('voices.hint'));
  if (catalog.stale) lines.push(text('voices.stale', { since: `<t:${Math.round(list.fetchedAtMs / 1000)}:R>` }));
  const rest = `${SEPARATOR}${search}`;
  const rows = [...choiceRow(page.shown), ...pageRows('voices', page, rest)];
  // Only free speech gets the button to hear the voices: a paid service would bill the sample of each voice.
  if (bot.localVoice && page.shown.length > 1) {
    rows.push([button('voices-listen', text('voices.listen'), `${page.number}${rest}`)]);
  }
  return { lines, rows };
}

/** Finds voices for a search, best matches first. A language's name finds its voices unless a voice or model has a similar name. */
function voicesMeant(search: string, voices: readonly Voice[], locale: string): readonly Voice[] {
  if (search === '') return oneOfEachName(voices);
  const labels = [...new Set(voices.map(({ language }) => language))];
  const language = languageNamed(search, labels, locale);
  const wordsOf = (voice: Voice) => soundWords(voice, locale);
  const isMeant = language !== undefined && !isLikeName(search, voices);
  const found = isMeant ? voicesThatSpeak(language, voices) : rankVoices(search, voices, { wordsOf });
  return oneOfEachName(found);
}

const isLikeName = (search: string, voices: readonly Voice[]): boolean =>
  rankVoices(
    search,
    voices.map((voice) => ({ ...voice, language: '', languages: undefined, gender: undefined, accent: undefined })),
  ).length > 0;

function heading(search: string, count: number, there: { readonly usable: number; readonly all: number }): Text {
  if (there.usable === 0) return text(there.all === 0 ? 'refused.no-voices' : 'refused.none-allowed');
  if (search === '') return text('voices.title', { count });
  const quoted = quote(search, 100);
  return count === 0 ? text('voices.none', { search: quoted }) : text('voices.found', { count, search: quoted });
}

function voiceLine(voice: Voice): Text {
  if (soundLabel(voice) !== undefined) {
    return text('voices.line-with-sound', {
      name: voiceName(voice),
      about: aboutVoice(voice, (words) => quote(words, 40)),
    });
  }
  const { name, model } = voice;
  const options = optionList(voice);
  return text('voices.line', {
    name: quote(name, 80),
    model: quote(model, 40),
    language: languagesLabel(voice, (label) => quote(label, 40)),
    options: options.length > 0 ? { list: options } : 'none',
  });
}

function choiceRow(shown: readonly Voice[]): Row[] {
  const options = shown.filter(({ id }) => id.length <= VOICE_ID_CHARACTERS).map(voiceItem);
  if (options.length === 0) return [];
  return [{ kind: 'select', control: 'voice-card', argument: '', placeholder: text('voices.choose'), options }];
}

async function voiceOf({ voices }: Services, id: string): Promise<Voice> {
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
  const { services, argument } = call;
  const voice = await voiceOf(services, argument);
  const [preferences, list] = await Promise.all([preferencesOf(call), services.voices.list()]);
  const { before, after, where } = await change(call, ['voice'], (own) => ({ ...own, voice: choiceOf(voice) }));
  const now = { ...preferences, [where]: after };
  const { absent, ignored, rows } = inEffect(list, now);
  const was = before.voice && before.voice.voiceId !== voice.id ? voiceLabel(before.voice) : 'none';
  const kept = text('voices.mine', { where, voice: voiceLabel(voice), before: was });
  return { lines: [kept, ...overruledLines(voice, list, now), ...absent, ...ignored], rows };
}

/** Used by the voice card and /setup. Rejects with a UserError if the server forbids the voice. */
export async function setDefaultVoice({ interaction, services }: ControlCall<'cached'>, id: string) {
  const voice = await voiceOf(services, id);
  const { before } = await services.settings.change(interaction.guildId, (present) => {
    if (isAllowed(voice, present)) return { ...present, defaultVoice: choiceOf(voice) };
    throw new UserError(text('refused.voice-not-allowed', { voice: voiceWithModel(voice) }));
  });
  if (before.defaultVoice?.voiceId === voice.id) return { lines: [text('settings.unchanged')] };
  const former = before.defaultVoice ? voiceLabel(before.defaultVoice) : text('setting.unset.default');
  const setting = text('setting.defaultVoice');
  return { lines: [text('settings.changed', { setting, after: voiceLabel(voice), before: former })] };
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
  const isAtHand = async () => (await synthesizer.recall(request)).every(({ kind }) => kind === 'at-hand');
  if (bot.localVoice || (await isAtHand())) return text('voices.preview');
  const billed = synthesizer.billedTexts(request, 'file');
  const about = spending.estimateCredits(billed)?.about;
  if (about === 0) return text('voices.preview');
  return about === undefined
    ? text('voices.preview-billed', { characters: charactersOf(billed) })
    : text('voices.preview-about', { about: Math.max(1, Math.round(about)) });
}

/** Several voices are heard in a row, and each says its name. */
async function listen(call: ControlCall, voices: readonly Voice[]) {
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
