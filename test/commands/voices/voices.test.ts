import { describe, expect, it } from 'vitest';
import type { CommandCall, CompletionCall, Services } from '../../../src/commands/framework/command.ts';
import { voices } from '../../../src/commands/voices/voices.ts';
import { drawContent } from '../../../src/discord/replies/content.ts';
import type { UserError } from '../../../src/errors/user-errors.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/server-rules.ts';
import type { VoiceRules } from '../../../src/services/voices/voice-rules.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { render } from '../../../src/texts/catalogue.ts';
import { replyOf } from '../reply-of.ts';

const LANGUAGES = Array.from({ length: 60 }, (_, index) => `language-${index}`);

/** A catalogue as large as a service with cloned voices may have it, with names of the greatest length. */
function thousands(): Voice[] {
  return Array.from({ length: 5_000 }, (_, index) => ({
    id: `voice-${index}`,
    name: `${'n'.repeat(90)} ${index}`,
    model: ['gpro', 'gpro31', 'gpro38', 'ext', 'orpheus'][index % 5] as string,
    language: LANGUAGES[index % LANGUAGES.length] as string,
    formats: ['wav'],
    supports_style: index % 2 === 0,
  }));
}

function call(
  list: readonly Voice[],
  options: Readonly<Record<string, string>> = {},
  rules: VoiceRules = {},
): CommandCall {
  const services = {
    voices: { list: async () => ({ voices: list, models: [], fetchedAtMs: 0 }), stale: false },
    rules: { of: async () => ({ ...DEFAULT_RULES, ...rules }) },
  } as unknown as Services;
  const interaction = {
    inCachedGuild: () => true,
    guildId: '9',
    locale: 'en-US',
    options: { getString: (name: string) => options[name] ?? null },
  };
  return { interaction, services, signal: new AbortController().signal } as unknown as CommandCall;
}

