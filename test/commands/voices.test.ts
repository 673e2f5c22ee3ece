import { describe, expect, it } from 'vitest';
import type { CommandCall, Services } from '../../src/commands/command.ts';
import { voices } from '../../src/commands/voices.ts';
import { drawContent } from '../../src/discord/content.ts';
import { DEFAULT_RULES } from '../../src/services/server-rules.ts';
import type { Voice } from '../../src/services/speech/interface/schemas.ts';
import { replyOf } from './reply-of.ts';

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

function call(list: readonly Voice[], options: Readonly<Record<string, string>> = {}): CommandCall {
  const services = {
    voices: { list: async () => ({ voices: list, models: [], fetchedAtMs: 0 }), stale: false },
    rules: { of: async () => DEFAULT_RULES },
  } as unknown as Services;
  const interaction = {
    inCachedGuild: () => true,
    guildId: '9',
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
    expect(content).toContain('(gpro), en, takes a style\n');
    expect(content).toContain('(orpheus), en\n');
  });

  it('says so when the service has none', async () => {
    const reply = await replyOf(voices, call([]));
    expect(drawContent(reply, 'en-US').content).toContain('offers no voices at the moment');
  });
});
