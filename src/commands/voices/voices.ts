import { button, quote, type Row, voiceName } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { keptVoices, voicesUnder } from '../../services/voices/preferences.ts';
import { soundLabel, soundWords } from '../../services/voices/voice-catalog.ts';
import { languageNamed, voicesThatSpeak } from '../../speech/interface/languages.ts';
import { INSTANT_TAGS, type TagSyntax, WRAPPING_TAGS } from '../../speech/interface/models.ts';
import { knownOptions, oneOfEachName, tagsOf, type Voice } from '../../speech/interface/schemas.ts';
import { rankVoices } from '../../speech/voice-search.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { pageAsked, pageLines, pageOf, pageRows } from '../framework/buttons.ts';
import type { ChatCommand, Reply } from '../framework/command.ts';
import { stringOption } from '../framework/options.ts';
import { leavesOutTags } from '../say/wording.ts';
import {
  aboutVoice,
  chooseFreshly,
  completeVoice,
  currentPreferences,
  languagesLabel,
  modelNames,
  optionList,
  type VoiceCall,
  voiceItem,
  voiceOption,
} from '../voice-options/voice-option.ts';
import { VOICE_ID_CHARACTERS } from './voice.ts';
import { listen, SAMPLE_LIMITS, voiceCardControls } from './voice-card.ts';

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

export const voices: ChatCommand = {
  name: 'voices',
  options: [stringOption('search', 'voices.search', SEARCH_CHARACTERS)],
  deferred: true,
  controls: [
    {
      name: 'voices',
      replyTo: 'message',
      deferred: true,
      begin: (call) => async () => {
        const [page, ...search] = call.argument.split(SEPARATOR);
        return show(call, search.join(SEPARATOR), pageAsked(page));
      },
    },
    {
      name: 'voices-listen',
      ...SAMPLE_LIMITS,
      deferred: true,
      begin(call) {
        // The press is forged, or the button to hear voices is older than the owner's switch to a paid speech service.
        if (!call.services.bot.localVoice) throw new UserError(text('refused.over'));
        const [page, ...search] = call.argument.split(SEPARATOR);
        return async () => listen(call, (await find(call, search.join(SEPARATOR), pageAsked(page))).page.shown);
      },
    },
    ...voiceCardControls,
  ],

  begin(call) {
    const search = call.interaction.options.getString('search')?.trim() ?? '';
    return async () => show(call, search);
  },
};

async function find(call: VoiceCall, search: string, pageNumber: number) {
  const [list, { server }] = await Promise.all([call.services.voices.list(), currentPreferences(call)]);
  const usable = voicesUnder(server, list);
  const found = voicesMeant(search, usable, call.interaction.locale);
  return { list, usable, found, page: pageOf(found, PAGE, pageNumber) };
}

async function show(call: VoiceCall, search: string, pageNumber = 0): Promise<Reply> {
  const { voices: catalog, bot } = call.services;
  const { list, usable, found, page } = await find(call, search, pageNumber);
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
