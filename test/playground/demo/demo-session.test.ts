import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type APILabelComponent,
  ButtonStyle,
  Client,
  ComponentType,
  Events,
  GatewayIntentBits,
  type Interaction,
  TextInputStyle,
} from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Demo } from '../../../src/playground/demo/demo.ts';
import { createDemoSession, type DemoSession } from '../../../src/playground/demo/demo-session.ts';
import { startWorld, type World } from '../../../src/playground/world/world.ts';

let world: World;
let client: Client<true>;
let session: DemoSession;
let folder: string;

const CHOICE = {
  type: 3,
  name: 'as',
  description: 'x',
  choices: [
    { name: 'a script: several voices', value: 'script', name_localizations: { de: 'ein Skript' } },
    { name: 'voice channel', value: 'voice' },
    { name: 'voice message', value: 'message' },
  ],
};
const TONGUES = { Esperanto: 'eo', Estonian: 'et', Spanish: 'es', Portuguese: 'pt-BR', Deutsch: 'de' };
const TONGUE = { ...CHOICE, choices: Object.entries(TONGUES).map(([name, value]) => ({ name, value })) };
const COMMANDS = [
  { name: 'panel', description: 'A panel', options: [{ type: 11, name: 'file', description: 'x' }, CHOICE] },
  { name: 'Quote', type: 3, contexts: [0, 1, 2] },
  { name: 'rules', description: 'Its rules', default_member_permissions: '32' },
  { name: 'limits', description: 'Who may' },
  { name: 'help', description: 'What there is', contexts: [0] },
  { name: 'voices', description: 'All voices' },
  { name: 'tongue', description: 'A language', options: [TONGUE] },
  {
    ...{ name: 'fleet', description: 'All servers', default_member_permissions: '0', contexts: [1] },
    options: [{ type: 6, name: 'user', description: 'x' }],
  },
];

const label = (name: string, customId: string): APILabelComponent => ({
  type: ComponentType.Label,
  label: name,
  component: { type: ComponentType.TextInput, custom_id: customId, style: TextInputStyle.Short, required: false },
});

