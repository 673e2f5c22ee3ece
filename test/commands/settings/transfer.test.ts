import { describe, expect, it } from 'vitest';
import { exportSettings, withReplaced } from '../../../src/commands/settings/settings-file.ts';
import { importFile, importSettings, missingVoicesLines } from '../../../src/commands/settings/transfer.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { render } from '../../../src/texts/catalogue.ts';

const emojiWords = async () => ['party popper'];

/** What is said of a file with these settings, in a language. */
async function refusalOf(settings: object, locale = 'en-US'): Promise<string> {
  try {
    await importSettings(JSON.stringify({ format: 'crier-settings-1', settings }), emojiWords);
  } catch (error) {
    if (error instanceof UserError) return render(error.text, locale);
    throw error;
  }
  throw new Error('Nothing was said against it');
}

describe('importing settings', () => {
  it('takes back what was exported', async () => {
    const words = { blockedWords: ['schwul'], blockedWordsExceptions: ['schwül', 'Möhre*'] };
    const settings = { maxCharacters: 300, hushed: true, allowedRoles: ['1', '2'], language: 'de', ...words };
    expect(await importSettings(exportSettings(settings), emojiWords)).toEqual(settings);
  });

  it.each([
    [{ maxCharacters: 'many' }, 'at “settings.maxCharacters”: the value has the wrong type.'],
    [{ maxCharacters: 0 }, 'at “settings.maxCharacters”: it must be at least 1.'],
    [{ maxCharacters: 99_999 }, 'at “settings.maxCharacters”: it must be at most 4,000.'],
    [{ style: 'x'.repeat(201) }, 'at “settings.style”: it must be at most 200 characters long.'],
    [{ allowedRoles: [] }, 'at “settings.allowedRoles”: it can’t be empty; leave it out instead.'],
    [{ autoReadNames: 'often' }, 'it must be one of “always”, “on-change”, “never”.'],
    [{ language: 'xx' }, 'at “settings.language”: it must be one of “en-US”, “es-ES”, “de”.'],
    [{ blockedWords: ['fine', '🎉'] }, '“🎉”: 🎉 is spoken here as “party popper”. Block that instead.'],
    [{ blockedWordsExceptions: ['f*ck'] }, 'A * works only at the start or end of a word.'],
    [{ colour: 'red' }, 'at “settings.colour”: there is no such setting.'],
  ])('says where a file is wrong, and what is: %j', async (settings, words) => {
    expect(await refusalOf(settings)).toContain(words);
  });

  it('puts what is possible into the quotation marks of the language', async () => {
    const words = {
      de: 'möglich sind „always“, „on-change“, „never“.',
      'es-ES': 'uno de “always”, “on-change”, “never”.',
    };
    for (const [locale, told] of Object.entries(words)) {
      expect(await refusalOf({ autoReadNames: 'often' }, locale)).toContain(told);
    }
  });

  it.each(['[{"from":"gif","to":"jif"}]', '{"gif":"jif"}', 'gif\tjif\n'])(
    'names a dictionary for what it is: %j',
    async (file) => {
      await expect(importFile(file, emojiWords)).rejects.toMatchObject({
        text: { key: 'settings.import-dictionary' },
      });
    },
  );

  it.each([
    ['rubbish', 'settings.import-not-json'],
    ['[]', 'settings.import-other'],
    ['"settings"', 'settings.import-other'],
    ['{"format":"crier-settings-1","settings":{"hushed":"x"}}', 'settings.import-wrong'],
  ])('says what is wrong with a file that is neither: %j', async (file, key) => {
    await expect(importFile(file, emojiWords)).rejects.toMatchObject({ text: { key } });
  });

  it('says so in the language of whoever sent it', async () => {
    expect(await refusalOf({ maxCharacters: 99_999 }, 'de')).toContain('der Wert darf höchstens 4.000 sein');
    expect(await refusalOf({ maxCharacters: 99_999 }, 'es-ES')).toContain('tiene que ser como máximo 4000');
  });
});

describe('voices in an imported file', () => {
  const choice = (voiceId: string) => ({ voiceId, name: voiceId, model: 'gpro' });
  const settings = {
    maxCharacters: 300,
    defaultVoice: choice('aria'),
    forcedVoice: choice('gone'),
    languageVoices: [{ ...choice('lost'), language: 'de' }],
    allowedVoices: [choice('aria'), choice('gone')],
  };
  const services = (listed: readonly string[], newer = listed) =>
    ({
      log: { info: () => undefined },
      voices: {
        list: async () => ({ voices: listed.map((id) => ({ id, model: 'gpro' })) }),
        refresh: async () => ({ voices: newer.map((id) => ({ id, model: 'gpro' })) }),
      },
    }) as unknown as Parameters<typeof missingVoicesLines>[1];

  const told = async (...given: Parameters<typeof missingVoicesLines>) =>
    (await missingVoicesLines(...given)).map((line) => render(line));

  it('that are not there are named, with the settings they are in', async () => {
    expect(await told(settings, services(['aria']))).toEqual([
      '⚠️ Imported, but not available right now: lost (gpro), gone (gpro). See Voices by language, Force one voice, Allowed voices.',
    ]);
  });

  it('are named together with models that are not there', async () => {
    const allowedModels = ['gpro', 'gpru'];
    expect(await told({ allowedModels, forcedVoice: choice('gone') }, services(['aria']))).toEqual([
      '⚠️ Imported, but not available right now: gpru, gone (gpro). See Force one voice, Allowed models.',
    ]);
    expect(await told({ allowedModels: ['gpro'] }, services(['aria']))).toEqual([]);
  });

  it('are not named that are newer than the list, or while the service lists none', async () => {
    expect(await told(settings, services(['aria'], ['aria', 'gone', 'lost']))).toEqual([]);
    expect(await told(settings, services([]))).toEqual([]);
    expect(await told(settings, services(['aria'], []))).toEqual([]);
  });
});

it('an import that changes nothing gives nothing back', () => {
  const reply = { lines: [] };
  const settings = { allowedChannels: ['1', '2'] };
  expect(withReplaced(reply, { before: settings, after: { allowedChannels: ['2', '1'] } })).toBe(reply);
  expect(withReplaced(reply, { before: settings, after: {} }).also?.files).toHaveLength(1);
});
