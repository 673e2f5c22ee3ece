import { ApplicationCommandOptionType } from 'discord.js';
import { expect, it } from 'vitest';
import type { ChatCommand, CommandCall, CompletionCall } from '../../../src/commands/framework/command.ts';
import type { OptionDefinition } from '../../../src/commands/framework/options.ts';
import { commands } from '../../../src/commands/index.ts';
import { about } from '../../../src/commands/info/about.ts';
import { createHelp } from '../../../src/commands/info/help.ts';
import { version } from '../../../src/process/package.ts';
import { LANGUAGES, render, text } from '../../../src/texts/catalog.ts';
import { replyOf } from '../reply-of.ts';
import { servicesOf } from '../services.ts';

const MESSAGE_CHARACTERS = 2_000;
const help = createHelp(() => commands) as ChatCommand;
const chatCommands = commands.filter((command) => command.kind !== 'message' && command.onlyFor === undefined);

async function explained(
  name: string | null,
  locale: string,
  { localVoice = false, inServer = true, isManager = true, commandIds = new Map<string, string>() } = {},
): Promise<string> {
  const interaction = {
    inCachedGuild: () => inServer,
    memberPermissions: { has: () => isManager },
    locale,
    options: { getString: () => name },
  };
  const work = await help.begin({
    interaction,
    services: servicesOf({ localVoice, commandIds }),
  } as unknown as CommandCall);
  if (typeof work !== 'function') throw new Error('/help opens no form');
  const { lines, panel = [] } = await work(() => undefined);
  const all = [...lines, ...panel.flatMap((part) => (part.kind === 'text' ? part.lines : []))];
  return all.map((line) => render(line, locale)).join('\n');
}

/** Of a command, or of all its subcommands. */
const valuesOf = (options: readonly OptionDefinition[] = []): OptionDefinition[] =>
  options.flatMap((option) =>
    option.type === ApplicationCommandOptionType.Subcommand ? valuesOf(option.options) : [option],
  );

const cases = LANGUAGES.flatMap(({ locale }) => chatCommands.map(({ name }) => [locale, name] as const));

it.each(cases)('explains every option, with its choices where they are few (%s, /%s)', async (locale, name) => {
  const said = await explained(name, locale);
  expect(said.length).toBeLessThanOrEqual(MESSAGE_CHARACTERS);
  const command = chatCommands.find((one) => one.name === name) as ChatCommand;
  const lines = said.split('\n');
  for (const option of valuesOf(command.options)) {
    const choices = 'choices' in option ? (option.choices ?? []) : [];
    const parts = [
      render(text(option.description), locale),
      ...(choices.length > 10
        ? []
        : choices.map((one) => (one.name ? render(text(one.name), locale) : String(one.label ?? one.value)))),
    ];
    const ofOption = lines.filter((line) => line.startsWith(`- ${option.name}`));
    expect(ofOption.some((line) => parts.every((part) => line.includes(part)))).toBe(true);
  }
});

it('says of a style that it is billed, where speech costs', async () => {
  const says = (name: string, localVoice: boolean) => explained(name, 'en-US', { localVoice });
  for (const name of ['say', 'voice']) {
    expect(await says(name, false)).toContain('a style is billed as well: it adds its length plus 4 characters');
    expect(await says(name, true)).not.toContain('billed');
  }
  expect(await says('stop', false)).not.toContain('billed');
});

const suggested = (typed: string, { isManager = true, inServer = true, locale = 'en-US' } = {}) => {
  const interaction = {
    inCachedGuild: () => inServer,
    memberPermissions: { has: () => isManager },
    locale,
    options: { getFocused: () => typed },
  };
  return help.complete?.({ interaction, services: servicesOf({}) } as unknown as CompletionCall);
};
const names = async (...asked: Parameters<typeof suggested>) =>
  ((await suggested(...asked)) ?? []).map(({ name }) => name);

it('suggests what its reader may use there, and nothing of the owner’s', async () => {
  const forManagers = ['settings', 'setup', 'dictionary'];
  expect(await names('')).toEqual(expect.arrayContaining([...forManagers, 'say', 'Read aloud']));
  const forMembers = await names('', { isManager: false });
  expect(forMembers).toEqual(expect.arrayContaining(['say', 'voice']));
  for (const name of [...forManagers, 'owner']) expect(forMembers).not.toContain(name);
  expect(await names('', { inServer: false })).not.toContain('queue');
  expect(await names('/VOICES')).toEqual(['voices']);
  expect(await names('voice na')).toEqual(['voice']);
  expect((await names('')).length).toBeLessThanOrEqual(25);
});

it('lists what members can do, then what managers can, each to click once its id is known', async () => {
  const commandIds = new Map([
    ['say', '11'],
    ['voice set', '12'],
    ['voice name', '12'],
    ['settings panel', '13'],
  ]);
  const lines = (await explained(null, 'en-US', { commandIds })).split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/^<\/say:11>: Read text aloud/));
  expect(lines).toContainEqual(expect.stringMatching(/^<\/voice set:12> <\/voice name:12> .*: Choose your voice/));
  expect(lines).toContainEqual(expect.stringMatching(/^\*\*\/queue\*\*: /));
  const managers = lines.indexOf('**For managers of this server**');
  expect(lines.findIndex((line) => line.startsWith('</settings panel:13>'))).toBeGreaterThan(managers);
  expect(lines.findIndex((line) => line.startsWith('</say:11>'))).toBeLessThan(managers);
  const forMembers = await explained(null, 'de', { commandIds, isManager: false });
  expect(forMembers).not.toMatch(/settings|Serververwaltung/);
  expect(forMembers).toContain('**Vorlesen** (im Menü Apps einer Nachricht)');
});

it('calls what is in the Apps menu as its reader’s Discord does', async () => {
  expect(await names('vorl', { locale: 'de' })).toEqual(['Vorlesen']);
  expect(await names('read al', { locale: 'de' })).toEqual(['Vorlesen']);
  expect(await explained('vorlesen', 'de')).toMatch(/^\*\*Vorlesen\*\*/);
});

it('takes a name as it is typed, and refuses one that is none', async () => {
  expect(await explained('/SAY', 'en-US')).toContain('**/say**');
  expect(await explained('/voice set', 'en-US')).toContain('**/voice set**');
  await expect(async () => explained('owner', 'en-US')).rejects.toMatchObject({ text: { key: 'help.unknown' } });
  await expect(async () => explained('queue', 'en-US', { inServer: false })).rejects.toMatchObject({
    text: { key: 'refused.server-only' },
  });
});

it('/about says which bot this is, what speaks, and how fast Discord answers, once that is known', async () => {
  const words = async (ping: number, localVoice: boolean) => {
    const call = { interaction: { client: { ws: { ping } } }, services: servicesOf({ localVoice }) };
    const { lines } = await replyOf(about, call as unknown as CommandCall);
    return lines.map((line) => render(line)).join('\n');
  };
  const said = await words(41.6, true);
  for (const told of [`Crier ${version}`, 'The voice is free', '42 ms']) expect(said).toContain(told);
  expect(await words(-1, false)).not.toContain('ms.');
  expect(await words(12, false)).toContain('comes from a speech service');
});
