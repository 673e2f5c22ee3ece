import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { CompletionCall } from '../../../src/commands/framework/command.ts';
import { completeVoice } from '../../../src/commands/voice-options/voice-option.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/server-rules.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { servicesOf } from '../services.ts';

function voice(id: string, name = id): Voice {
  return { id, name, model: 'gpro', language: 'multiple', formats: ['wav'], supports_style: true };
}

function offered(voices: readonly Voice[], settings: () => Promise<object> = async () => ({})) {
  const services = servicesOf({
    // A service that hangs while its list is made anew.
    voices: { known: () => ({ voices, models: [], fetchedAtMs: 0 }), list: () => new Promise(() => undefined) },
    settings: { get: settings, of: async () => DEFAULT_RULES },
    members: { get: async () => ({}) },
    log: pino({ level: 'silent' }),
  });
  const interaction = { guildId: '9', inCachedGuild: () => true, user: { id: '7' }, options: { getFocused: () => '' } };
  return completeVoice({ interaction, services } as unknown as CompletionCall);
}

it('offers no voice whose id Discord would refuse together with all the others', async () => {
  const choices = await offered([voice('aria'), voice('x'.repeat(101)), voice('y'.repeat(100))]);
  expect(choices.map(({ value }) => value)).toEqual(['aria', 'y'.repeat(100)]);
});

it('offers a voice whose name is too long for Discord by its id, which is understood', async () => {
  const [choice] = await offered([voice('long', `${'n'.repeat(99)}😀`)]);
  expect(choice?.name).toBe('long');
});

it('offers voices although neither the service nor the store answers', async () => {
  expect(await offered([voice('aria')], () => Promise.reject(new Error('hung')))).toHaveLength(1);
});