describe('/voices', () => {
  it('fits thousands of voices into what Discord takes', async () => {
    const reply = await replyOf(voices, call(thousands()));
    const drawn = JSON.parse(JSON.stringify(drawContent(reply, 'en-US')));
    expect(drawn.content.length).toBeLessThanOrEqual(2_000);
    expect(drawn.content).toContain('5,000 voices to choose from');
    expect(drawn.content).toContain('Page 1 of 500');
    expect(drawn.components.length).toBeLessThanOrEqual(5);
    for (const row of drawn.components) {
      for (const component of row.components) {
        expect(component.custom_id.length).toBeLessThanOrEqual(100);
        expect((component.options ?? []).length).toBeLessThanOrEqual(25);
        const values = (component.options ?? []).map(({ value }: { value: string }) => value);
        expect(new Set(values).size).toBe(values.length);
      }
    }
  });

  it('says of the local voice that a name under several models is one voice', async () => {
    const shared = ['gpro', 'ext'].map((model) => ({ ...(thousands()[0] as Voice), id: model, model }));
    const lines = async (isLocal: boolean, list = shared) => {
      const asked = call(list);
      const services = { ...asked.services, localVoice: isLocal };
      return (await replyOf(voices, { ...asked, services })).lines.map((line) => render(line, 'en-US')).join('\n');
    };
    expect(await lines(true)).toContain('is one voice: the models differ in what they support');
    expect(await lines(false)).not.toContain('is one voice');
    expect(await lines(true, shared.slice(0, 1))).not.toContain('is one voice');
  });

  it('keeps a long search in its buttons as far as it fits', async () => {
    const reply = await replyOf(
      voices,
      call(thousands(), { search: 'n'.repeat(30), model: 'gpro', language: 'language-0' }),
    );
    expect(() => drawContent(reply, 'en-US')).not.toThrow();
  });

  it('says by its model whether a voice takes a style, where the list does not', async () => {
    const silent = ['gpro', 'orpheus'].map((model) => ({ id: model, name: model, model, language: 'en', formats: [] }));
    const { content } = drawContent(await replyOf(voices, call(silent)), 'en-US');
    expect(content).toContain('(gpro), en; supports style, temperature, seed\n');
    expect(content).toContain('(orpheus), en; supports seed\n');
  });

  /** Of three voices: one that speaks anything, and two kinds of English. */
  async function shown(options: Readonly<Record<string, string>>) {
    const list = [
      { id: '1', name: 'aria', model: 'gpro', language: 'multiple', formats: [] },
      { id: '2', name: 'ivy', model: 'orpheus', language: 'en-GB 🇬🇧', formats: [] },
      { id: '3', name: 'wren', model: 'orpheus', language: 'en-US 🇺🇸', formats: [] },
    ];
    const { content, components } = JSON.parse(
      JSON.stringify(drawContent(await replyOf(voices, call(list, options)), 'en-US')),
    );
    const [, languages] = components;
    const chosen = languages.components[0].options.filter((option: { default?: boolean }) => option.default);
    return { content, chosen: chosen.map(({ label }: { label: string }) => label) };
  }

  it('narrows down to a language that was typed, by voices of any language, too, and shows it in the menu', async () => {
    const ways: Readonly<Record<string, string>>[] = [{ language: 'german' }, { language: 'de' }, { search: 'german' }];
    for (const typed of ways) {
      const { content, chosen } = await shown(typed);
      expect(content).toMatch(/^1 matching voice:\n- \*\*aria/);
      expect(chosen).toEqual(['German']);
    }
    expect((await shown({ language: 'English' })).content).toContain('3 matching voices');
    expect((await shown({ search: 'english' })).content).toContain('3 matching voices');
    expect((await shown({ language: 'en-gb' })).content).toContain('2 matching voices');
    expect((await shown({ language: 'en-GB 🇬🇧' })).chosen).toEqual(['en-GB 🇬🇧 · British English']);
    expect((await shown({ search: 'aria', language: 'german' })).content).toContain('1 voice matches “aria”');
  });

  it('knows of a voice of many languages which ones, where the service names them', async () => {
    const list = [
      { id: '1', name: 'aria', model: 'gpro', language: 'multiple', languages: ['en', 'de', 'ja-Hrkt'], formats: [] },
      { id: '2', name: 'ivy', model: 'orpheus', language: 'en-GB 🇬🇧', languages: ['en'], formats: [] },
      { id: '3', name: 'kurt', model: 'gpro', language: 'multiple', languages: ['de'], formats: [] },
    ];
    const found = async (options: Readonly<Record<string, string>>) =>
      drawContent(await replyOf(voices, call(list, options)), 'en-US').content;
    expect(await found({})).toContain(
      '- **aria** (gpro), 3 languages; supports style, temperature, seed\n- **ivy** (orpheus), en-GB 🇬🇧; supports seed\n- **kurt** (gpro), Deutsch; supports style, temperature, seed\n',
    );
    expect(await found({ language: 'german' })).toMatch(/^2 matching voices:\n- \*\*aria/);
    expect(await found({ language: 'Japanese' })).toMatch(/^1 matching voice:\n- \*\*aria/);
    expect(await found({ language: 'Swahili' })).not.toContain('aria');
  });

  it('offers a language by its name, and the labels that hold what was typed', async () => {
    const long = `pl ${'*'.repeat(97)}`;
    const list = ['multiple', 'en-GB 🇬🇧', long].map((language) => ({
      id: language,
      name: 'a',
      model: 'm',
      language,
      formats: [],
    }));
    const offered = async (value: string) => {
      const { services } = call(list);
      const options = { getFocused: () => ({ name: 'language', value }) };
      return voices.complete?.({
        interaction: { locale: 'en-US', options, inCachedGuild: () => false },
        services,
      } as unknown as CompletionCall);
    };
    expect(await offered('')).toEqual([
      { name: 'en-GB 🇬🇧 · British English', value: 'en-GB 🇬🇧' },
      { name: 'multilingual', value: 'multiple' },
      { name: long, value: long },
    ]);
    expect(await offered('Engl')).toEqual([{ name: 'en-GB 🇬🇧 · British English', value: 'en-GB 🇬🇧' }]);
    for (const typed of ['English', 'en']) {
      expect(await offered(typed)).toEqual([
        { name: 'English', value: 'en' },
        { name: 'en-GB 🇬🇧 · British English', value: 'en-GB 🇬🇧' },
      ]);
    }
    expect(await offered('elvish')).toEqual([]);
  });

  it('says which filter leaves nothing, and refuses by its name what there is not', async () => {
    expect((await shown({ search: 'ivy', language: 'german' })).content).toContain('Some voices match “ivy”, but not');
    expect((await shown({ search: 'qqq', language: 'german' })).content).toContain('No voice matches “qqq”');
    expect((await shown({ search: 'qqq', model: 'orpheus', language: 'de' })).content).toContain('No voice matches.');
    const refusal = async (options: Readonly<Record<string, string>>) =>
      shown(options).then(String, (error: UserError) => render(error.text));
    expect(await refusal({ language: 'elvish' })).toContain('no language “elvish”');
    expect(await refusal({ model: 'gpro99' })).toContain('model “gpro99”');
  });

  it('says of a model that the server allows none of its voices, and does not offer it', async () => {
    const list = ['gpro', 'orpheus'].map((model) => ({ id: model, name: 'aria', model, language: 'en', formats: [] }));
    const rules = { allowedModels: ['gpro'] };
    await expect(replyOf(voices, call(list, { model: 'Orpheus' }, rules))).rejects.toMatchObject({
      text: { key: 'voices.model-not-allowed' },
    });
    const asked = call(list, {}, rules);
    const options = { getFocused: () => ({ name: 'model', value: '' }) };
    const interaction = { ...asked.interaction, options } as unknown as CompletionCall['interaction'];
    expect(await voices.complete?.({ ...asked, interaction })).toEqual([{ name: 'gpro', value: 'gpro' }]);
  });

  it('says so when the service has none', async () => {
    const reply = await replyOf(voices, call([]));
    expect(drawContent(reply, 'en-US').content).toContain('has no voices right now');
  });
});
