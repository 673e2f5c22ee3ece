import { describe, expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { replyTo, startScene, textOf } from './scene.ts';

const DIRECT = { in: '@bot' };
const OWNER_ONLY = 'Only the bot’s owner can use this command.';
/** The reply to the use of a button that does not exist. */
const NO_SUCH_CONTROL = 'This has expired';

const names = (person: Person, place?: { in: string }) => person.seesCommands(place).map(({ name }) => name);

describe('/owner', () => {
  it('is the only command in direct messages, and answers the owner alone', async () => {
    const { world, bot } = await startScene();
    const [olga, alice] = [world.member('olga'), world.member('alice')];
    for (const person of [olga, alice]) expect(names(person)).not.toContain('owner');
    expect(names(olga, DIRECT)).toEqual(['owner']);
    expect(await textOf(olga.types('/help'))).not.toContain('/owner');

    for (const line of ['owner status', 'owner spending']) {
      expect(await textOf(alice.command(line, {}, DIRECT))).toContain(OWNER_ONLY);
    }
    expect(await textOf(alice.forcesCommand('owner leave', { server: world.guildId }, DIRECT))).toContain(OWNER_ONLY);
    expect(await alice.autocompletes('owner leave', { server: '' }, DIRECT)).toEqual([]);
    const forged = [{ customId: `owner-leave:${world.guildId}` }, { customId: 'owner-forget:me 1' }] as const;
    for (const component of forged) {
      for (const place of [{}, DIRECT]) {
        expect(await textOf(alice.forges({ ...component, ...place }))).toContain(NO_SUCH_CONTROL);
      }
    }
    expect(bot.log.filter(({ msg }) => /^Left a server/.test(msg ?? ''))).toEqual([]);
  });

  it('leave asks first, and leaves no other server', async () => {
    const { world, bot } = await startScene();
    const other = world.newServer('Leave Me');
    const olga = world.member('olga');
    await world.until(() => other.channel('general').messages.length > 0, { what: 'the welcome' });
    const [offered] = await olga.autocompletes('owner leave', { server: 'leave' }, DIRECT);
    expect(offered?.name).toContain('Leave Me');
    const asked = await replyTo(olga.command('owner leave', { server: String(offered?.value) }, DIRECT));
    expect(asked.text).toContain('Leave Leave Me');
    expect(bot.log.filter(({ msg }) => /^The bot was removed from a server/.test(msg ?? ''))).toEqual([]);
    expect(await textOf(olga.presses(asked, 'Cancel'))).toBe('Canceled.');
    // Discord's client sends a label in place of its value after a change of channel.
    const again = await replyTo(olga.command('owner leave', { server: String(offered?.name) }, DIRECT));
    expect(await textOf(olga.presses(again, 'Leave server'))).toContain('Left Leave Me');
    await bot.logged((line) => /^The bot was removed from a server/.test(line.msg ?? ''));
    expect(world.restCalls.filter(({ method, path }) => method === 'DELETE' && path.includes('/guilds/'))).toEqual([
      expect.objectContaining({ path: expect.stringContaining(other.guildId), status: 204 }),
    ]);
    expect(await textOf(olga.command('owner leave', { server: 'nowhere' }, DIRECT))).toContain('No server “');
  });
});
