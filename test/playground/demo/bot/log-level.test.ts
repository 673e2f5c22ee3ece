import { describe, expect, it } from 'vitest';
import { isLogged, levelToFollow } from '../../../../src/playground/demo/bot/log-level.ts';

describe("the level of the bot's log", () => {
  it.each([
    [undefined, 'debug'],
    ['', 'debug'],
    ['info', 'debug'],
    ['silent', 'debug'],
    ['Error ', 'debug'],
    ['trace', 'trace'],
    // Refused by the bot, in its words.
    ['loud', 'loud'],
  ])('%s runs the bot at one by which the demo can follow it: %s', (chosen, level) => {
    expect(levelToFollow(chosen)).toBe(level);
  });

  it('decides which lines are written', () => {
    const levels = (chosen: string | undefined) =>
      [20, 30, 40, 50, 60].filter((level) => isLogged({ level, msg: 'x' }, chosen));
    expect(levels(undefined)).toEqual([20, 30, 40, 50, 60]);
    expect(levels('Warn')).toEqual([40, 50, 60]);
    expect(levels('silent')).toEqual([]);
  });

  it('holds back no crash report, which has none', () => {
    expect(isLogged({ msg: 'Error: out of memory' }, 'silent')).toBe(true);
  });
});
