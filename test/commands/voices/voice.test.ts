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
  voices = [voiceOf('aria'), voiceOf('puck'), voiceOf('rex', { model: 'ext' })],
): CommandCall {
  const get = (name: string) => options[name] ?? null;
  const list = { voices, models: [], fetchedAtMs: 0 };
  const own = async ({ guildId }: { readonly guildId?: string }) => (guildId ? {} : everywhere);
  const change = async (_: unknown, edit: (before: object) => object) => ({ before: {}, after: edit({}) });
  const given = { getSubcommand: () => subcommand, getString: get, getNumber: get, getInteger: get };
  const blockedInStyle = async (style: string) =>
    style.includes('rascal') ? new BlockedWordError(text('blocked.style')) : undefined;
  const services = {
    members: settings ? { get: own, change, unreadable: async () => [] } : { get: hung, change: hung },
    settings: { get: settings ? async () => settings : hung, of: async () => rulesOf(settings ?? {}) },
    voices: { list: async () => list, refresh: async () => list },
    ...{ localVoice: true, texts: { blockedInStyle } },
  };
  return callOf({ options: given }, services);
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
    '%s says that the store does not answer, and does not guess',
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
    expect(await told({ speed: 1.2 })).toEqual([expect.stringContaining('What you saved for all servers stays')]);
  });

  it.each<[string, number | undefined, number]>([
    ['costs', 3, 17],
    ['was never billed', undefined, 17],
    ['is free', 0, 0],
  ])('set and show say what a style adds to every text, where the model %s', async (_, about, characters) => {
    const said = async (subcommand: string) => {
      const call = typed(subcommand, { style: 'in a whisper.' }, {});
      const spending = { estimateCredits: () => (about === undefined ? undefined : { about }) };
      Object.assign(call.services, { bot: { localVoice: false }, spending });
      if (subcommand === 'show')
        Object.assign(call.services.voices.members, { get: async () => ({ style: 'in a whisper.' }) });
      return wordsOf(call);
    };
    const told = `it adds ${characters} characters to every text`;
    expect((await said('set')).slice(2)).toEqual(characters > 0 ? [expect.stringContaining(told)] : []);
    const billed = characters > 0 ? `, billed as ${characters} characters with every text` : '';
    expect(await said('show')).toContain(`- style: “in a whisper.”${billed} (your setting for this server)`);
  });

  it('set offers the voice of the same name that takes a saved option which the present one ignores', async () => {
    const call = typed('set', { speed: 1.2 }, {}, {}, [voiceOf('aria'), voiceOf('aria', { id: 'fast', model: 'ext' })]);
    expect((await replyOf(voice, call)).rows).toMatchObject([[{ control: 'voice-mine', argument: 'fast' }]]);
  });

  it('set takes a name for the same voice whether or not one of another model is forced at the moment', async () => {
    const voices = ['gpro', 'ext'].flatMap((model) =>
      ['aria', 'puck'].map((name) => voiceOf(name, { id: `${name} ${model}`, model })),
    );
    for (const settings of [{}, { forcedVoice: { voiceId: 'aria ext', name: 'aria', model: 'ext' } }])
      expect(await wordsOf(typed('set', { voice: 'puck' }, settings, {}, voices))).toContain('- voice: puck (gpro)');
  });

  const instead = (words: string) => `-# On this server, ${words}.`;
  const isForbidden = 'puck (gpro) isn’t allowed in this server. See /voices for the voices you can use.';
  it.each<[string, ServerSettings, string[]]>([
    ['here', { forcedVoice: choiceOf('aria') }, [instead('aria (gpro) is used instead (forced in this server)')]],
    [
      'everywhere',
      { allowedModels: ['ext'] },
      [isForbidden, instead('rex (ext) is used instead (first voice allowed in this server)')],
    ],
    ['here', { defaultVoice: choiceOf('aria') }, []],
  ])('set says what speaks instead of what is saved %s in a server with %j', async (where, settings, words) => {
    expect((await wordsOf(typed('set', { voice: 'puck', where }, settings))).slice(2)).toEqual(words);
  });
});
