import { InteractionContextType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Needs } from '../../src/commands/command.ts';
import { refusal, type Situation } from '../../src/commands/guards.ts';
import { text } from '../../src/texts/catalogue.ts';

const inServer: Situation = {
  context: InteractionContextType.Guild,
  callerChannelId: '1',
  occupiedElsewhere: false,
  mayMoveMembers: false,
};
const speak: Needs = { contexts: [InteractionContextType.Guild], voice: 'speak' };
const together: Needs = { contexts: [InteractionContextType.Guild], voice: 'together' };

describe('what a command needs', () => {
  it.each<[string, Needs, Partial<Situation>, string | undefined]>([
    ['all is well', speak, {}, undefined],
    ['a direct message', speak, { context: InteractionContextType.BotDM }, 'refused.server-only'],
    ['an unknown context', speak, { context: null }, 'refused.server-only'],
    ['a caller in no channel', speak, { callerChannelId: undefined }, 'refused.not-in-voice'],
    ['a channel the bot cannot speak in', speak, { obstacle: text('stop.nothing') }, 'stop.nothing'],
    ['a bot that others listen to', speak, { occupiedElsewhere: true, botChannelId: '2' }, 'refused.busy-elsewhere'],
    ['a bot that is nowhere', together, {}, undefined],
    ['a bot in the caller’s channel', together, { botChannelId: '1' }, undefined],
    ['a bot in another channel', together, { botChannelId: '2' }, 'refused.other-channel'],
    ['a moderator elsewhere', together, { botChannelId: '2', mayMoveMembers: true }, undefined],
  ])('%s', (_, needs, situation, expected) => {
    expect(refusal('say', needs, { ...inServer, ...situation })?.key).toBe(expected);
  });
});
