import type { Row, SelectOption } from '../../discord/replies/layout.ts';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { quote } from '../../discord/replies/quote.ts';
import type { VoiceList } from '../../services/voices/voice-catalogue.ts';
import { voicesUnder } from '../../services/voices/voice-rules.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { labelWords, languageNamed } from '../../speech/voice-languages.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { type ChatCommand, type Control, EVERYWHERE, type Reply, type Services } from '../framework/command.ts';
import { stringOption } from '../framework/options.ts';
import { pageLines, pageOf, pageRows } from '../framework/paging.ts';
import { optionList } from '../voice-options/speech-options.ts';
import { languagesLabel, type RulesCall, voiceRulesOf } from '../voice-options/voice-option.ts';
import { voiceCardControls } from './voice-card.ts';
import {
  filterVoices,
  LANGUAGE_CHARACTERS,
  languageWords,
  MODEL_CHARACTERS,
  NO_FILTER,
  readFilter,
  SEARCH_CHARACTERS,
  tally,
  understood,
  VOICE_ID_CHARACTERS,
  type VoiceFilter,
  writeFilter,
} from './voice-filter.ts';

const needs = {
  contexts: EVERYWHERE,
};
/** One select could offer more; ten lines can be read on a phone. */
const PAGE = 10;
/** Of models or languages; the one left is for 'all of them'. */
const VALUES = DISCORD_LIMITS.menuOptions - 1;

/** Turns the page; its argument is the filter. */
const pageButton: Control = {
  name: 'voices',
  needs,
  replyTo: 'message',
  deferred: true,
  begin: (call) => async () => show(call, readFilter(call.argument)),
};

/** Narrows the list down; its argument is the filter so far. */
const narrowing = (name: string, field: 'model' | 'language'): Control => ({
  name,
  needs,
  replyTo: 'message',
  deferred: true,
  begin: (call) => async () => {
    const [value = ''] = call.values;
    return show(call, { ...readFilter(call.argument), [field]: value === ALL ? '' : value, page: 0 });
  },
});

const ALL = '*';

export const voices: ChatCommand = {
  name: 'voices',
  description: 'voices.description',
  options: [
    stringOption('search', 'voices.search', { maxLength: SEARCH_CHARACTERS }),
    stringOption('model', 'voices.model-option', { autocomplete: true, maxLength: 100 }),
    stringOption('language', 'voices.language-option', { autocomplete: true, maxLength: 100 }),
  ],
  needs,
  replyTo: 'caller',
  deferred: true,
  controls: [
    pageButton,
    narrowing('voices-model', 'model'),
    narrowing('voices-language', 'language'),
    ...voiceCardControls,
  ],

  async complete({ interaction, services }) {
    const { name, value } = interaction.options.getFocused(true);
    const [list, rules] = await Promise.all([services.voices.list(), voiceRulesOf({ interaction, services })]);
    const all = voicesUnder(rules, list);
    const field = name === 'model' ? 'model' : 'language';
    const there = tally(all, field).map(([one]) => one);
    const typed = value.trim().toLowerCase();
    const { locale } = interaction;
    const named = field === 'language' ? languageNamed(typed, there, locale) : undefined;
    const found = there.filter((one) =>
      (field === 'language' ? labelWords(one, locale) : one.toLowerCase()).includes(typed),
    );
    return [...new Set([...(named === undefined ? [] : [named]), ...found])]
      .filter((one) => one.length <= DISCORD_LIMITS.choiceCharacters)
      .slice(0, DISCORD_LIMITS.choices)
      .map((one) => {
        const name = field === 'language' ? languageWords(one, locale) : one;
        return { name: name.length > DISCORD_LIMITS.choiceCharacters ? one : name, value: one };
      });
  },

  begin(call) {
    const option = (name: string) => call.interaction.options.getString(name)?.trim() ?? '';
    const filter = { ...NO_FILTER, search: option('search'), model: option('model'), language: option('language') };
    return async () => show(call, filter);
  },
};

