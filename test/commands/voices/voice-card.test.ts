import { describe, expect, it } from 'vitest';
import type { ControlCall } from '../../../src/commands/framework/command.ts';
import { voices } from '../../../src/commands/voices/voices.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { rulesOf } from '../../../src/services/servers/admission.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import type { OwnSettings } from '../../../src/services/voices/voices.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { render, type Text } from '../../../src/texts/catalog.ts';
import { callOf, controlOf, linesOf, replyOf, voiceOf } from '../scene.ts';

/** A button or select for this voice, pressed in a server with these settings. */
function pressed(
  name: string,
  settings: ServerSettings = {},
  {
    isAtHand = false,
    about = undefined as number | undefined,
    localVoice = false,
    own = {} as OwnSettings,
    managesServer = false,
    more = [] as readonly Voice[],
    listed = {} as Partial<Voice>,
  } = {},
) {
  const made: unknown[] = [];
  let kept = own;
  const all = [voiceOf('aria'), voiceOf(name, listed), ...more];
  const change = async (_: unknown, edit: (before: ServerSettings) => ServerSettings) => ({
    before: settings,
    after: edit(settings),
  });
  const services = {
    voices: { list: async () => ({ voices: all, models: [], fetchedAtMs: 0 }) },
    settings: { of: async () => rulesOf(settings), get: async () => settings, change },
    members: {
      get: async ({ guildId }: { guildId?: string }) => (guildId === undefined ? {} : kept),
      async change(_: unknown, edit: (before: OwnSettings) => OwnSettings) {
        const before = kept;
        kept = edit(before);
        return { before, after: kept };
      },
    },
    localVoice,
    spending: { estimateCredits: () => (about === undefined ? undefined : { about }) },
    synthesizer: {
      recall: async () => [{ kind: isAtHand ? 'at-hand' : 'to-buy' }],
      billedTexts: ({ input }: { input: string }) => [{ model: 'gpro', characters: input.length }],
      async voiceMessage(request: unknown) {
        made.push(request);
        return { facts: { creditsUsed: 0, cached: true } };
      },
    },
  };
  const interaction = { memberPermissions: { has: () => managesServer } };
  return { call: callOf<ControlCall>(interaction, services, { argument: name, values: [name] }), made };
}

const controlNamed = (name: string) => controlOf(voices, name);
const wordsOf = (name: string, { call }: ReturnType<typeof pressed>) => linesOf(controlNamed(name), call);

describe('a voice that admins do not let be used', () => {
  it('is not made to speak by a made-up id', async () => {
    const { call, made } = pressed('puck', { allowedModels: ['ext'] });
    await expect(replyOf(controlNamed('voice-preview'), call)).rejects.toThrow(UserError);
    expect(made).toEqual([]);
    const allowed = pressed('puck', { allowedModels: ['gpro'] });
    await replyOf(controlNamed('voice-preview'), allowed.call);
    expect(allowed.made).toHaveLength(1);
  });

  it('is no server’s default', async () => {
    const { call } = pressed('puck', { allowedModels: ['ext'] }, { managesServer: true });
    await expect(replyOf(controlNamed('voice-default'), call)).rejects.toThrow('refused.voice-not-allowed');
  });

  it('is kept as one’s own with the words that another one speaks here', async () => {
    const kept = pressed('rex', { allowedModels: ['gpro'] }, { listed: { model: 'ext' } });
    expect(await wordsOf('voice-mine', kept)).toEqual([
      'Your voice in this server is now rex (ext).',
      'rex (ext) isn’t allowed in this server. See /voices for the voices you can use.',
      '-# On this server, aria (gpro) is used instead (bot default).',
    ]);
  });
});

it('a saved speed that the voice ignores is named once, when the voice becomes one’s own', async () => {
  const other = voiceOf('puck', { id: 'id-fast', model: 'ext' });
  const { call } = pressed('puck', {}, { own: { speed: 1.3 }, more: [other] });
  const { lines, rows } = await replyOf(controlNamed('voice-mine'), call);
  expect(lines.map((line) => render(line))).toEqual([
    'Your voice in this server is now puck (gpro).',
    '-# puck (gpro) ignores speed, but puck (ext) doesn’t.',
  ]);
  expect(rows).toMatchObject([[{ control: 'voice-mine', argument: 'id-fast' }]]);
});

describe('what the service says of a voice', () => {
  it('is shown as words, without effect as Markdown, and shortly', async () => {
    const formats = ['[C](https://e.io)', ...Array.from({ length: 40 }, (_, index) => `format${index}`)];
    const [card = ''] = await wordsOf('voice-card', pressed('puck', {}, { listed: { formats } }));
    expect(card).toContain('Formats: \\[C](https://e.io), format0,');
    expect(card).toContain('and format10\n');
  });

  it.each([
    { model: 'gpro', styles: true, options: 'style, temperature, and seed' },
    { model: 'ext', styles: undefined, options: 'speed and tags' },
    { model: 'piper', styles: false, options: 'unknown' },
  ])('holds of its style, and its model’s rules hold of other options ($model, $styles)', async (listed) => {
    const { model, styles, options } = listed;
    const [card] = await wordsOf('voice-card', pressed('puck', {}, { listed: { model, supports_style: styles } }));
    expect(card?.split('\n').at(-1)).toBe(`Options: ${options}`);
  });
});

it.each([
  [{}, 'Listen (53 characters billed)'],
  [{ about: 53.2 }, 'Listen (about 53 credits)'],
  [{ about: 53.2, isAtHand: true }, 'Listen'],
  [{ about: 53.2, localVoice: true }, 'Listen'],
])('a sample’s price stands on its button, where it has one: %j', async (price, label) => {
  const { rows = [] } = await replyOf(controlNamed('voice-card'), pressed('puck', {}, price).call);
  const [first] = rows.flat();
  expect(first && 'label' in first && render(first.label as Text)).toBe(label);
});
