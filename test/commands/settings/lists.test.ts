import { describe, expect, it } from 'vitest';
import { leavingVoice, withPicked } from '../../../src/commands/settings/panel-controls.ts';
import { importSettings } from '../../../src/commands/settings/transfer.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { render } from '../../../src/texts/catalog.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `${100 + index}`);

describe('a list that a menu of the settings shows', () => {
  it('is what was picked', () => {
    expect(withPicked(['1', '2'], ['2', '3'])).toEqual(['2', '3']);
    expect(withPicked(undefined, [])).toBeUndefined();
  });

  it('keeps those that are too many for the menu', () => {
    const muted = ids(60);
    expect(withPicked(muted, muted.slice(1, 25))).toEqual(muted.slice(1));
    expect(withPicked(muted, [])).toEqual(muted.slice(25));
  });

  it('has nobody twice', () => {
    const muted = ids(30);
    expect(withPicked(muted, ['129'])).toEqual(['129', ...muted.slice(25, 29)]);
  });
});

describe('allowed models without a voice', () => {
  const voices = [{ id: '1', name: 'aria', model: 'gpro', language: 'multiple', formats: ['wav'] }];
  const refused = (settings: ServerSettings, locale?: string) => {
    try {
      leavingVoice(settings, voices);
    } catch (error) {
      if (error instanceof UserError) return render(error.text, locale);
    }
    return '';
  };

  it('are refused', () => {
    expect(refused({ allowedModels: ['ext'] })).toBe(
      'Nothing was changed, because no voice would be left: no voice has one of the allowed models (ext). Choose others, or leave the list empty to allow all.',
    );
    expect(refused({ allowedModels: ['ext'] }, 'de')).toContain('Keine Stimme hat eines der erlaubten Modelle (ext).');
    expect(refused({ allowedModels: ['gpro'] })).toBe('');
  });
});

describe('imported blocked words', () => {
  it.each(['*', 'a*', 'x'.repeat(55)])('are refused where they could not be typed: %s', async (word) => {
    const file = JSON.stringify({ format: 'crier-settings-1', settings: { blockedWords: ['fine', word] } });
    await expect(importSettings(file, async () => [])).rejects.toThrow(UserError);
  });
});
