import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { SentInteraction, WorldServer } from '../../src/playground/world/world.ts';
import { type Scene, startScene } from './scene.ts';

const ANSWERED = { timeoutMs: 20_000 };
const reply = async (sent: Promise<SentInteraction> | SentInteraction) => (await sent).reply(ANSWERED);
const notices = (server: WorldServer, channel: string) =>
  server.channel(channel).messages.filter(({ text }) => text.includes('no longer exists'));

/** As if the service had taken out the voice that the server's admins chose. */
async function takeOut({ dataDir, world }: Scene, voiceId: string, goneId: string): Promise<void> {
  const database = new DatabaseSync(join(dataDir, 'crier.sqlite'));
  database.prepare('UPDATE entries SET value = replace(value, ?, ?)').run(voiceId, goneId);
  database.close();
  // A look at the settings reads them anew.
  await reply(world.member('olga').types('/settings panel'));
}

async function chooses(scene: Scene, typed: string): Promise<string> {
  const olga = scene.world.member('olga');
  const [choice] = await olga.autocompletes('say', { voice: typed }, { filled: { text: 'x' } });
  await reply(olga.forges({ customId: `voice-default:${choice?.value}` }));
  return String(choice?.value);
}

it('a chosen voice that vanished is reported to the admins once, over restarts, and briefly to the requester', async () => {
  const scene = await startScene();
  const { world } = scene;
  await takeOut(scene, await chooses(scene, 'orpheus'), 'gone-1');
  const said = (name: string, words: string) => {
    const person = world.newMember(name);
    person.joins('General');
    return reply(person.types(`/say text:${words}`));
  };
  const first = await said('carol', 'With another voice.');
  expect(first.text.split('\n').filter((line) => line.includes('no longer exists'))).toHaveLength(1);
  const told = () => notices(world, 'general').filter(({ text }) => text.includes('/settings panel'));
  await world.until(() => told().length === 1, { what: 'the admins to be told', ...ANSWERED });
  expect(told()[0]?.text).toContain('orpheus');

  await said('dave', 'And once more.');
  await scene.restartBot();
  await said('erin', 'And after a restart.');
  expect(told()).toHaveLength(1);

  // Another one that vanishes is told of as well, where such things are to be told.
  const mods = world.newChannel('mods', 'text');
  const panel = await reply(world.member('olga').types('/settings panel'));
  expect(panel.ephemeral).toBe(true);
  await reply(
    world.member('olga').forges({
      customId: 'settings-ids:moderationChannel',
      kind: 'channel',
      values: [mods.id],
      message: panel,
    }),
  );
  await takeOut(scene, await chooses(scene, 'ext'), 'gone-2');
  await said('frances', 'And a third one.');
  await world.until(() => notices(world, 'mods').length === 1, { what: 'the moderators to be told', ...ANSWERED });
  expect(told()).toHaveLength(1);
});
