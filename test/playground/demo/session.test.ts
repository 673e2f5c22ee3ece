import { join } from 'node:path';
import { Events, type Interaction } from 'discord.js';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Demo } from '../../../src/playground/demo/demo.ts';
import { createDemoSession, type DemoSession } from '../../../src/playground/demo/session.ts';
import type { World } from '../../../src/playground/world/world.ts';
import { loggedIn, openWorld } from '../../discord/logged-in.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let world: World;
let session: DemoSession;

const COMMANDS = [
  { name: 'panel', description: 'A panel', options: [{ type: 3, name: 'as', description: 'x' }] },
  { name: 'form', description: 'A form' },
];

/** A small bot with a button and a form. */
async function answer(interaction: Interaction): Promise<void> {
  if (interaction.isChatInputCommand() && interaction.commandName === 'form') {
    const component = { type: 4, custom_id: 'word', style: 1 };
    const components = [{ type: 18, label: 'Word', component }];
    await interaction.showModal({ custom_id: 'form', title: 'Pronunciation', components } as never);
  } else if (interaction.isChatInputCommand()) {
    const since = Math.round(Date.now() / 1000) - 7200;
    const button = { type: 2, style: 1, custom_id: 'next', label: 'Next page' };
    await interaction.reply({
      content: `Panel ${interaction.options.getString('as') ?? ''}, since <t:${since}:R>`,
      components: [{ type: 1, components: [button] }] as never,
    });
  } else if (interaction.isButton()) {
    await interaction.update({ content: 'Second page', components: [] });
  }
}

beforeEach(async () => {
  const folder = temporaryFolder();
  world = await openWorld();
  const client = await loggedIn(world, (preparing) => void preparing.on(Events.InteractionCreate, answer));
  await client.application.commands.set(COMMANDS);
  // A bot whose log says nothing of an interaction before it was answered.
  const bot = { logged: () => new Promise((resolve) => setTimeout(resolve, 200, {})) };
  session = createDemoSession(
    { world, bot } as unknown as Demo,
    () => join(folder, 'heard.wav'),
    () => undefined,
  );
});

const shown = async (line: string) => {
  const { ok, shown: lines } = await session.run(line);
  return `${ok ? '' : 'REFUSED '}${lines.join('\n')}`;
};

describe('at the prompt of the playground', () => {
  it('commands and buttons are used, and forms are left to the page', async () => {
    expect(await shown('/panel as:a list')).toMatch(/Panel a list, since 2 hours ago\n\s+\[Next page\]/);
    expect(await shown('press')).toBe('REFUSED Name a button; there are: Next page.');
    expect(await shown('press next')).toContain('Second page');
    expect(await shown('press Next page')).toBe('REFUSED There is no button Next page here; there are: none.');
    expect(await shown('/form')).toContain('[form: Pronunciation]');
  });

  it('members act for a line or from now on, and write', async () => {
    expect(await shown('as bob write Hello @Alice')).toContain('Bob in #general\n    Hello @Alice');
    expect(await shown('as Bob join lounge')).toBe('Joined Lounge.');
    expect(session.prompt).toBe('olga> ');
    await shown('as bob');
    expect(session.prompt).toBe('bob in Lounge> ');
    expect(await shown('read')).toContain('Hello @Alice');
    expect(await shown('as nobody')).toContain('REFUSED There is no member nobody here; there are: olga, alice, bob');
    expect(await shown('leave')).toBe('You left the voice channel.');
    await shown('in @bot');
    expect(session.prompt).toBe('bob (@bot)> ');
    expect(await shown('in General')).toBe('Now writing in General.');
  });

  it('a line that is nearly right is answered with what was meant; messages cannot steer the terminal', async () => {
    expect(await shown('/panle')).toBe('REFUSED There is no command /panle here: did you mean /panel?');
    expect(await shown('wriet Hello')).toContain('Unknown command: wriet. Did you mean write?');
    expect(await shown('panel')).toContain('Did you mean /panel?');
    expect(await shown('write a\x1b[2Jb')).toContain('a[2Jb');
  });

  it('all that can be typed is listed and completed', async () => {
    const help = await shown('help');
    const [words] = await session.complete('');
    for (const word of [...words, '/panel']) expect(help).toContain(`  ${word}`);
    expect(await session.complete('as bob press')).toEqual([['press'], 'press']);
    expect(await shown('environment')).toContain(`DISCORD_API_URL=${world.botEnv.DISCORD_API_URL}`);
  });
});
