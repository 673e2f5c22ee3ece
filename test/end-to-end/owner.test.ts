import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person, SentInteraction, World } from '../../src/playground/world/world.ts';
import { openScene, type Scene, startScene } from './scene.ts';

const ANSWERED = { timeoutMs: 20_000 };
const DIRECT = { in: '@bot' };
const OWNER_ONLY = 'Only the bot’s owner can use this command.';
/** The reply to the use of a button that does not exist. */
const NO_SUCH_CONTROL = 'This has expired';

const reply = async (sent: Promise<SentInteraction> | SentInteraction) => (await sent).reply(ANSWERED);
const names = (person: Person, place?: { in: string }) => person.seesCommands(place).map(({ name }) => name);

async function spokenBy(world: World, name: string, words: string): Promise<void> {
  const person = world.member(name);
  person.joins('General');
  await reply(person.types(`/say text:${words}`));
}

describe('/owner', () => {
  /** For those that leave nothing behind but, one of them, a single text. */
  let shared: Scene;
  beforeAll(async () => {
    shared = await openScene();
  });
  afterAll(() => shared.close());

  it('is the only command in direct messages, and answers the owner alone', async () => {
    const { world, bot } = shared;
    const [olga, alice] = [world.member('olga'), world.member('alice')];
    for (const person of [olga, alice]) expect(names(person)).not.toContain('owner');
    expect(names(olga, DIRECT)).toEqual(['owner']);
    expect((await reply(olga.types('/help'))).text).not.toContain('/owner');

    for (const line of ['owner status', 'owner spending']) {
      expect((await reply(alice.command(line, {}, DIRECT))).text).toContain(OWNER_ONLY);
    }
    expect((await reply(alice.forcesCommand('owner leave', { server: world.guildId }, DIRECT))).text).toContain(
      OWNER_ONLY,
    );
    expect(await alice.autocompletes('owner leave', { server: '' }, DIRECT)).toEqual([]);
    const forged = [{ customId: `owner-leave:${world.guildId}` }, { customId: 'owner-forget:me 1' }] as const;
    for (const component of forged) {
      for (const place of [{}, DIRECT]) {
        expect((await reply(alice.forges({ ...component, ...place }))).text).toContain(NO_SUCH_CONTROL);
      }
    }
    expect(bot.log.filter(({ msg }) => /^Left a server/.test(msg ?? ''))).toEqual([]);
  });

  it('status tells how the bot is', async () => {
    const { world } = shared;
    await spokenBy(world, 'alice', 'Something to measure.');
    const { text, ephemeral } = await reply(world.member('olga').types('/owner status', DIRECT));
    expect(ephemeral).toBe(true);
    expect(text).toMatch(/Crier \d+\.\d+\.\d+.*started <t:\d+:R>/);
    expect(text).toContain('1 of 1 shard up, 1 server');
    expect(text).toContain('In 1 voice channel');
    expect(text).toContain('0 texts in the queue');
    expect(text).toMatch(/0 from memory, 0 from disk, 1 not there/);
    for (const name of ['connection to Discord', 'commands', 'database', 'speech service'])
      expect(text).toContain(`${name}: OK`);
    expect(text).toContain('Quotas: none used up');
  });

  it('spending shows the servers and members that used most', async () => {
    const { world } = await startScene();
    const other = world.newServer('Other');
    await spokenBy(world, 'alice', 'Twenty characters ok');
    const bob = other.member('bob');
    bob.joins('General');
    await reply(bob.types('/say text:Ten chars!'));
    const { text } = await reply(world.member('olga').types('/owner spending', DIRECT));
    expect(text).toContain('All servers: 30 credits of 200,000 used today');
    expect(text).toMatch(/1\. Playground \(.*\): 20 today, 20 this month/);
    expect(text).toMatch(/2\. Other \(.*\): 10 today/);
    expect(text).toMatch(/1\. @Alice: 20 today, 20 this month\n2\. @Bob: 10 today/);
  });

  it('leave asks first, and leaves no other server', async () => {
    const { world, bot } = await startScene();
    const other = world.newServer('Leave Me');
    const olga = world.member('olga');
    await world.until(() => other.channel('general').messages.length > 0, { what: 'the welcome', ...ANSWERED });
    const [offered] = await olga.autocompletes('owner leave', { server: 'leave' }, DIRECT);
    expect(offered?.name).toContain('Leave Me');
    const asked = await reply(olga.command('owner leave', { server: String(offered?.value) }, DIRECT));
    expect(asked.text).toContain('Leave Leave Me');
    expect(bot.log.filter(({ msg }) => /^The bot was removed from a server/.test(msg ?? ''))).toEqual([]);
    expect((await reply(olga.presses(asked, 'Cancel'))).text).toBe('Canceled.');
    const again = await reply(olga.command('owner leave', { server: String(offered?.value) }, DIRECT));
    expect((await reply(olga.presses(again, 'Leave server'))).text).toContain('Left Leave Me');
    await bot.logged((line) => /^The bot was removed from a server/.test(line.msg ?? ''), 15_000);
    expect(world.restCalls.filter(({ method, path }) => method === 'DELETE' && path.includes('/guilds/'))).toEqual([
      expect.objectContaining({ path: expect.stringContaining(other.guildId), status: 204 }),
    ]);
    expect((await reply(olga.command('owner leave', { server: 'nowhere' }, DIRECT))).text).toContain('No server “');
  });
});
