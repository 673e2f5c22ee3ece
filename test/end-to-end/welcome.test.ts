import { expect, it } from 'vitest';
import type { Person, VisibleMessage, WorldServer } from '../../src/playground/world/world.ts';
import { render, text } from '../../src/texts/catalog.ts';
import { inVoice, replyTo, type Scene, startScene, textOf } from './scene.ts';

const isWelcome = ({ text }: VisibleMessage) => text.includes('I read your messages aloud in voice channels');
const welcomes = (server: WorldServer) => server.channel('general').messages.filter(isWelcome);

async function invited({ world }: Scene): Promise<{ server: WorldServer; olga: Person; welcome: VisibleMessage }> {
  const server = world.newServer('Newcomers');
  await world.until(() => welcomes(server).length > 0, { what: 'a welcome' });
  return { server, olga: server.member('olga'), welcome: welcomes(server)[0] as VisibleMessage };
}

it('on joining a server, one message says what to do, and four steps set the server up', async () => {
  const { server, olga, welcome } = await invited(await startScene());
  expect(welcome.text).toContain('/say');
  expect(welcome.text).toContain('/help');
  expect(welcome.buttons.map(({ label }) => label)).toEqual(['Set up']);

  const begun = await replyTo(olga.presses(olga.looksAt(welcome), 'Set up'));
  expect(begun.ephemeral).toBe(true);
  expect(begun.text).toContain('Step 1 of 4');
  const [offered] = begun.menus;
  const other = offered?.options.find(({ chosen, label }) => !chosen && label !== '');
  const chosen = await replyTo(olga.selects(begun, 'setup-voice', [other?.value ?? '']));
  expect(chosen.text).toContain(`**Default voice**: ${other?.label}`);
  expect(chosen.text).not.toContain('now');
  const goesOn = () => replyTo(olga.presses(olga.looksAt(begun), 'Keep and go on'));
  const reading = await goesOn();
  expect(reading.text).toContain('Step 2 of 4');
  expect(reading.text).toContain('READ_MESSAGES is off. Ask the bot’s owner');
  expect(JSON.stringify(reading.components)).not.toContain('autoReadChannels');
  expect((await goesOn()).text).toContain('Step 3 of 4');
  server.giveRole('alice', 'Speakers');
  await replyTo(olga.selects(olga.looksAt(begun), 'settings-pick:allowedRoles setup', ['Speakers']));
  await replyTo(olga.selects(olga.looksAt(begun), 'settings-pick:allowedChannels setup', ['general', 'General']));

  expect((await goesOn()).text).toContain('Step 4 of 4');
  const opens = olga.presses(olga.looksAt(begun), 'settings-form:credits creditsPerMember setup');
  const form = await (await opens).modal();
  await replyTo(olga.submits(form, { creditsPerServer: '5000', creditsPerMember: '700' }));

  const summary = await replyTo(olga.presses(olga.looksAt(begun), 'Keep and finish'));
  expect(summary.text).toContain(other?.label ?? '?');
  expect(summary.text).toContain('Speakers');
  expect(summary.text).toContain('5,000');
  expect(summary.text).toContain('/settings panel');
  expect(summary.text).toContain('/help');
  expect(summary.buttons).toEqual([]);

  const bob = inVoice(server, 'bob');
  expect(await textOf(bob.types('/say text:Not for me.'))).toContain('Speakers');
});

it('that is not said again after an outage or a restart, but after the bot was removed and invited anew', async () => {
  const scene = await startScene();
  const { world } = scene;
  const { server, olga, welcome } = await invited(scene);
  server.outage()();
  world.faults.invalidateSession({ resumable: false });
  await scene.restartBot();
  // The one in that message still works.
  expect(await textOf(olga.presses(olga.looksAt(welcome), 'Set up'))).toContain('Step 1 of 4');
  expect(welcomes(server)).toHaveLength(1);
  // Long there: no newcomer.
  expect(welcomes(world)).toHaveLength(0);

  server.removeBot();
  await scene.bot.logged((line) => /^The bot was removed from a server/.test(line.msg ?? ''));
  server.inviteBot();
  await world.until(() => welcomes(server).length === 2, { what: 'another welcome' });
});

it('that is said at the next start where Discord refused it', async () => {
  const scene = await startScene();
  const { world } = scene;
  world.faults.rest({ method: 'POST', path: /^\/channels\/\d+\/messages$/, answer: 403 });
  const server = world.newServer('Refusing');
  await scene.bot.logged(({ msg }) => msg?.startsWith('Could not post the welcome message') === true, 15_000);
  expect(welcomes(server)).toEqual([]);
  await scene.restartBot();
  await world.until(() => welcomes(server).length > 0, { what: 'the welcome' });
});

it('that is said at the first start, too, in the server’s language and where the bot may write', async () => {
  let late: WorldServer | undefined;
  const { world } = await startScene({
    arrange(before) {
      late = before.newServer('Invited before');
      late.newChannel('hall', 'text');
      late.channel('general').denyBot('SendMessages');
      late.setLanguage('de');
    },
  });
  if (!late) throw new Error('It was arranged');
  const hall = late.channel('hall');
  await world.until(() => hall.messages.length > 0, { what: 'a welcome in the hall' });
  expect(hall.messages[0]?.text).toContain(render(text('welcome.members'), 'de'));
  expect(late.channel('general').messages).toEqual([]);
});
