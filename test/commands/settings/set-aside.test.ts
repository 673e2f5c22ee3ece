import { describe, expect, it } from 'vitest';
import { drawSetAside, setAsideSettings } from '../../../src/commands/settings/set-aside.ts';
import { SETTING_NAMES } from '../../../src/services/servers/server-settings.ts';
import { render } from '../../../src/texts/catalogue.ts';

const words = (setAside: Parameters<typeof drawSetAside>[0], locale: string) =>
  drawSetAside(setAside)
    .flatMap((part) => (part.kind === 'text' ? part.lines.map((line) => render(line, locale)) : []))
    .join('\n');

describe('settings that were set aside', () => {
  it('are not mentioned where there are none, or where they hold again', () => {
    expect(setAsideSettings(undefined, {})).toBeUndefined();
    expect(setAsideSettings({ readable: { speed: 2 }, unreadable: [] }, { speed: 2 })).toBeUndefined();
  });

  it('are named, those that can be read by now apart, with a button to restore those alone', () => {
    const found = { readable: { speed: 2, blockedWords: ['a'] }, unreadable: ['allowedRoles', 'blockedWords'] };
    const setAside = setAsideSettings(found, { speed: 1 });
    expect(setAside).toEqual({ unreadable: ['allowedRoles', 'blockedWords'], readable: ['speed'] });
    if (!setAside) throw new Error('Nothing set aside');
    expect(words(setAside, 'en-US')).toMatch(
      /can’t read these settings: .*Blocked words.*\n.*but can be now: .*[Ss]peed/,
    );
    expect(JSON.stringify(drawSetAside(setAside))).toMatch(/settings-restore.*settings-discard/);
    const lost = setAsideSettings({ readable: undefined, unreadable: [''] }, {});
    if (!lost) throw new Error('Nothing set aside');
    expect(words(lost, 'de')).toContain('diese Einstellungen nicht lesen: alle Einstellungen.');
    expect(JSON.stringify(drawSetAside(lost))).not.toContain('settings-restore');
  });

  it('fit beside the rest of the page, however many they are', () => {
    for (const locale of ['en-US', 'de', 'es-ES']) {
      expect(words({ unreadable: [undefined, ...SETTING_NAMES], readable: [] }, locale).length).toBeLessThan(2_500);
    }
  });
});
