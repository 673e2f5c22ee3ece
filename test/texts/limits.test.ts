import { ApplicationCommandOptionType, type RESTPostAPIChatInputApplicationCommandsJSONBody } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { entryForm } from '../../src/commands/dictionary/dictionary.ts';
import { toCommandBody } from '../../src/commands/framework/options.ts';
import { commands } from '../../src/commands/index.ts';
import { FORMS, settingsForm } from '../../src/commands/settings/panel-forms.ts';
import { drawSettings, PAGES } from '../../src/commands/settings/panel-pages.ts';
import { drawContent, drawModal, drawPanel } from '../../src/discord/replies/layout.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { LOCALES, render, type TextKey } from '../../src/texts/catalog.ts';
import { en } from '../../src/texts/en.ts';
import { panelOf, replyOf, servicesOf, voiceOf } from '../commands/scene.ts';
import { samplesOf } from './messages.ts';
import { placesIn, sources } from './places.ts';

const MESSAGE = 2_000;
const PANEL = 4_000;

const bodies = commands
  .filter(({ kind }) => kind !== 'message')
  .map((command) => toCommandBody(command) as RESTPostAPIChatInputApplicationCommandsJSONBody);

/** Every command and subcommand, with an id of Discord's length. */
const COMMAND_IDS = new Map(
  bodies.flatMap(({ name, options = [] }) => {
    const inner = options.filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
    const names = inner.length === 0 ? [name] : inner.map((sub) => `${name} ${sub.name}`);
    return names.map((one) => [one, '1234567890123456789'] as const);
  }),
);

const places = sources('commands', 'discord', 'reading', 'services').flatMap(placesIn);

it.each(LOCALES)('buttons, selects and forms hold their words whole in %s', (locale) => {
  const tooLong = places.filter(({ key, limit }) => {
    const samples = samplesOf(en[key as TextKey]);
    return samples.some((values) => render({ key: key as TextKey, values }, locale).length > limit);
  });
  expect([places.length > 50, tooLong]).toEqual([true, []]);
});

/** Every string in what Discord is given that was cut: it ends with '…' at the very limit of such a place. */
function cutIn(drawn: unknown): string[] {
  if (typeof drawn === 'string') return drawn.endsWith('…') && [45, 80, 100, 150].includes(drawn.length) ? [drawn] : [];
  if (typeof drawn !== 'object' || drawn === null) return [];
  return Object.values(drawn).flatMap(cutIn);
}

describe.each(LOCALES)('in %s', (locale) => {
  const voice = { voiceId: 'v', name: 'Aria', model: 'gpro' };
  const settings: ServerSettings = {
    defaultVoice: voice,
    hushed: true,
    language: 'de',
    blockedWords: ['x'],
    blockedWordsExceptions: ['y'],
  };

  it('nothing of the settings panel is cut', () => {
    const voices = [voiceOf('Aria', { id: 'v' })];
    const reading = { isOn: false, problem: () => undefined, autoJoinProblem: () => undefined };
    for (const chosen of [settings, {}]) {
      for (const page of PAGES) {
        const context = { ...panelOf(chosen, { reading, localVoice: true }), voices };
        const drawn = drawPanel(drawSettings(page, context), locale, new Map());
        expect(cutIn(drawn), page).toEqual([]);
        expect(JSON.stringify(drawn).length, page).toBeLessThan(2 * PANEL);
      }
    }
  });

  it('nothing of a form is cut', () => {
    const forms = Object.keys(FORMS).map((name) => settingsForm(name, settings, true));
    for (const form of [...forms, entryForm('dictionary-fill', '1')]) {
      if (!form) throw new Error('There is no such form');
      expect(cutIn(drawModal(form, locale)), render(form.title)).toEqual([]);
    }
  });

  it('/privacy says everything in one message', () => {
    const told = (Object.keys(en) as TextKey[]).filter((key) => /^(?:kept|privacy)\.(?!description)/u.test(key));
    const characters = told.map((key) =>
      Math.max(...samplesOf(en[key]).map((values) => render({ key, values }, locale, COMMAND_IDS).length)),
    );
    expect(characters.reduce((sum, length) => sum + length + 1, 0)).toBeLessThan(PANEL);
  });

  it('/help says everything in one message', async () => {
    const help = commands.find(({ name }) => name === 'help');
    if (!help || help.kind === 'message') throw new Error('There is no /help');
    const answer = async (command: string | null) => {
      const options = { getString: () => command };
      const interaction = { inCachedGuild: () => true, memberPermissions: { has: () => true }, options };
      return replyOf(help, {
        interaction,
        services: servicesOf({ localVoice: false, commandIds: COMMAND_IDS }),
      } as unknown as Parameters<typeof help.begin>[0]);
    };
    const overview = drawContent(await answer(null), locale, COMMAND_IDS);
    const words = JSON.stringify('components' in overview ? overview.components : '');
    expect(words.length).toBeLessThan(PANEL);
    for (const { name } of commands.filter(({ onlyFor }) => onlyFor === undefined)) {
      const one = drawContent(await answer(name), locale, COMMAND_IDS);
      expect('content' in one ? one.content?.length : undefined, name).toBeLessThan(MESSAGE);
    }
  });
});
