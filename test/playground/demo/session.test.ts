import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Events, GatewayIntentBits, type Interaction } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Demo } from '../../../src/playground/demo/demo.ts';
import { createDemoSession, type DemoSession } from '../../../src/playground/demo/session.ts';
import { startWorld, type World } from '../../../src/playground/world/world.ts';

let world: World;
let client: Client<true>;
let session: DemoSession;
let folder: string;

const CHOICES = [
  { name: 'script (several voices)', value: 'script', name_localizations: { de: 'ein Skript' } },
  { name: 'voice message', value: 'message' },
];
const COMMANDS = [
  {
    name: 'panel',
    description: 'A panel',
    options: [
      { type: 11, name: 'file', description: 'x' },
      { type: 3, name: 'as', description: 'x', choices: CHOICES },
    ],
  },
  { name: 'limits', description: 'Who may' },
  { name: 'Quote', type: 3 },
];

const row = (...components: unknown[]) => ({ type: 1, components });
const field = (label: string, custom_id: string) => ({
  type: 18,
  label,
  component: { type: 4, custom_id, style: 1, required: false },
});

/** A small bot with the usual parts: buttons, menus, a form, a message command. */
async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand() && interaction.commandName === 'limits') {
    const menus = [
      { type: 8, custom_id: 'limits-ids:channels', placeholder: 'Channels' },
      { type: 6, custom_id: 'limits-ids:roles', placeholder: 'Roles' },
    ];
    const since = Math.round(Date.now() / 1000) - 7200;
    await interaction.reply({ content: `Since <t:${since}:R>`, components: menus.map((menu) => row(menu)) as never });
  } else if (interaction.isChatInputCommand()) {
    const file = interaction.options.getAttachment('file');
    const options = [
      { label: 'Ada, en-GB', value: 'ada' },
      { label: 'Bea', value: 'bea' },
    ];
    await interaction.reply({
      content: file ? `Got ${file.name}` : (interaction.options.getString('as') ?? 'Panel'),
      components: [
        row({ type: 2, style: 1, custom_id: 'edit', label: 'Edit word' }),
        row({ type: 3, custom_id: 'voice', placeholder: 'Voice', options }),
      ] as never,
    });
  } else if (interaction.isButton()) {
    const components = [field('Word', 'from'), field('Spoken as', 'to')];
    await interaction.showModal({ custom_id: 'form', title: 'Pronunciation', components } as never);
  } else if (interaction.isModalSubmit()) {
    const { fields } = interaction;
    await interaction.reply(`${fields.getTextInputValue('from')} → ${fields.getTextInputValue('to')}`);
  } else if (interaction.isAnySelectMenu()) {
    await interaction.update({ content: `Chosen: ${interaction.values.join()}`, components: [] });
  } else if (interaction.isMessageContextMenuCommand()) {
    await interaction.reply(`“${interaction.targetMessage.content}”`);
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crier-session-'));
  world = await startWorld({ privilegedIntents: ['MessageContent'] });
  client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent],
    rest: { api: world.botEnv.DISCORD_API_URL },
  });
  client.on(Events.InteractionCreate, answer);
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(world.botEnv.DISCORD_TOKEN);
  await ready;
  await client.application.commands.set(COMMANDS);
  // A bot whose log says nothing of an interaction before it was answered.
  const bot = { logged: () => new Promise((resolve) => setTimeout(resolve, 200, {})) };
  session = createDemoSession({ world, bot } as unknown as Demo, () => join(folder, 'heard.wav'));
});
afterEach(async () => {
  await client.destroy();
  await world.close();
  await rm(folder, { recursive: true });
});

const shown = async (line: string) => {
  const { ok, shown: lines } = await session.run(line);
  return `${ok ? '' : 'REFUSED '}${lines.join('\n')}`;
};

