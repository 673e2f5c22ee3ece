import { describe, expect, it } from 'vitest';
import type { ControlCall } from '../../../src/commands/framework/command.ts';
import { changesOfForm, FORMS, pageOfForm, settingsForm } from '../../../src/commands/settings/panel-forms.ts';
import type { Modal } from '../../../src/discord/replies/layout.ts';
import {
  type LanguageVoice,
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  serverSettingsSchema,
} from '../../../src/services/servers/server-settings.ts';
import { callOf, refusalOf, voiceOf } from '../scene.ts';

function opened(name: string, settings: ServerSettings): Modal {
  const form = settingsForm(name, settings, false);
  if (!form) throw new Error('There is no such form');
  return form;
}

type Fields = Readonly<Record<string, string>>;

/** What the fields of a form hold when it opens. */
const shownIn = ({ fields }: Modal): Fields =>
  Object.fromEntries(fields.map((field) => [field.name, 'value' in field ? field.value : '']));

/** The settings after a form was sent, in which only this was typed. */
async function filledIn(name: string, typed: Fields, before: ServerSettings = {}): Promise<ServerSettings> {
  const form = opened(name, before);
  const call = callOf<ControlCall>({}, {}, { fields: { ...shownIn(form), ...typed } });
  return { ...before, ...(await changesOfForm(form.argument, before, call)) };
}

const refusedLines = async (name: string, typed: Fields): Promise<string[]> =>
  (await refusalOf(() => filledIn(name, typed))).replaceAll('\\*', '*').split('\n');

