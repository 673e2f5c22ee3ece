import { describe, expect, it } from 'vitest';
import { editOfForm, FORMS, pageOfForm, settingsForm } from '../../../src/commands/settings/panel-forms.ts';
import { mustBeChosen } from '../../../src/commands/voice-options/voice-option.ts';
import type { Modal } from '../../../src/discord/replies/layout.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import {
  SERVER_SETTINGS,
  SETTING_NAMES,
  SETTINGS_LIMITS,
  type ServerSettings,
  serverSettingsSchema,
} from '../../../src/services/servers/server-settings.ts';
import { chooseVoice } from '../../../src/services/voices/voice-choice.ts';
import { render, text } from '../../../src/texts/catalogue.ts';

const noEmoji = async () => [];
const noVoices = () => Promise.reject(new Error('No voice is named here'));

function opened(name: string, settings: ServerSettings, localVoice = false): Modal {
  const form = settingsForm(name, settings, localVoice);
  if (!form) throw new Error('There is no such form');
  return form;
}

/** As Discord sends it: what was not touched comes back as it was shown. */
async function submitted(form: Modal, typed: Readonly<Record<string, string>>, localVoice = false) {
  const shown = form.fields.map((field) => [field.name, 'value' in field ? (field.value ?? '') : '']);
  return editOfForm(
    form.argument ?? '',
    { ...Object.fromEntries(shown), ...typed },
    { voiceNamed: noVoices, emojiWords: noEmoji, localVoice },
  );
}

