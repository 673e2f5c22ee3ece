import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { CommandCall } from '../../src/commands/command.ts';
import { voice } from '../../src/commands/voice.ts';
import { UserError } from '../../src/errors.ts';
import { DEFAULT_RULES } from '../../src/services/server-rules.ts';
import { StoreError } from '../../src/services/store.ts';
import { render } from '../../src/texts/catalogue.ts';
import { replyOf } from './reply-of.ts';

const hung = () => Promise.reject(new StoreError('hung'));

/** `/voice …` of somebody whose store does not answer. */
function typed(subcommand: string, options: Readonly<Record<string, unknown>> = {}): CommandCall {
  const get = (name: string) => options[name] ?? null;
  const aria = { id: '1', name: 'aria', model: 'gpro', language: 'multiple', formats: ['wav'], supports_style: true };
  const list = { voices: [aria], models: [], fetchedAtMs: 0 };
  return {
    interaction: {
      guildId: '9',
      inCachedGuild: () => true,
      user: { id: '7' },
      options: { getSubcommand: () => subcommand, getString: get, getNumber: get, getInteger: get },
    },
    services: {
      log: pino({ level: 'silent' }),
      members: { get: hung, change: hung },
      settings: { get: hung },
      rules: { of: async () => DEFAULT_RULES },
      voices: { list: async () => list, refresh: async () => list },
    },
    signal: new AbortController().signal,
  } as unknown as CommandCall;
}

describe('/voice', () => {
  it.each([
    [{ speed: 1.6 }, 'The option speed goes from 0.7 to 1.5. Choose a number in between.'],
    [{ temperature: 2.5 }, 'The option temperature goes from 0 to 2. Choose a number in between.'],
    [{ style: '   ' }, 'Say what to keep: a voice, a style, a speed or a temperature.'],
    [{}, 'Say what to keep: a voice, a style, a speed or a temperature.'],
  ])('refuses to keep %j before it defers, although Discord let it through', (options, words) => {
    let refused: unknown;
    try {
      voice.begin(typed('set', options));
    } catch (error) {
      refused = error;
    }
    if (!(refused instanceof UserError)) throw new Error('It should have been refused', { cause: refused });
    expect(render(refused.text)).toBe(words);
  });

  it.each(['set', 'show', 'reset'])(
    '%s says that the store does not answer, instead of guessing',
    async (subcommand) => {
      await expect(replyOf(voice, typed(subcommand, { speed: 1.2 }))).rejects.toThrow(StoreError);
    },
  );
});