describe('at the prompt of the playground', () => {
  it('controls are shown, pressed, picked from and filled in', async () => {
    expect(await shown('/panel')).toMatch(/Panel\n\s+\[Edit word\]\n\s+\[menu: Voice\]/);
    expect(await shown('press edit')).toMatch(/form: Pronunciation[\s\S]+Word=…[\s\S]+Spoken as=…/);
    // They would go to the first field, and be saved at once.
    expect(await shown('fill nothing')).toBe('REFUSED Name the field, as in Word=TEXT Spoken as=TEXT.');
    expect(await shown('fill from=GIF\\nor so spoken as=jif, like a = b')).toContain(
      'GIF\n    or so → jif, like a = b',
    );
    expect(await shown('fill Word=again')).toContain('No form is open');
    expect(await shown('press')).toBe('REFUSED Name a button; there are: Edit word.');
    expect(await shown('pick Cid')).toBe('REFUSED No menu here offers Cid; there are: Ada, en-GB, Bea.');
    expect(await shown('pick Voice=Ada, en-GB')).toContain('Chosen: ada');
    expect(await shown('press Edit word')).toBe('REFUSED There is no button Edit word here; there are: none.');
  });

  it('menus of people, roles and channels take names', async () => {
    const readers = world.giveRole('bob', 'Readers');
    expect(await shown('/limits')).toContain('Since 2 hours ago');
    expect(await shown('pick xyz')).toBe('REFUSED No menu here offers xyz; there are: Channels=NAME, Roles=NAME.');
    expect(await shown('pick Readers')).toContain(`Chosen: ${readers}`);
    await shown('/limits');
    expect(await shown('pick Channels=general')).toContain(`Chosen: ${world.channel('general').id}`);
  });

  it('a choice is taken by a part of its label in the person’s language or in English, a file by its path', async () => {
    expect(await shown('/panel as:script')).toContain('script');
    expect(await shown('/panel as:voice')).toContain('message');
    await shown('language de');
    expect(await shown('/panel as:ein S')).toContain('script');
    expect(await shown('/panel as:nothing')).toBe('REFUSED The option as must be one of: ein Skript, voice message');
    writeFileSync(join(folder, 'words.csv'), 'a,b');
    expect(await shown(`/panel file:${join(folder, 'words.csv')}`)).toContain('Got words.csv');
    expect(await shown('/panel file:/nowhere')).toBe('REFUSED There is no file /nowhere.');
  });

  it('members act for a line or from now on, write, and use message commands on the newest message', async () => {
    expect(await shown('as bob write Hello @Alice')).toContain('Bob in #general\n    Hello @Alice');
    expect(await shown('apps quo')).toContain('“Hello @Alice”');
    expect(await shown('newcomer carol')).toBe('carol is a member now: as carol …');
    expect(await shown('as Carol join lounge')).toBe('Joined Lounge.');
    expect(session.prompt).toBe('olga> ');
    await shown('as carol');
    expect(session.prompt).toBe('carol in Lounge> ');
    expect(await shown('as nobody')).toContain('REFUSED There is no member nobody here; there are: olga, alice, bob');
    expect(await shown('disconnect bob')).toBe('REFUSED carol may not do that');
    expect(await shown('leave')).toBe('You left the voice channel.');
  });

  it('the place that the prompt shows is that of every member; other servers begin in general', async () => {
    await shown('in @bot');
    expect(session.prompt).toBe('olga (@bot)> ');
    await shown('as bob');
    expect(session.prompt).toBe('bob (@bot)> ');
    expect(await shown('in General')).toBe('Now writing in General, the chat of a voice channel.');
    expect(await shown('server Second')).toBe('Now in the server Second.');
    expect(session.prompt).toBe('bob at Second> ');
    await shown('server Playground');
    expect(session.prompt).toBe('bob> ');
  });

  it('a line that is nearly right is answered with what was meant; messages cannot steer the terminal', async () => {
    expect(await shown('/panle')).toBe('REFUSED There is no command /panle here: did you mean /panel?');
    expect(await shown('wriet Hello')).toContain('Unknown command: wriet. Did you mean write?');
    expect(await shown('panel')).toContain('Did you mean /panel?');
    expect(await shown('write a\x1b[2Jb')).toContain('a[2Jb');
  });

  it('all that can be typed is listed and completed, and how another program reaches this Discord', async () => {
    const help = await shown('help');
    const [words] = await session.complete('');
    for (const word of [...words, '/panel', 'apps Quote']) expect(help).toContain(`  ${word}`);
    expect(await session.complete('as bob press')).toEqual([['press'], 'press']);
    expect(await shown('environment')).toContain(`DISCORD_API_URL=${world.botEnv.DISCORD_API_URL}`);
  });
});
