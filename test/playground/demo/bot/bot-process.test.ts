import { expect, it } from 'vitest';
import { SETTINGS } from '../../../../src/config/environment.ts';
import { SETTING_NAMES } from '../../../../src/playground/demo/bot/bot-process.ts';

it('a bot in a world of its own takes no setting from the installation on the same machine', () => {
  expect(Object.keys(SETTINGS).filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
});
