import { describe, expect, it } from 'vitest';
import type { CommandCall } from '../../../src/commands/framework/command.ts';
import { voice } from '../../../src/commands/voices/voice.ts';
import { StoreError, UserError } from '../../../src/errors/user-errors.ts';
import { rulesOf } from '../../../src/services/servers/admission.ts';
import type { ServerSettings, VoiceChoice } from '../../../src/services/servers/server-settings.ts';
import { BlockedWordError } from '../../../src/services/text/blocked-words.ts';
import { type PlainTextKey, text } from '../../../src/texts/catalog.ts';
import { callOf, linesOf, replyOf, voiceOf } from '../scene.ts';

const hung = () => Promise.reject(new StoreError('hung'));

const choiceOf = (name: string): VoiceChoice => ({ voiceId: name, name, model: 'gpro' });

/** `/voice …` of somebody with settings for all servers, in one with these; without any, the store does not answer. */
function typed(
  subcommand: string,
  options: Readonly<Record<string, unknown>> = {},
  settings?: ServerSettings,
  everywhere: object = {},
): CommandCall {
  const get = (name: string) => options[name] ?? null;
  const voices = [voiceOf('aria'), voiceOf('puck'), voiceOf('rex', { model: 'ext' })];
  const list = { voices, models: [], fetchedAtMs: 0 };
  const own = async ({ guildId }: { readonly guildId?: string }) => (guildId ? {} : everywhere);
  const change = async (_: unknown, edit: (before: object) => object) => ({ before: {}, after: edit({}) });
  const given = { getSubcommand: () => subcommand, getString: get, getNumber: get, getInteger: get };
  return callOf(
    { options: given },
    {
      members: settings ? { get: own, change, unreadable: async () => [] } : { get: hung, change: hung },
      settings: { get: settings ? async () => settings : hung, of: async () => rulesOf(settings ?? {}) },
      localVoice: true,
      voices: { list: async () => list, refresh: async () => list },
      texts: {
        blockedInStyle: async (style: string) =>
          style.includes('rascal') ? new BlockedWordError(text('blocked.style')) : undefined,
      },
    },
  );
}

const wordsOf = (call: CommandCall) => linesOf(voice, call);

describe('/voice', () => {
  it.each<[object, PlainTextKey]>([
    [{ speed: 1.6 }, 'speech.invalid-request'],
    [{ style: '   ' }, 'voice.set.nothing'],
  ])('refuses to keep %j before it defers, although Discord let it through', (options, key) => {
    expect(() => voice.begin(typed('set', { ...options }))).toThrow(new UserError(text(key)));
  });

  it('set keeps no style in which the server blocks a word', async () => {
    await expect(replyOf(voice, typed('set', { style: 'a rascal' }, {}))).rejects.toThrow(BlockedWordError);
  });

  it.each(['set', 'show', 'reset'])(
    '%s says that the store does not answer, instead of guessing',
    async (subcommand) => {
      await expect(replyOf(voice, typed(subcommand, { speed: 1.2 }))).rejects.toThrow(StoreError);
    },
  );

  it('show says that the name that was chosen is not used where it has a blocked word', async () => {
    const call = typed('show', {}, {});
    Object.assign(call.services.voices.members, { get: async () => ({ spokenName: 'Shivawn' }) });
    const blockedIn = async () => new BlockedWordError(text('blocked.refused', { rule: 'shivawn' }));
    Object.assign(call.services, { texts: { blockedIn } });
    expect(await wordsOf(call)).toContain(
      '- name, as it’s spoken: Shivawn (your setting for this server; not used here, since this server blocks a word in it)',
    );
  });

  it('reset that finds nothing says where there is something', async () => {
    const told = (own: object) => wordsOf(typed('reset', {}, {}, own));
    expect(await told({})).toEqual(['You have nothing to reset for this server.']);
    expect(await told({ speed: 1.2 })).toEqual([
      'You have nothing to reset for this server. What you saved for all servers stays: to reset it, choose that in the where option.',
    ]);
  });

  it.each<[string, number | undefined, number]>([
    ['costs', 3, 17],
    ['was never billed', undefined, 17],
    ['is free', 0, 0],
  ])(
    'set and show say how much a style adds to every text, where the voice’s model %s',
    async (_, about, characters) => {
      const said = async (subcommand: string) => {
        const call = typed(subcommand, { style: 'in a whisper.' }, {});
        const spending = { estimateCredits: () => (about === undefined ? undefined : { about }) };
        Object.assign(call.services, { bot: { localVoice: false }, spending });
        if (subcommand === 'show')
          Object.assign(call.services.voices.members, { get: async () => ({ style: 'in a whisper.' }) });
        return wordsOf(call);
      };
      expect((await said('set')).slice(2)).toEqual(
        characters > 0 ? [expect.stringContaining(`it adds ${characters} characters to every text`)] : [],
      );
      expect(await said('show')).toContain(
        `- style: “in a whisper.”${characters > 0 ? `, billed as ${characters} characters with every text` : ''} (your setting for this server)`,
      );
    },
  );

  it('set offers the voice of the same name that takes a saved option which the present one ignores', async () => {
    const call = typed('set', { speed: 1.2 }, {});
    const voices = [voiceOf('aria'), voiceOf('aria', { id: 'aria-fast', model: 'ext' })];
    Object.assign(call.services.voices, { list: async () => ({ voices, models: [], fetchedAtMs: 0 }) });
    expect((await replyOf(voice, call)).rows).toMatchObject([[{ control: 'voice-mine', argument: 'aria-fast' }]]);
  });

  it('set takes a name for the same voice whether or not one of another model is forced at the moment', async () => {
    const named = async (settings: ServerSettings) => {
      const call = typed('set', { voice: 'puck' }, settings);
      const voices = ['gpro', 'ext'].flatMap((model) =>
        ['aria', 'puck'].map((name) => voiceOf(name, { id: `${name} ${model}`, model })),
      );
      Object.assign(call.services.voices, { list: async () => ({ voices, models: [], fetchedAtMs: 0 }) });
      return (await wordsOf(call))[1];
    };
    expect(await named({})).toBe('- voice: puck (gpro)');
    expect(await named({ forcedVoice: { voiceId: 'aria ext', name: 'aria', model: 'ext' } })).toBe(
      '- voice: puck (gpro)',
    );
  });

  it.each<[string, string, ServerSettings, string[]]>([
    [
      'have chosen one instead of members’ own',
      'here',
      { forcedVoice: choiceOf('aria') },
      ['-# On this server, aria (gpro) is used instead (forced in this server).'],
    ],
    [
      'do not let it be used',
      'everywhere',
      { allowedModels: ['ext'] },
      [
        'puck (gpro) isn’t allowed in this server. See /voices for the voices you can use.',
        '-# On this server, rex (ext) is used instead (first voice allowed in this server).',
      ],
    ],
    ['have only chosen a default', 'here', { defaultVoice: choiceOf('aria') }, []],
  ])('set says what speaks where the admins %s', async (_, where, settings, words) => {
    expect((await wordsOf(typed('set', { voice: 'puck', where }, settings))).slice(2)).toEqual(words);
  });
});
