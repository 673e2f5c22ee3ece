import { InteractionContextType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { guardRefusal, type Situation } from '../../../../src/commands/framework/checks/guards.ts';
import type { Needs } from '../../../../src/commands/framework/command.ts';
import { render } from '../../../../src/texts/catalogue.ts';

const inServer: Situation = {
  context: InteractionContextType.Guild,
  callerChannelId: '1',
  mayMoveMembers: false,
};
const nothing: Needs = { contexts: [InteractionContextType.Guild] };
const together: Needs = { contexts: [InteractionContextType.Guild], voice: 'together' };

describe('what a command needs', () => {
  it.each<[string, Needs, Partial<Situation>, string | undefined]>([
    ['all is well', nothing, {}, undefined],
    ['a direct message', nothing, { context: InteractionContextType.BotDM }, 'refused.server-only'],
    ['an unknown context', nothing, { context: null }, 'refused.server-only'],
    ['a bot in another channel that needs nobody', nothing, { botChannelId: '2' }, undefined],
    [
      'a caller in no channel, of a bot in one',
      together,
      { callerChannelId: undefined, botChannelId: '2' },
      'refused.other-channel',
    ],
    ['a bot that is nowhere', together, {}, undefined],
    ['a bot in the caller’s channel', together, { botChannelId: '1' }, undefined],
    ['a bot in another channel', together, { botChannelId: '2' }, 'refused.other-channel'],
    ['a moderator elsewhere', together, { botChannelId: '2', mayMoveMembers: true }, undefined],
  ])('%s', (_, needs, situation, expected) => {
    expect(guardRefusal('say', needs, { ...inServer, ...situation })?.key).toBe(expected);
  });

  it('is told by the name of a command, and without one of a button', () => {
    const apart = { ...inServer, botChannelId: '2' };
    const words = (command?: string) => {
      const refused = guardRefusal(command, together, apart);
      return refused && render(refused);
    };
    expect(words('stop')).toBe('The bot is in <#2>. Join it there to use /stop.');
    expect(words()).toBe('The bot is in <#2>. Join it there, then try again.');
  });
});