async function show(call: RulesCall & { readonly services: Services }, asked: VoiceFilter): Promise<Reply> {
  const { voices: catalogue } = call.services;
  const [complete, rules] = await Promise.all([catalogue.list(), voiceRulesOf(call)]);
  const list = { ...complete, voices: voicesUnder(rules, complete) };
  const { locale } = call.interaction;
  const filter =
    list.voices.length === 0 ? asked : understood(asked, { voices: list.voices, all: complete.voices, locale });
  const found = filterVoices(list.voices, filter);
  const page = pageOf(found, PAGE, filter.page);
  const rows: Row[] = [
    ...filterRow('voices-model', 'model', list, filter, locale),
    ...filterRow('voices-language', 'language', list, filter, locale),
    ...choiceRow(page.shown),
    ...pageRows('voices', page, writeFilter(filter).slice(String(filter.page).length)),
  ];
  return {
    lines: [
      found.length === 0 ? nothingFound(list.voices, filter, complete) : heading(found.length, filter),
      ...page.shown.map(voiceLine),
      ...pageLines(page),
      ...(page.shown.length > 0 ? [text('voices.hint')] : []),
      // Of other services nobody here knows whether they sound alike.
      ...(call.services.localVoice && sharesName(page.shown, list.voices) ? [text('voices.same-name')] : []),
      ...(catalogue.stale ? [text('voices.stale', { since: `<t:${Math.round(list.fetchedAtMs / 1000)}:R>` })] : []),
    ],
    rows,
  };
}

const sharesName = (shown: readonly Voice[], all: readonly Voice[]) =>
  shown.some(({ id, name }) => all.some((other) => other.name === name && other.id !== id));

function heading(count: number, { search, model, language }: VoiceFilter): Text {
  if (search !== '') return text('voices.found', { count, search: quote(search, 100) });
  return model !== '' || language !== '' ? text('voices.left', { count }) : text('voices.title', { count });
}

/** Says which of the filters leaves nothing. */
function nothingFound(all: readonly Voice[], filter: VoiceFilter, complete: VoiceList): Text {
  if (all.length === 0) return text(complete.voices.length === 0 ? 'refused.no-voices' : 'refused.none-allowed');
  if (filterVoices(all, { ...filter, search: '' }).length === 0) return text('voices.none-left');
  const search = quote(filter.search, 100);
  const matches = filterVoices(all, { ...NO_FILTER, search: filter.search }).length > 0;
  return matches ? text('voices.none-both', { search }) : text('voices.none', { search });
}

function voiceLine(voice: Voice): Text {
  const { name, model } = voice;
  const options = optionList(voice);
  const what = {
    name: quote(name, 80),
    model: quote(model, 40),
    language: languagesLabel(voice, (label) => quote(label, 40)),
  };
  return options.length > 0
    ? text('voices.line-options', { ...what, options: { list: options } })
    : text('voices.line', what);
}

/** A select of the models or languages there are, with what is chosen; nothing where there is only one. */
function filterRow(
  control: string,
  field: 'model' | 'language',
  { voices: all }: VoiceList,
  filter: VoiceFilter,
  locale: string,
): Row[] {
  const characters = field === 'model' ? MODEL_CHARACTERS : LANGUAGE_CHARACTERS;
  const there = tally(all, field).flatMap(([value]) => (value.length <= characters ? [value] : []));
  const chosen = filter[field];
  // First, as it may be none of the labels, or one that there is no room for.
  const offered = [...new Set([...(chosen === '' ? [] : [chosen]), ...there])];
  if (offered.length < 2) return [];
  const every: SelectOption = {
    value: ALL,
    label: text(field === 'model' ? 'voices.every-model' : 'voices.every-language'),
    chosen: chosen === '',
  };
  const options = offered.slice(0, VALUES).map(
    (value): SelectOption => ({
      value,
      label: field === 'language' ? languageWords(value, locale) : value,
      description: text('voices.count', { count: filterVoices(all, { ...NO_FILTER, [field]: value }).length }),
      chosen: value === chosen,
    }),
  );
  return [{ kind: 'select', control, argument: writeFilter(filter), options: [every, ...options] }];
}

function choiceRow(shown: readonly Voice[]): Row[] {
  const options = shown
    .filter(({ id }) => id.length <= VOICE_ID_CHARACTERS)
    .map((voice) => ({
      value: voice.id,
      label: voice.name,
      description: text('voices.option', { model: voice.model, language: languagesLabel(voice) }),
    }));
  if (options.length === 0) return [];
  return [{ kind: 'select', control: 'voice-card', placeholder: text('voices.choose'), options }];
}
