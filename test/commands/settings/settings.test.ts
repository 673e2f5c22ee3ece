import { describe, expect, it } from 'vitest';
import { exportSettings, importSettings } from '../../../src/commands/settings/settings.ts';
import { refusalOf } from '../scene.ts';

describe('importing settings', () => {
  it('takes back what was exported', async () => {
    const words = { blockedWords: ['schwul'], blockedWordsExceptions: ['schwül', 'Möhre*'] };
    const settings = { maxCharacters: 300, hushed: true, allowedRoles: ['1', '2'], language: 'de', ...words };
    expect(await importSettings(exportSettings(settings))).toEqual(settings);
  });

  it.each([
    [{ allowedRoles: [] }, 'at “settings.allowedRoles”'],
    [{ language: 'xx' }, 'at “settings.language”'],
    [{ blockedWords: ['fine', '🎉'] }, '“🎉”: Emoji are blocked by the words'],
    [{ blockedWords: ['fine', 'x'.repeat(55)] }, 'at “settings.blockedWords.1”'],
    [{ blockedWordsExceptions: ['f*ck'] }, 'A * works only at the start or end of a word.'],
    [{ color: 'red' }, 'at “settings.color”'],
  ])('says where a file is wrong: %j', async (settings, words) => {
    const file = JSON.stringify({ format: 'crier-settings-1', settings });
    expect(await refusalOf(() => importSettings(file))).toContain(words);
  });

  it('says that another file is none of settings', async () => {
    await expect(importSettings('rubbish')).rejects.toMatchObject({ text: { values: { where: 'nowhere' } } });
  });
});