describe('a form of the settings', () => {
  const gone = { forcedVoice: { voiceId: 'x', name: 'gone', model: 'gpro' } };
  const schwul = { blockedWords: ['schwul'] };
  it.each<[string, string, Fields, ServerSettings, ServerSettings]>([
    ['leaves defaults that were only shown', 'texts', { cooldownSeconds: '20' }, {}, { cooldownSeconds: 20 }],
    ['leaves a voice as it is that is gone and was only looked at', 'forcedVoice', {}, gone, gone],
    [
      'takes an entry without the quotation marks around it',
      'blockedWords',
      { blockedWords: '"foo bar"\n «x y» , "bad one"*' },
      {},
      { blockedWords: ['foo bar', 'x y', 'bad one*'] },
    ],
    [
      'takes exceptions to the blocked words beside them',
      'blockedWords',
      { blockedWordsExceptions: 'schwül, Möhre*' },
      schwul,
      { ...schwul, blockedWordsExceptions: ['schwül', 'Möhre*'] },
    ],
  ])('%s', async (_, form, typed, before, after) => {
    expect(await filledIn(form, typed, before)).toEqual(after);
  });

  it('takes blocked words as long as they can be kept, and says how long that is', async () => {
    const [longest, longer] = ['x'.repeat(50), 'x'.repeat(51)];
    const isKept = (word: string) => serverSettingsSchema.safeParse({ blockedWords: [word] }).success;
    expect(await filledIn('blockedWords', { blockedWords: longest })).toEqual({ blockedWords: [longest] });
    expect(await refusedLines('blockedWords', { blockedWords: longer })).toEqual([
      `“${longer}”: A word can have up to 50 characters; this one has 51. Shorten it.`,
      'Nothing changed.',
    ]);
    expect([longest, longer].map(isKept)).toEqual([true, false]);
  });

  it('keeps a phrase with a comma, which an import may bring, as one phrase', async () => {
    const before = { blockedWords: ['thick, head'] };
    const { blockedWords: shown } = shownIn(opened('blockedWords', before));
    const after = await filledIn('blockedWords', { blockedWords: `${shown}\nnew` }, before);
    expect(after.blockedWords).toEqual(['thick head', 'new']);
  });

  it('keeps the words that are too many to be shown', async () => {
    const blockedWords = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(40)}`);
    const { blockedWords: shown = '' } = shownIn(opened('blockedWords', { blockedWords }));
    expect(shown.length).toBeLessThanOrEqual(4_000);
    const after = await filledIn('blockedWords', { blockedWords: `new\n${shown}` }, { blockedWords });
    expect(new Set(after.blockedWords)).toEqual(new Set(['new', ...blockedWords]));
  });

  it.each([
    ['12000', 12_000],
    ['12.000', 12_000],
    ['12\u202f000', 12_000],
    ['1,234.5', 1_234.5],
    ['1.234,5', 1_234.5],
    ['0.125', 0.125],
  ])('takes credits as the panel shows them, and as people write them: %s', async (typed, creditsPerServer) => {
    expect(await filledIn('credits', { creditsPerServer: typed })).toEqual({ creditsPerServer });
  });

  it('names the mistakes in all fields, and all wrong entries of a field, at once', async () => {
    for (const typed of [
      { maxCharacters: 'all', queueLimit: '0' },
      { maxCharacters: '1.5', queueLimit: '1,000' },
    ])
      expect(await refusedLines('texts', { ...typed, cooldownSeconds: '20' })).toEqual([
        'Maximum text length, in characters: enter a whole number from 1 to 4,000.',
        'Queue limit: enter a whole number from 1 to 100.',
        'Nothing changed.',
      ]);
    const words = await refusedLines('blockedWords', { blockedWords: 'ok, as*, f*ck', blockedWordsExceptions: '***' });
    expect(words.map((line) => line.slice(0, 8))).toEqual(['“as*”: W', '“f*ck”: ', '“***”: A', 'Nothing ']);
    const wrong = Array.from({ length: 20 }, (_, at) => `f*k${at}`).join();
    expect((await refusedLines('blockedWords', { blockedWords: wrong })).at(-2)).toBe('-# … and 12 more.');
    const many = Array.from({ length: 301 }, (_, index) => `w${index}`).join();
    expect((await refusedLines('blockedWords', { blockedWordsExceptions: many }))[0]).toBe(
      'Exceptions to blocked words: the maximum is 300.',
    );
  });

  it('has settings of one page, and no two fields of one name', () => {
    for (const name of SETTING_NAMES) {
      const definition = SERVER_SETTINGS[name];
      if ('form' in definition) expect(definition.page, name).toBe(pageOfForm(definition.form));
    }
    for (const form of Object.keys(FORMS)) {
      const fields = opened(form, {}).fields.map(({ name }) => name);
      expect([new Set(fields).size, fields.length > 0], form).toEqual([fields.length, true]);
    }
  });
});

describe('the form of voices by language', () => {
  const services = {
    voices: { list: async () => ({ voices: [voiceOf('aria'), voiceOf('ivy')] }) },
    members: { get: async () => ({}) },
    settings: { of: async () => ({}) },
  };
  const typed = async (languageVoices: string) => {
    const call = callOf<ControlCall>({}, services, { fields: { languageVoices } });
    return (await changesOfForm('languageVoices', {}, call)).languageVoices as LanguageVoice[];
  };

  it('takes a line for each language, by its code, its own name or its name in a language of the bot', async () => {
    const languageVoices = await typed('es: ivy\nDeutsch = aria');
    expect(languageVoices).toEqual([
      { language: 'de', voiceId: 'aria', name: 'aria', model: 'gpro' },
      { language: 'es', voiceId: 'ivy', name: 'ivy', model: 'gpro' },
    ]);
    expect(await typed('Spanish: ivy\nAlemán: aria')).toEqual(languageVoices);
    const [field] = opened('languageVoices', { languageVoices }).fields;
    expect(field).toMatchObject({ kind: 'paragraph', value: 'de: aria (gpro)\nes: ivy (gpro)' });
    expect(await typed('de: aria (gpro)\nes: ivy (gpro)')).toEqual(languageVoices);
  });

  it.each(['aria', 'xx: aria', 'Klingonisch: aria'])('refuses %j with how a line is written', async (line) => {
    expect(await refusalOf(() => typed(line))).toBe(
      `“${line}” isn’t a language and a voice. Write one per line, such as “de: aria”.\nNothing changed.`,
    );
  });
});
