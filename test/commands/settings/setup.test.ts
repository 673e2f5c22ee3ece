import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { CommandCall, Services } from '../../../src/commands/framework/command.ts';
import { setup } from '../../../src/commands/settings/setup.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { render } from '../../../src/texts/catalogue.ts';
import { replyOf } from '../reply-of.ts';

it('the set-up goes on without the voices while the speech service does not answer', async () => {
  const call = {
    interaction: { guildId: '2', inCachedGuild: () => true },
    services: {
      localVoice: false,
      settings: { get: async () => ({}) },
      spending: { ownerLimits: { total: 3, perServer: 2, perMember: 1 } },
      voices: {
        list: async () => {
          throw new SpeechError({ kind: 'unavailable', message: 'out of order' });
        },
      },
      log: pino({ level: 'silent' }),
    },
  } as unknown as CommandCall<keyof Services>;
  const reply = await replyOf(setup, call);
  expect(reply.lines.map((line) => render(line)).join('\n')).toContain('The speech service is down');
  expect(JSON.stringify(reply.rows)).toContain('"argument":"people"');
});
