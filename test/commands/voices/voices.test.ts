import { describe, expect, it } from 'vitest';
import type { CommandCall, ControlCall } from '../../../src/commands/framework/command.ts';
import { tags, voices } from '../../../src/commands/voices/voices.ts';
import { drawContent } from '../../../src/discord/replies/layout.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/admission.ts';
import type { VoiceRules } from '../../../src/services/voices/preferences.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { render, type Text } from '../../../src/texts/catalog.ts';
import { callOf, controlOf, linesOf, replyOf, voiceOf } from '../scene.ts';

const LANGUAGES = Array.from({ length: 60 }, (_, index) => `language-${index}`);

/** A catalog as large as a service with cloned voices may have it, with names of the greatest length. */
function thousands(): Voice[] {
  return Array.from({ length: 5_000 }, (_, index) =>
    voiceOf(`${'n'.repeat(90)} ${index}`, {
      id: `voice-${index}`,
      model: ['gpro', 'gpro31', 'gpro38', 'ext', 'orpheus'][index % 5] as string,
      language: LANGUAGES[index % LANGUAGES.length] as string,
      supports_style: index % 2 === 0,
    }),
  );
}

function call(list: readonly Voice[], search = '', rules: VoiceRules = {}, locale = 'en-US'): CommandCall {
  const services = {
    voices: { list: async () => ({ voices: list, models: [], fetchedAtMs: 0 }), stale: false },
    members: { get: async () => ({}) },
    settings: { of: async () => ({ ...DEFAULT_RULES, ...rules }) },
  };
  return callOf({ locale, options: { getString: (name: string) => (name === 'search' && search) || null } }, services);
}

describe('/voices', () => {
  it('fits thousands of voices into what Discord takes', async () => {
    const reply = await replyOf(voices, call(thousands()));
    const drawn = JSON.parse(JSON.stringify(drawContent(reply, 'en-US', new Map())));
    expect(drawn.content.length).toBeLessThanOrEqual(2_000);
    expect(drawn.content).toContain('5,000 voices to choose from');
    expect(drawn.content).toContain('Page 1 of 500');
    expect(drawn.components.length).toBeLessThanOrEqual(5);
    for (const row of drawn.components) {
      for (const { custom_id: customId, options = [] } of row.components) {
        expect(customId.length).toBeLessThanOrEqual(100);
        expect(options.length).toBeLessThanOrEqual(25);
        expect(new Set(options.map(({ value }: { value: string }) => value)).size).toBe(options.length);
      }
    }
  });

  it('lists voices of a known sound by it, one of each name, and finds them by it in two languages', async () => {
    const voice = { language: 'multiple', languages: ['en', 'de'], formats: [], accent: 'American' };
    const list: Voice[] = [
      { ...voice, id: '1', name: 'aria', model: 'ext', gender: 'female' },
      { ...voice, id: '2', name: 'aria', model: 'gpro', gender: 'female', isVariant: true },
      { ...voice, id: '3', name: 'bob', model: 'ext', gender: 'male', accent: 'Klingon' },
      { ...voice, id: '4', name: 'bob', model: 'gpro', gender: undefined, accent: undefined },
      { ...voice, id: '5', name: 'bob', model: 'kokoro', gender: 'male', accent: 'Klingon', isVariant: true },
    ];
    const lines = async (search: string, locale: string) => {
      const lines = await linesOf(voices, call(list, search, {}, locale), locale);
      return lines.filter((line) => line.startsWith('- '));
    };
    const bob = '- **bob** · male, Klingon';
    const enginesBob = '- **bob (kokoro)** · male, Klingon';
    expect(await lines('', 'en-US')).toEqual([
      '- **aria** · female, American',
      bob,
      '- **bob** (gpro), 2 languages; supports style, temperature, and seed',
      enginesBob,
    ]);
    expect(await lines('gpro', 'en-US')).toContain('- **aria (gpro)** · female, American');
    expect(await lines('male', 'en-US')).toEqual([bob, enginesBob]);
    expect(await lines('weiblich', 'de')).toEqual(['- **aria** · weiblich, amerikanisch']);
    expect(await lines('estadounidense', 'es-ES')).toEqual(['- **aria** · femenina, estadounidense']);
  });

  it('keeps a long search in its buttons', async () => {
    const reply = await replyOf(voices, call(thousands(), 'n'.repeat(60)));
    expect(() => drawContent(reply, 'en-US', new Map())).not.toThrow();
    expect(JSON.stringify(reply.rows)).toContain(`"argument":"1|${'n'.repeat(60)}"`);
  });

  const shownOf = async (...given: Parameters<typeof call>) =>
    drawContent(await replyOf(voices, call(...given)), 'en-US', new Map()).content;

  it('finds by name, by model, and by language, voices of any language, too, and of many where the service names them', async () => {
    const list = [
      { id: '1', name: 'aria', model: 'gpro', language: 'multiple', languages: ['en', 'de', 'ja-Hrkt'], formats: [] },
      { id: '2', name: 'ivy', model: 'orpheus', language: 'en-GB 🇬🇧', languages: ['en'], formats: [] },
      { id: '3', name: 'kurt', model: 'gpro', language: 'multiple', languages: ['de'], formats: [] },
    ];
    expect(await shownOf(list)).toContain(
      '- **aria** (gpro), 3 languages; supports style, temperature, and seed\n- **ivy** (orpheus), en-GB 🇬🇧; supports seed\n- **kurt** (gpro), Deutsch; supports style, temperature, and seed\n',
    );
    for (const german of ['german', 'de'])
      expect(await shownOf([...list, voiceOf('wren')], german)).toMatch(/^3 voices match “\w+”:\n- \*\*aria/);
    expect(await shownOf(list, 'Japanese')).toMatch(/^1 voice matches “Japanese”:\n- \*\*aria/);
    expect(await shownOf(list, 'Swahili')).not.toContain('aria');
    expect(await shownOf(list, 'en-gb')).toContain('2 voices match');
    expect(await shownOf(list, 'orpheus')).toMatch(/^1 voice matches “orpheus”:\n- \*\*ivy/);
    expect(await shownOf(list, 'orpheus', { allowedModels: ['gpro'] })).toContain('No voice matches “orpheus”');
  });

  it('plays voices in a row only if speech is free, also by a button of before', async () => {
    const listen = controlOf(voices, 'voices-listen');
    const paid = call([{ id: '1', name: 'aria', model: 'gpro', language: 'en', formats: [] }]);
    const pressed = async () => replyOf(listen, { ...paid, argument: '0|' } as unknown as ControlCall);
    await expect(pressed).rejects.toMatchObject({ text: { key: 'refused.over' } });
  });

  it('says so when the service has none', async () => {
    expect(await shownOf([])).toContain('has no voices right now');
  });
});

it.each([
  ['gpro', 'ext', 'Voices of ext', 'left'],
  ['gpro', 'orpheus', 'the style option', 'left'],
  ['cloud', 'orpheus', 'the style option', 'read'],
])(
  '/tags names the models whose voices have them, if any, where the voice of %s has none: %s',
  async (model, other, advice, read) => {
    const listed = [voiceOf('aria', { model }), voiceOf('rex', { model: other })];
    const { lines } = await replyOf(tags, call(listed));
    expect(lines).toMatchObject([{ key: 'tags.none', values: { tags: read } }]);
    expect(render(lines[0] as Text)).toContain(advice);
  },
);
