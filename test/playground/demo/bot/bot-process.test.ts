import { expect, it } from 'vitest';
import { SETTINGS } from '../../../../src/config/environment.ts';
import { UNCONFIGURED } from '../../../../src/playground/demo/bot/bot-process.ts';

/** The settings of every world, and those of the machine rather than of an installation. */
const SET_ELSEWHERE = ['DISCORD_TOKEN', 'DISCORD_API_URL', 'DATA_DIR', 'LOG_LEVEL', 'FFMPEG_BIN'];

it('a bot in a world of its own takes no setting from the installation on the same machine', () => {
  const known = new Set([...Object.keys(UNCONFIGURED), ...SET_ELSEWHERE]);
  expect(Object.keys(SETTINGS).filter((name) => !known.has(name))).toEqual([]);
});
