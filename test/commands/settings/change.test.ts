import { expect, it } from 'vitest';
import { changeLines } from '../../../src/commands/settings/change.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { render } from '../../../src/texts/catalog.ts';
import { panelOf } from '../scene.ts';

it('changed settings are told with the blocked words that there were; a list in another order is the same', () => {
  const changed = (before: ServerSettings, after: ServerSettings) =>
    changeLines(before, after, panelOf().services).map((line) => render(line, 'en-US'));
  const before = { blockedWords: ['heck', 'darn'] };
  expect(changed(before, { blockedWords: ['heck'] })).toEqual(['Blocked words: now 1 word (was heck and darn).']);
  expect(changed({ allowedChannels: ['1', '2'] }, { allowedChannels: ['2', '1'] })).toEqual(['Nothing changed.']);
});