/** A small bot with the usual parts: buttons, a menu, a modal, a message command. */
async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand() && interaction.commandName === 'rules') {
    await interaction.showModal({ custom_id: 'rules', title: 'Rules', components: [label('Blocked', 'word')] });
  } else if (interaction.isChatInputCommand() && interaction.commandName === 'limits') {
    const menus = [
      { type: ComponentType.ChannelSelect, customId: 'limits-ids:channels', placeholder: 'Channels' } as const,
      { type: ComponentType.RoleSelect, customId: 'limits-ids:roles', placeholder: 'Roles' } as const,
    ];
    const components = menus.map((menu) => ({ type: ComponentType.ActionRow, components: [menu] }) as const);
    await interaction.reply({ content: `Since <t:${Math.round(Date.now() / 1000) - 7200}:R>`, components });
  } else if (interaction.isChatInputCommand() && interaction.commandName === 'voices') {
    const menu = (customId: string, every: string, other: string) => ({
      type: ComponentType.ActionRow as const,
      components: [
        {
          type: ComponentType.StringSelect as const,
          customId,
          options: [
            { label: every, value: 'all', default: true },
            { label: other, value: other },
          ],
        },
      ],
    });
    await interaction.reply({
      components: [menu('model', 'Every model', 'orpheus'), menu('language', 'Every language', 'German')],
    });
  } else if (interaction.isChatInputCommand()) {
    const file = interaction.options.getAttachment('file');
    await interaction.reply({
      content: file ? `Got ${file.name}` : (interaction.options.getString('as') ?? 'Panel'),
      components: [
        {
          type: ComponentType.ActionRow,
          components: [
            { type: ComponentType.Button, style: ButtonStyle.Primary, customId: 'edit', label: 'Edit word' },
          ],
        },
        {
          type: ComponentType.ActionRow,
          components: [
            {
              type: ComponentType.StringSelect,
              customId: 'voice',
              placeholder: 'Voice',
              options: [
                { label: 'Ada, en-GB', value: 'ada' },
                { label: 'Bea', value: 'bea' },
              ],
            },
          ],
        },
      ],
    });
  } else if (interaction.isButton()) {
    const components = [label('Word', 'word'), label('Spoken as', 'as')];
    await interaction.showModal({ custom_id: 'window', title: 'Pronunciation', components });
  } else if (interaction.isModalSubmit()) {
    const { fields } = interaction;
    const as = interaction.customId === 'window' ? fields.getTextInputValue('as') : 'nothing';
    await interaction.reply(`${fields.getTextInputValue('word')} → ${as}`);
  } else if (interaction.isAnySelectMenu()) {
    await interaction.update({ content: `Chosen: ${interaction.values.join()}`, components: [] });
  } else if (interaction.isMessageContextMenuCommand()) {
    const { content } = interaction.targetMessage;
    await interaction.reply({ content: `“${content}”`, ...(content === 'no' && { flags: 'Ephemeral' as const }) });
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
  const bot = { log: [], logged: async () => ({}) };
  session = createDemoSession({ world, bot, successorOf: async () => undefined } as unknown as Demo, () =>
    join(folder, 'heard.wav'),
  );
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

it('shows how another program reaches this Discord', async () => {
  const { shown } = await session.run('environment');
  expect(shown.join('\n').split('\n')).toEqual(Object.entries(world.botEnv).map(([name, value]) => `${name}=${value}`));
});

describe('at the prompt of the playground', () => {
  it('controls are shown, pressed, picked from and filled in', async () => {
    expect(await shown('/panel')).toMatch(/Panel\n\s+\[Edit word\]\n\s+\[menu: Voice\]/);
    expect(await session.complete('press ')).toEqual([['Edit word'], '']);
    expect(await shown('press edit')).toMatch(/form: Pronunciation[\s\S]+Word=…[\s\S]+Spoken as=…/);
    expect(await session.complete('fill Sp')).toEqual([['Spoken as='], 'Sp']);
    expect(await shown('fill from=GIF to=jif')).toContain('The form has no field from; it has: Word, Spoken as.');
    expect(await shown('fill Said like=jif')).toContain('The form has no field Said like; it has: Word, Spoken as.');
    expect(await shown('fill Word=GIF Spoken as=jif, like a = b')).toContain('GIF → jif, like a = b');
    expect(await shown('fill Word=again')).toContain('No form is open');
    expect(await session.complete('pick ')).toEqual([['Ada, en-GB', 'Bea'], '']);
    expect(await shown('press')).toBe('REFUSED Name a button; there are: Edit word.');
    expect(await shown('pick')).toBe('REFUSED Name a choice; there are: Ada, en-GB, Bea.');
    expect(await shown('pick Cid')).toMatch(/REFUSED No menu here offers Cid; there are: Ada, en-GB, Bea/);
    expect(await shown('pick Ada, en-GB')).toContain('Chosen: ada');
    expect(await shown('press Edit word')).toMatch(/REFUSED There are no buttons here/);
    await shown('/panel');
    await shown('press edit');
    // They would go to the first field, and be saved at once.
    const fields = 'REFUSED Name the field, as in Word=TEXT; the form has: Word, Spoken as.';
    expect(await shown('fill nothing')).toBe(fields);
    expect(await shown('fill GIF Spoken as=jif')).toContain('GIF → jif');
  });

  it('a word that is nearly an option’s name is taken for words, with a hint', async () => {
    const hint = 'There is no option flie: did you mean file:?';
    expect(await shown('/panel flie:x')).toContain(hint);
  });

  it('a choice goes to the menu that has it; an unknown one is refused with a list of the choices', async () => {
    const readers = world.giveRole('bob', 'Readers');
    await shown('/limits');
    const there = 'REFUSED No menu here offers xyz; there are: Channels=NAME, Roles=NAME.';
    expect(await shown('pick xyz')).toBe(there);
    expect(await shown('pick Channels=xyz')).toBe('REFUSED The menu Channels does not know xyz');
    expect(await session.complete('pick R')).toEqual([['Roles='], 'R']);
    expect(await shown('pick Readers')).toContain(`Chosen: ${readers}`);
  });

  it('a choice with a comma in it is picked from its menu as well', async () => {
    await shown('/panel');
    expect(await shown('pick Voice=Ada, Bea')).toBe('REFUSED Choose 1');
    expect(await shown('pick Voice=Ada, en-GB')).toContain('Chosen: ada');
  });

  it('buttons, choices and message commands are meant by a word that no other one has', async () => {
    await shown('/panel');
    expect(await shown('pick en-gb')).toContain('Chosen: ada');
    await shown('/panel');
    expect(await shown('press word')).toContain('form: Pronunciation');
    await shown('as bob write Hello');
    expect(await shown('apps quo')).toContain('“Hello”');
  });

  it('a menu is called by what it shows, also where that is the option chosen at present', async () => {
    expect(await shown('/voices')).toMatch(/\[menu: Every model\]\s+\[menu: Every language\]/);
    expect(await shown('pick Any model=orpheus')).toBe(
      'REFUSED No menu here shows Any model; there are: Every model, Every language.',
    );
    expect(await shown('pick Every model=orpheus')).toContain('Chosen: orpheus');
    await shown('/voices');
    expect(await shown('pick Every language=German')).toContain('Chosen: German');
  });

  it('a form with one field takes its words with or without its name, and with no other', async () => {
    await shown('/rules');
    expect(await shown('/rules')).toContain('Fill it in with: fill TEXT');
    expect(await shown('fill Words=banana')).toBe('REFUSED The form has no field Words; it has: Blocked.');
    expect(await shown('fill blocked=a=b')).toContain('a=b → nothing');
    await shown('/rules');
    expect(await shown('fill banana')).toContain('banana → nothing');
  });

  it('several people act, one line each or at the same time', async () => {
    expect(await shown('as bob write Hello @Alice')).toContain('Hello @Alice');
    expect(session.prompt).toBe('olga> ');
    expect(await shown('apps quote')).toMatch(/“Hello @Alice”/);
    await shown('newcomer carol');
    expect(await shown('as carol join Lounge')).toBe('Joined Lounge.');
    await shown('as carol');
    expect(session.prompt).toBe('carol in Lounge> ');
    expect(await shown('leave')).toBe('You left the voice channel.');
    await shown('/panel &');
    await shown('as bob /panel &');
    expect(session.inProgress()).toEqual(['carol> /panel', 'carol> as bob /panel']);
    expect(session.hasPending()).toBe(true);
    expect(await shown('wait')).toMatch(/^carol> \/panel\n[\s\S]+as bob \/panel\n[\s\S]+Panel/);
    expect(session.hasPending()).toBe(false);
    expect(session.inProgress()).toEqual([]);
    expect(await shown('as nobody write x')).toMatch(
      /REFUSED There is no member nobody; there are: olga, alice, bob, frank/,
    );
    expect(await shown('read')).toContain('“Hello @Alice”');
  });

  it('waits so many seconds, or until a message says something, for no longer than told', async () => {
    expect(await shown('wait 0.001')).toBe('Waited 0.001 s.');
    world.member('bob').says('Old news', {});
    await shown('/panel');
    expect(await shown('wait for PANEL')).toContain('Panel');
    expect(await shown('wait 0.01 for news')).toBe('REFUSED No message here said “news” within 0.01 s.');
    const waiting = shown('wait for for good');
    world.member('bob').says('Now it is for good', {});
    expect(await waiting).toContain('Now it is for good');
    expect(await shown('wait 601')).toBe('REFUSED The playground waits 600 seconds at most.');
    expect(await shown('wait a bit')).toMatch(/^REFUSED Type wait alone, wait 3/);
    expect(await shown('wait')).toBe('Nothing in progress.');
    expect(await session.complete('wai')).toEqual([['wait'], 'wai']);
  });

  it('a button’s beginning that several of its message have is answered with those', async () => {
    const menu = { type: ComponentType.ActionRow as const };
    const style = ButtonStyle.Primary as const;
    const buttons = ['Turn off: Tags', 'Turn off: Links', 'Turn'].map((name) => ({
      ...{ type: ComponentType.Button as const, style, customId: name, label: name },
    }));
    const channel = [...client.channels.cache.values()].find((one) => 'name' in one && one.name === 'general');
    if (!channel?.isSendable()) throw new Error('There is no channel general');
    await channel.send({ components: [{ ...menu, components: buttons }] });
    expect(await shown('press turn off')).toBe(
      'REFUSED Several buttons begin with turn off: Turn off: Tags, Turn off: Links. Type more of the one you mean.',
    );
    expect(await shown('press turn')).toMatch(/form: Pronunciation/);
    expect(await shown('press turn off: l')).toMatch(/form: Pronunciation/);
    expect(await shown('press links')).toMatch(/form: Pronunciation/);
  });

  it('names count without their case, and newcomers are offered', async () => {
    await shown('newcomer Carl');
    expect(await session.complete('as c')).toEqual([['Carl '], 'c']);
    expect(await shown('as CARL Join lounge')).toBe('Joined Lounge.');
    await shown('as carl');
    expect(session.prompt).toBe('Carl in Lounge> ');
    await shown('as Olga');
    expect(session.prompt).toBe('olga> ');
    expect(await shown('drag carl general')).toBe('Carl is in General now.');
    expect(await session.complete('drag carl q')).toEqual([['Carl Quiet'], 'carl q']);
    expect(await shown('IN lounge')).toMatch(/^Now writing in Lounge/);
  });

  it('a word that is nearly another one is answered with that', async () => {
    expect(await shown('jion Lounge')).toContain('Did you mean join?');
    expect(await shown('panel')).toContain('Did you mean /panel?');
    expect(await shown('/pannel')).toBe('REFUSED There is no command /pannel here: did you mean /panel?');
    expect(await shown('as bob /rules')).toBe(
      'REFUSED bob is not offered /rules: it is only for olga, who manages the server.',
    );
    expect(await shown('as bob /fleet')).toBe(
      'REFUSED bob is not offered /fleet: it is only for olga, the bot’s owner, in direct messages.',
    );
    expect(await shown('/fleet')).toBe('REFUSED /fleet is not offered here: type in @bot, then /fleet.');
    expect(await shown('in @bot')).toContain('start the playground with --set DIRECT_USE=on');
    expect(await shown('/fleet user:bob')).toBe(
      'REFUSED The option user does not know bob. In direct messages, take the ID of somebody else; people lists them.',
    );
    const [, id] = /^ *bob +(\d+)$/m.exec(await shown('people')) ?? [];
    expect(id).toBe(world.member('bob').id);
    expect(await shown('people')).toMatch(/^ *Crier +\d+$/m);
    expect(await shown(`/fleet user:${id}`)).not.toContain('REFUSED');
    expect(await shown('/say text:hi')).toContain('start the playground with --set DIRECT_USE=on');
    // A verb of the prompt is called the same.
    expect(await shown('/help')).toMatch(/no command \/help here\. Use in direct messages is off/);
  });

  it('a line without its name says what to type, and a channel is called with its sign too', async () => {
    const channels = 'there are: General, Lounge, Full, Locked, Quiet, Stage.';
    expect(await shown('join')).toBe(`REFUSED Name a channel; ${channels}`);
    expect(await shown('join lo')).toBe(`REFUSED There is no channel lo here; ${channels}`);
    expect(await shown('join lou')).toBe('Joined Lounge.');
    expect(await shown('in #general')).toBe('Now writing in general.');
    expect(await shown('in General')).toBe('Now writing in General, the chat of a voice channel.');
    await shown('in general');
    expect(await shown('write')).toBe('REFUSED Type the message behind it: write TEXT.');
    expect(await shown('apps')).toBe('REFUSED Name a command; there are: Quote.');
    expect(await shown('fault')).toContain('gateway-cut');
    for (const usage of ['as NAME', 'server NAME', 'newcomer NAME']) {
      expect(await shown(usage.split(' ')[0] ?? '')).toBe(`REFUSED A name is missing: ${usage}.`);
    }
    expect(await shown('newcomer Alice')).toBe('REFUSED Alice is a member already.');
    expect(await shown('newcomer Carla Smith')).toBe('REFUSED A name is one word here: newcomer Carla-Smith.');
  });

  it('people go to other servers and to direct messages', async () => {
    await shown('server Second');
    await shown('join General');
    expect(session.prompt).toBe('olga at Second in General> ');
    expect(await shown('/panel')).toContain('Panel');
    await shown('in @bot');
    expect(await shown('write hi')).toContain('hi');
    expect(await shown('apps Quote')).toContain('“hi”');
    expect(await shown('server Playground')).toBe('Now in the server Playground.');
    expect(await shown('in @bot /voices')).toBe('REFUSED A place stands alone: type in @bot, then /voices');
    expect(await shown('in lounge write hi')).toBe('REFUSED A place stands alone: type in lounge, then write hi');
    expect(await shown('in nowhere')).toMatch(
      /^REFUSED There is no channel nowhere here; there are: general, General, /,
    );
  });

  it('a person does not change servers for one line', async () => {
    expect(await shown('as alice server Second')).toBe(
      'REFUSED You can’t change servers in a single line: type as alice, then server Second.',
    );
    expect(session.prompt).toBe('olga> ');
    expect(await session.complete('server ')).toEqual([['Playground'], '']);
    await shown('as alice');
    await shown('server Second');
    expect(session.prompt).toBe('alice at Second> ');
  });

  it('a moderator is told which act on a member is refused', async () => {
    await shown('as bob join General');
    expect(await shown('invite bob')).toBe('REFUSED bob is in General, which is no stage');
    const stage = 'It requests to speak there after a /say, and waits a minute to be invited.';
    for (const who of ['bot', 'crier']) {
      expect(await shown(`invite ${who}`)).toBe(`REFUSED Crier is on no stage. ${stage}`);
      expect(await shown(`disconnect ${who}`)).toBe('REFUSED Crier is in no voice channel');
    }
    const members = 'there are: olga, alice, bob, frank, Crier.';
    expect(await shown('disconnect')).toBe(`REFUSED Name a member; ${members}`);
    expect(await shown('drag nobody Lounge')).toBe(`REFUSED There is no member nobody; ${members}`);
    expect(await session.complete('invite c')).toEqual([['Crier'], 'c']);
    expect(await shown('disconnect alice')).toBe('REFUSED alice is in no voice channel');
    expect(await shown('drag alice Lounge')).toBe('REFUSED alice is in no voice channel');
    expect(await shown('as bob raise')).toBe('REFUSED Hands are raised on stages only');
    await shown('as bob join Stage');
    expect(await shown('invite bob')).toBe('bob can speak now.');
    expect(await shown('disconnect bob')).toBe('bob was disconnected from voice.');
  });

  it('times are in the language of the person, which is one that Discord has', async () => {
    expect(await shown('/limits')).toContain('Since 2 hours ago');
    expect(await shown('language de')).toBe('Your Discord language is now de.');
    expect(await shown('/limits')).toContain('Since vor 2 Stunden');
    expect(await shown('as alice read')).toContain('Since 2 hours ago');
    expect(await shown('language zz')).toMatch(/^REFUSED Discord has no language zz; it has: .*\bde, .*es-419.*\.$/);
    expect(await shown('language es')).toBe('REFUSED Discord has no language es: did you mean es-419 or es-ES?');
    expect(await shown('language')).toMatch(/^REFUSED Name a language: .*\bde, /);
    expect(await shown('/limits')).toContain('Since vor 2 Stunden');
  });

  it('messages cannot steer the terminal', async () => {
    expect(await shown('as bob write red \u001b[31m\u009b2J\u202eback\n- two')).toMatch(/ red \[31m2Jback\n +- two$/);
    expect(await shown('join \u001b[2J')).toContain('There is no channel [2J here');
  });

  it('a choice is taken by a part of its label that no other one has', async () => {
    for (const typed of ['script', 'a sc', 'SEVERAL', 'a script: several voices']) {
      expect(await shown(`/panel as:${typed}`)).toMatch(/ script\n/);
    }
    expect(await shown('/panel as:message')).toMatch(/ message\n/);
    // The value of the voice channel, which no client shows.
    for (const typed of ['voice', 'channel x', 'nothing']) {
      expect(await shown(`/panel as:${typed}`)).toBe(
        'REFUSED The option as must be one of: a script: several voices, voice channel, voice message',
      );
    }
    await shown('language de');
    expect(await shown('/panel as:ein')).toMatch(/ script\n/);
    // As the documents have it.
    for (const typed of ['script', 'voices', 'A script: several voices']) {
      expect(await shown(`/panel as:${typed}`)).toMatch(/ script\n/);
    }
    expect(await shown('/panel as:nichts')).toContain('must be one of: ein Skript, ');
  });

  it('a choice is taken by its code, though several labels begin with that', async () => {
    expect(await shown('/tongue as:es')).toMatch(/ es\n/);
    expect(await shown('/tongue as:pt-BR')).toMatch(/ pt-BR\n/);
    expect(await shown('/tongue as:Est')).toMatch(/ et\n/);
    expect(await shown('/tongue as:e')).toContain('must be one of');
  });

  it('a language is also taken by its name in English, in the person’s language and in itself', async () => {
    expect(await shown('/tongue as:German')).toMatch(/ de\n/);
    expect(await shown('/tongue as:español')).toMatch(/ es\n/);
    await shown('language de');
    expect(await shown('/tongue as:Estnisch')).toMatch(/ et\n/);
    expect(await shown('/tongue as:Klingonisch')).toContain('must be one of');
  });

  it('a message is shown with the place it was posted in', async () => {
    await shown('in Lounge');
    expect(await shown('write hi')).toBe('  Olga in #Lounge\n    hi');
    await shown('in @bot');
    expect(await shown('write hi')).toBe('  Olga in @bot\n    hi');
  });

  it('the place that the prompt shows is that of every member, each with their own direct messages', async () => {
    await shown('in @bot');
    expect(session.prompt).toBe('olga (@bot)> ');
    expect(await shown('as bob write This is private')).toBe('  Bob in @bot\n    This is private');
    expect(await shown('read')).toBe('No messages here yet.');
    await shown('as bob');
    expect(session.prompt).toBe('bob (@bot)> ');
    expect(await shown('read')).toContain('This is private');
    expect(await shown('as alice in Lounge')).toBe(
      'REFUSED You can’t change places in a single line: type in Lounge, which holds for every member.',
    );
    await shown('in Lounge');
    expect(await shown('as alice write hi')).toBe('  Alice in #Lounge\n    hi');
    await shown('server Second');
    expect(session.prompt).toBe('bob at Second> ');
  });

  it('direct messages with a member are not those of that member', async () => {
    await shown('in @frank');
    expect(await shown('as alice write hi')).toBe('  Alice in @frank\n    hi');
    expect(await shown('as frank write hi')).toBe('REFUSED frank has no direct messages with frank');
  });

  it('a message command takes the newest message that everybody sees', async () => {
    await shown('write no');
    expect(await shown('apps Quote')).toContain('(only you can see this)\n    “no”');
    expect(await shown('apps Quote')).toContain('(only you can see this)\n    “no”');
  });

  it('a file option takes a path', async () => {
    writeFileSync(join(folder, 'words.json'), '{}');
    expect(await shown(`/panel file:${join(folder, 'words.json')}`)).toContain('Got words.json');
    expect(await shown('/panel file:/nowhere/x')).toBe('REFUSED There is no file /nowhere/x.');
    expect(await shown(`/panel file:${folder}`)).toBe(`REFUSED ${folder} is a folder, not a file.`);
  });

  it('files can be saved', async () => {
    expect(await shown(`save ${folder}`)).toBe('REFUSED There are no files to save here.');
    world.member('bob').says('', { files: [{ name: 'a.txt', bytes: Buffer.from('abc') }] });
    expect(await shown(`save ${join(folder, 'new')}`)).toContain('a.txt');
    expect(readFileSync(join(folder, 'new', 'a.txt'), 'utf8')).toBe('abc');
    // A file of that name stays, and one of an older message is told as such.
    world.member('bob').says('', { files: [{ name: 'a.txt', bytes: Buffer.from('def') }] });
    expect(await shown(`save ${join(folder, 'new')}`)).toBe(`Saved ${join(folder, 'new', 'a-2.txt')}.`);
    expect(readFileSync(join(folder, 'new', 'a.txt'), 'utf8')).toBe('abc');
    expect(readFileSync(join(folder, 'new', 'a-2.txt'), 'utf8')).toBe('def');
    await shown('write hi');
    expect(await shown(`save ${join(folder, 'new')}`)).toBe(`Saved ${join(folder, 'new', 'a-3.txt')}.`);
    await shown('/panel as:nothing');
    expect(await shown(`save ${join(folder, 'new')}`)).toBe(
      `Saved ${join(folder, 'new', 'a-4.txt')}. The last command made no file: this is from an older message.`,
    );
  });

  // Node's own recursive mkdir does not return in /proc.
  it.runIf(existsSync('/proc'))('files are not saved where nothing can be written, which is said', async () => {
    world.member('bob').says('', { files: [{ name: 'a.txt', bytes: Buffer.from('abc') }] });
    expect(await shown('save /proc/x')).toBe(
      "REFUSED Nothing can be saved in /proc/x: ENOENT: no such file or directory, mkdir '/proc/x'. Name another folder: save FOLDER.",
    );
    writeFileSync(join(folder, 'file'), '');
    expect(await shown(`save ${join(folder, 'file')}`)).toMatch(/^REFUSED Nothing can be saved in .*file: ENOTDIR/);
  });

  it('help fits the terminal', async () => {
    const help = async (columns: number) => {
      const fitting = createDemoSession(
        { world } as Demo,
        () => '',
        undefined,
        () => columns,
      );
      return (await fitting.run('help')).shown.join('\n');
    };
    for (const columns of [40, 80]) {
      expect((await help(columns)).split('\n').filter((line) => line.length > columns)).toEqual([]);
    }
    expect(await help(80)).toContain(
      '  pick CHOICE        pick from a menu: a choice (several with commas), or\n                     MENU=CHOICE\n',
    );
    expect(await help(40)).toContain('  leave\n      leave the voice channel\n');
  });

  it('says what was meant by a line that is nearly right', async () => {
    expect(await shown('quit now')).toBe('REFUSED To end the playground, type quit alone.');
    expect(await shown('/quit')).toBe('REFUSED There is no command /quit here: did you mean quit, without the slash?');
    expect(await shown('in nowhere')).toMatch(
      /^REFUSED There is no channel nowhere here; there are: general.*, @bot\.$/,
    );
    expect(await shown('in bot')).toMatch(/^Now writing in @bot\./);
  });

  it('says that there is nothing to press or to pick from', async () => {
    expect(await shown('press')).toBe('REFUSED There are no buttons here.');
    expect(await shown('pick x')).toBe('REFUSED There are no menus here.');
  });

  it('all that can be typed is listed and completed', async () => {
    expect(await shown('help')).toMatch(/\/panel[\s\S]+Quote[\s\S]+press BUTTON[\s\S]+fill FIELD=TEXT/);
    expect(await shown('help')).toMatch(/rules .*olga, who manages the server[\s\S]+fleet .*owner, in direct messages/);
    expect(await session.complete('wri')).toEqual([['write '], 'wri']);
    expect(await session.complete('qui')).toEqual([['quit'], 'qui']);
    expect(await session.complete('As al')).toEqual([['alice '], 'al']);
    expect(await session.complete('as bob join Lo')).toEqual([['Lounge', 'Locked'], 'Lo']);
    expect(await session.complete('apps ')).toEqual([['Quote'], '']);
    expect(await shown('dance')).toMatch(/REFUSED Unknown command: dance/);
  });
});
