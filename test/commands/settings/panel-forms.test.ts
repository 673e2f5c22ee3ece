import { describe, expect, it } from 'vitest';
import { editOfForm, FORMS, pageOfForm, settingsForm } from '../../../src/commands/settings/panel-forms.ts';
import { mustBeChosen } from '../../../src/commands/voice-options/voice-option.ts';
import type { Modal } from '../../../src/discord/replies/layout.ts';
import {
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  serverSettingsSchema,
} from '../../../src/services/servers/server-settings.ts';
import { chooseVoice } from '../../../src/services/voices/voice-choice.ts';
import { refusalOf, voiceOf } from '../scene.ts';

const noVoices = () => Promise.reject(new Error('No voice is named here'));

function opened(name: string, settings: ServerSettings): Modal {
  const form = settingsForm(name, settings, false);
  if (!form) throw new Error('There is no such form');
  return form;
}

/** As Discord sends it: what was not touched comes back as it was shown. */
async function submitted(form: Modal, typed: Readonly<Record<string, string>>, present: ServerSettings = {}) {
  const shown = form.fields.map((field) => [field.name, 'value' in field ? field.value : '']);
  return editOfForm(form.argument, { ...Object.fromEntries(shown), ...typed }, present, {
    voiceNamed: noVoices,
    isFree: false,
  });
}

describe('a form of the settings', () => {
  it('sets what was filled in, and leaves defaults that were only shown to the bot', async () => {
    const edit = await submitted(opened('texts', {}), { cooldownSeconds: '20' });
    expect(edit({})).toEqual({ cooldownSeconds: 20 });
  });

  it('leaves a voice as it is that is gone and was only looked at', async () => {
    const settings = { forcedVoice: { voiceId: 'x', name: 'gone', model: 'gpro' } };
    expect((await submitted(opened('forcedVoice', settings), {}, settings))(settings)).toEqual(settings);
  });

  it('takes blocked words as long as they can be kept, and says how long that is', async () => {
    const [longest, longer] = ['x'.repeat(50), 'x'.repeat(51)];
    const form = opened('blockedWords', {});
    expect((await submitted(form, { blockedWords: longest }))({})).toEqual({ blockedWords: [longest] });
    expect(serverSettingsSchema.safeParse({ blockedWords: [longest] }).success).toBe(true);
    expect(await refusalOf(() => submitted(form, { blockedWords: longer }))).toBe(
      `“${longer}”: A word can have up to 50 characters; this one has 51. Shorten it.\nNothing changed.`,
    );
    expect(serverSettingsSchema.safeParse({ blockedWords: [longer] }).success).toBe(false);
  });

  it('takes an entry without the quotation marks around it', async () => {
    const typed = { blockedWords: '"foo bar"\n «x y» , "bad one"*' };
    const edit = await submitted(opened('blockedWords', {}), typed);
    expect(edit({})).toEqual({ blockedWords: ['foo bar', 'x y', 'bad one*'] });
  });

  it('takes exceptions to the blocked words beside them, up to 300', async () => {
    const form = opened('blockedWords', { blockedWords: ['schwul'] });
    const typed = { blockedWords: 'schwul', blockedWordsExceptions: 'schwül, Möhre*' };
    const edit = await submitted(form, typed, { blockedWords: ['schwul'] });
    expect(edit({ blockedWords: ['schwul'] })).toEqual({
      blockedWords: ['schwul'],
      blockedWordsExceptions: ['schwül', 'Möhre*'],
    });
    const many = Array.from({ length: 301 }, (_, index) => `w${index}`).join();
    expect(await refusalOf(() => submitted(form, { blockedWordsExceptions: many }))).toContain(
      'Exceptions to blocked words: the maximum is 300.',
    );
  });

  it('keeps a phrase with a comma, which an import may bring, as one phrase', async () => {
    const before = { blockedWords: ['thick, head'] };
    const form = opened('blockedWords', before);
    const [field] = form.fields;
    const shown = field && 'value' in field ? field.value : '';
    const after = (await submitted(form, { blockedWords: `${shown}\nnew` }, before))(before);
    expect(after.blockedWords).toEqual(['thick head', 'new']);
  });

  it('keeps the words that are too many to be shown', async () => {
    const blockedWords = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(40)}`);
    const form = opened('blockedWords', { blockedWords });
    const [field] = form.fields;
    const shown = field && 'value' in field ? field.value : '';
    expect(shown.length).toBeLessThanOrEqual(4_000);
    const after = (await submitted(form, { blockedWords: `new\n${shown}` }, { blockedWords }))({ blockedWords });
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
    const edit = await submitted(opened('credits', {}), { creditsPerServer: typed });
    expect(edit({})).toEqual({ creditsPerServer });
  });

  it('names the mistakes in all fields, and all wrong entries of a field, at once', async () => {
    const wordsFor = async (form: string, typed: Readonly<Record<string, string>>) =>
      (await refusalOf(() => submitted(opened(form, {}), typed))).replaceAll('\\*', '*');
    for (const [maxCharacters, queueLimit] of [
      ['all', '0'],
      ['1.5', '1,000'],
    ] as const)
      expect((await wordsFor('texts', { maxCharacters, queueLimit, cooldownSeconds: '20' })).split('\n')).toEqual([
        'Maximum text length, in characters: enter a whole number from 1 to 4,000.',
        'Queue limit: enter a whole number from 1 to 100.',
        'Nothing changed.',
      ]);
    const words = await wordsFor('blockedWords', { blockedWords: 'ok, as*, f*ck', blockedWordsExceptions: '***' });
    expect(words.split('\n').map((line) => line.slice(0, 8))).toEqual(['“as*”: W', '“f*ck”: ', '“***”: A', 'Nothing ']);
    const many = Array.from({ length: 20 }, (_, at) => `f*k${at}`).join();
    expect((await wordsFor('blockedWords', { blockedWords: many })).split('\n').slice(-2)).toEqual([
      '-# … and 12 more.',
      'Nothing changed.',
    ]);
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
  const NAMED = [voiceOf('aria'), voiceOf('ivy')];
  const voiceNamed = async (asked: string) => {
    const { voice } = mustBeChosen(chooseVoice(NAMED, { asked }));
    return voice;
  };
  const typed = async (languageVoices: string) =>
    (await editOfForm('languageVoices', { languageVoices }, {}, { voiceNamed, isFree: false }))({}).languageVoices;

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