describe('a form of the settings', () => {
  it('sets what was filled in, and leaves defaults that were only shown to the bot', async () => {
    const edit = await submitted(opened('pace', {}), { cooldownSeconds: '20' });
    expect(edit({})).toEqual({ cooldownSeconds: 20 });
  });

  it('shows the length to ask about where the voice costs credits; while it is free, none holds, and any can be set', async () => {
    const shown = (localVoice: boolean) =>
      opened('texts', {}, localVoice).fields.find(({ name }) => name === 'confirmAboveCharacters');
    expect([shown(false), shown(true)]).toMatchObject([{ value: '1000' }, { value: '' }]);
    const edit = await submitted(opened('texts', {}, true), { confirmAboveCharacters: '1000' }, true);
    expect(edit({})).toEqual({ confirmAboveCharacters: 1_000 });
  });

  it('takes back what was emptied', async () => {
    const settings = { cooldownSeconds: 20, textsInTenSeconds: 5 };
    const edit = await submitted(opened('pace', settings), { cooldownSeconds: '' });
    expect(edit(settings)).toEqual({ textsInTenSeconds: 5 });
  });

  it('keeps what another admin has set meanwhile in a field that was not touched', async () => {
    const edit = await submitted(opened('pace', {}), { cooldownSeconds: '20' });
    expect(edit({ maxCharacters: 100 })).toEqual({ maxCharacters: 100, cooldownSeconds: 20 });
  });

  it('does not write over what another admin has set meanwhile in the same field', async () => {
    const edit = await submitted(opened('blockedWords', { blockedWords: ['one'] }), { blockedWords: 'one\ntwo' });
    const clash = () => edit({ blockedWords: ['one', 'three'] });
    expect(clash).toThrow(UserError);
    try {
      clash();
    } catch (error) {
      expect(render((error as UserError).text)).toContain('Blocked words: someone else changed this');
    }
  });

  it('comes back after a refusal with what was changed in it, and the present values of the rest', async () => {
    const first = opened('pace', { cooldownSeconds: 5, textsInTenSeconds: 5 });
    const shown = Object.fromEntries(
      first.fields.map((field) => [field.name, 'value' in field ? (field.value ?? '') : '']),
    );
    const fields = { ...shown, textsInTenSeconds: 'many' };
    const now = { cooldownSeconds: 20, textsInTenSeconds: 5 };
    const again = settingsForm('pace', now, false, { argument: first.argument ?? '', fields });
    expect(again?.fields).toEqual([
      expect.objectContaining({ name: 'cooldownSeconds', value: '20' }),
      expect.objectContaining({ name: 'textsInTenSeconds', value: 'many' }),
    ]);
    if (!again) return;
    const edit = await submitted(again, { textsInTenSeconds: '7' });
    expect(edit(now)).toEqual({ cooldownSeconds: 20, textsInTenSeconds: 7 });
    // Changed by another admin since it was opened for the first time: as before.
    expect(() => edit({ ...now, textsInTenSeconds: 3 })).toThrow(UserError);
  });

  it('takes a form that was sent twice: what it asks for holds already', async () => {
    const before = { blockedWords: ['one'] };
    const edit = await submitted(opened('blockedWords', before), { blockedWords: 'one\ntwo' });
    const once = edit(before);
    expect(edit(once)).toEqual(once);
  });

  it('takes blocked words as long as they can be kept, and says how long that is', async () => {
    const [longest, longer] = ['x'.repeat(50), 'x'.repeat(51)];
    const form = opened('blockedWords', {});
    expect((await submitted(form, { blockedWords: longest }))({})).toEqual({ blockedWords: [longest] });
    expect(serverSettingsSchema.safeParse({ blockedWords: [longest] }).success).toBe(true);
    const refused = await submitted(form, { blockedWords: longer }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect(render((refused as UserError).text)).toBe(
      `“${longer}”: A word can have up to 50 characters; this one has 51. Shorten it. Nothing was changed.`,
    );
    expect(serverSettingsSchema.safeParse({ blockedWords: [longer] }).success).toBe(false);
  });

  it('leaves alone what did not come back with it, and is over where it had other fields, as before an update', async () => {
    const typed = { voiceNamed: noVoices, emojiWords: noEmoji, localVoice: false };
    const before = { blockedWords: ['one'], blockedWordsExceptions: ['öne'] };
    const edit = await editOfForm('blockedWords', { blockedWords: 'two' }, typed);
    expect(edit(before)).toEqual({ blockedWords: ['two'], blockedWordsExceptions: ['öne'] });
    const over = await editOfForm('blockedWords abcdef', { blockedWords: 'one' }, typed).catch(
      (error: unknown) => error,
    );
    expect(over).toMatchObject({ text: { key: 'refused.over' } });
  });

  it('names the list that is too long', async () => {
    const typed = { blockedWordsExceptions: Array.from({ length: 301 }, (_, index) => `w${index}`).join() };
    const refused = await submitted(opened('blockedWords', {}), typed).catch((error: unknown) => error);
    expect(render((refused as UserError).text)).toBe(
      'Exceptions to blocked words: the maximum is 300. Nothing was changed.',
    );
  });

  it('names the blocked word that is refused among others', async () => {
    const refused = await submitted(opened('blockedWords', {}), { blockedWords: 'one, ab*, two' }).catch(
      (error) => error,
    );
    expect(render((refused as UserError).text)).toMatch(/^“ab\\\*”: With \*.+ Nothing was changed\.$/);
  });

  it('takes a * outside of the quotes for the one of the phrase in them', async () => {
    const edit = await submitted(opened('blockedWords', {}), { blockedWords: '"foo bar"*, *„so, so“\n«bad» *' });
    expect(edit({})).toEqual({ blockedWords: ['foo bar*', '*so, so', 'bad*'] });
  });

  it('takes quotes round an entry as those of a phrase, which are not to be found in texts, and shows it as it is read', async () => {
    const words = '"foo bar"\n „so, so“;  «x y» , it"s';
    const edit = await submitted(opened('blockedWords', {}), { blockedWords: words });
    const after = edit({});
    expect(after).toEqual({ blockedWords: ['foo bar', 'so, so', 'x y', 'it"s'] });
    const again = await submitted(opened('blockedWords', after), { blockedWords: 'foo bar\n"so, so"' });
    expect(again(after)).toEqual({ blockedWords: ['foo bar', 'so, so'] });
    expect(opened('blockedWords', after).fields).toMatchObject([
      { value: 'foo bar\n"so, so"\nx y\nit"s' },
      { value: '' },
    ]);
  });

  it('takes exceptions to the blocked words beside them, and refuses those that no text has', async () => {
    const form = opened('blockedWords', { blockedWords: ['schwul'] });
    const edit = await submitted(form, { blockedWords: 'schwul', blockedWordsExceptions: 'schwül, Möhre*' });
    expect(edit({ blockedWords: ['schwul'] })).toEqual({
      blockedWords: ['schwul'],
      blockedWordsExceptions: ['schwül', 'Möhre*'],
    });
    for (const [typed, problem] of [
      ['ok, 🍆', '“🍆”: Blocked words are found in the names that emoji are spoken with.'],
      ['ok, :eggplant:', '“:eggplant:”: Blocked words are found in the names'],
      ['f*ck', '“f\\*ck”: A \\* works only'],
      ['***', 'A word needs at least one letter'],
      ['as*', 'With \\*, a word needs at least 3 letters'],
      ['x'.repeat(51), 'this one has 51'],
    ] as const) {
      const refused = await submitted(form, { blockedWordsExceptions: typed }).catch((error: unknown) => error);
      expect(render((refused as UserError).text).replaceAll('\\*', '*'), typed).toContain(
        problem.replaceAll('\\*', '*'),
      );
    }
  });

  it('keeps the words that are too many to be shown', async () => {
    const blockedWords = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(40)}`);
    const form = opened('blockedWords', { blockedWords });
    const [field] = form.fields;
    const shown = field && 'value' in field ? (field.value ?? '') : '';
    expect(shown.length).toBeLessThanOrEqual(4_000);
    const after = (await submitted(form, { blockedWords: `new\n${shown}` }))({ blockedWords });
    expect(new Set(after.blockedWords)).toEqual(new Set(['new', ...blockedWords]));
  });

  it.each([
    ['12000', 12_000],
    ['12,000', 12_000],
    ['12.000', 12_000],
    ['12 000', 12_000],
    ['12\u00a0000', 12_000],
    ['12\u202f000', 12_000],
    ['12’000', 12_000],
    ['1,000,000,000', 1_000_000_000],
    ['1,234.5', 1_234.5],
    ['1.234,5', 1_234.5],
    ['12,5', 12.5],
    ['0.125', 0.125],
  ])('takes credits as the panel shows them, and as people write them: %s', async (typed, creditsPerServer) => {
    const edit = await submitted(opened('credits', {}), { creditsPerServer: typed });
    expect(edit({})).toEqual({ creditsPerServer });
  });

  it('has room for the largest number as the panel shows it', () => {
    const [field] = opened('credits', {}).fields;
    const room = field && 'maxLength' in field ? (field.maxLength ?? 0) : 0;
    const shown = render(text('setting.number', { value: SETTINGS_LIMITS.credits }));
    expect([shown, shown.length <= room]).toEqual(['1,000,000,000', true]);
  });

  it('takes a comma as a decimal one where there are no thousands', async () => {
    const edit = await submitted(opened('speechOptions', {}), { speed: '1,250', temperature: '0,7' });
    expect(edit({})).toMatchObject({ speed: 1.25, temperature: 0.7 });
  });

  it.each([
    ['texts', 'maxCharacters', '1.5', 'Maximum text length, in characters: enter a whole number from 1 to 4,000. '],
    ['texts', 'maxCharacters', '4,001', 'Maximum text length, in characters: enter a whole number from 1 to 4,000. '],
    ['texts', 'queueLimit', '1,000', 'Queue limit: enter a whole number from 1 to 100. '],
    ['pace', 'cooldownSeconds', 'many', 'enter a whole number of seconds from 0 to 86,400. '],
    ['times', 'idleSeconds', '-1', 'enter a whole number of seconds from 0 to 86,400. '],
    ['credits', 'creditsPerServer', '1,2,3', 'enter a number from 0 to 1,000,000,000. '],
    ['speechOptions', 'speed', '2', 'enter a number from 0.7 to 1.5. '],
  ])('says which numbers it takes: %s, %s=%s', async (form, field, typed, words) => {
    const refused = await submitted(opened(form, {}), { [field]: typed }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect(render((refused as UserError).text)).toContain(words);
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

  it('fits into a custom id with all its fields', () => {
    for (const name of [
      'defaultVoice',
      'speechOptions',
      'allowedVoices',
      'texts',
      'credits',
      'times',
      'blockedWords',
    ]) {
      expect(`settings-fill:${opened(name, {}).argument}`.length).toBeLessThanOrEqual(100);
    }
  });
});

describe('the form of voices by language', () => {
  const NAMED = ['aria', 'ivy'].map((name) => ({
    id: name,
    name,
    model: 'gpro',
    language: 'multiple',
    formats: ['wav'],
  }));
  const voiceNamed = async (asked: string) => {
    const { voice } = mustBeChosen(chooseVoice(NAMED, { asked }));
    return voice;
  };
  const typed = async (languageVoices: string) =>
    (await editOfForm('languageVoices', { languageVoices }, { voiceNamed, emojiWords: noEmoji, localVoice: false }))({})
      .languageVoices;

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
    const refused = await typed(line).catch((error: unknown) => error);
    expect(render((refused as UserError).text)).toBe(
      `“${line}” isn’t a language and a voice. Write one per line, such as “de: aria”.`,
    );
  });
});
