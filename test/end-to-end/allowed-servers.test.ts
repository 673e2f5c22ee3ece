import { describe, expect, it } from 'vitest';
import type { WorldServer } from '../../src/playground/world/world.ts';
import { inVoice, startScene, textOf } from './scene.ts';

const onlyTheFirst = { env: ({ guildId }: WorldServer) => ({ ALLOWED_SERVERS: guildId }) };

describe('a server that the owner has not allowed', () => {
  it('is told why, once, and left; the allowed one is served', async () => {
    const { world, bot } = await startScene(onlyTheFirst);
    const strangers = world.newServer('Strangers');
    await bot.logged((line) => /not in ALLOWED_SERVERS/.test(line.msg ?? ''));

    const said = strangers.channel('general').messages.map(({ text }) => text);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`Ask them to add its ID, ${strangers.guildId}, to ALLOWED_SERVERS`);
    const alice = inVoice(world);
    expect(await textOf(alice.types('/say text:Allowed.'))).toContain('Spoken in');
  });

  it('is not left at a start at which no server is allowed, as with a mistyped id, but refused until it invites anew', async () => {
    const { world, bot } = await startScene({ env: { ALLOWED_SERVERS: '123456789012345678' } });
    const line = await bot.logged(
      ({ msg }) => /^None of the bot's servers is in ALLOWED_SERVERS/.test(msg ?? ''),
      15_000,
    );
    expect(line).toMatchObject({ servers: [{ id: world.guildId, name: 'Playground' }], count: 1 });
    const reply = await (await world.member('alice').types('/credits')).reply();
    expect(reply.text).toContain(`add its ID, ${world.guildId}, to ALLOWED_SERVERS`);
    // One that is joined now is a stranger: leaving it shows that the first one was considered, too.
    const strangers = world.newServer('Strangers');
    await bot.logged(({ msg }) => /^Left a server/.test(msg ?? ''));
    const left = world.restCalls.filter(({ method, path }) => method === 'DELETE' && /guilds/.test(path));
    expect(left.map(({ path }) => path)).toEqual([expect.stringContaining(strangers.guildId)]);
  });

  it('which the bot cannot leave gets every command refused in words, and no suggestion', async () => {
    const { world, service, bot } = await startScene(onlyTheFirst);
    world.faults.rest({ method: 'DELETE', path: /users\/@me\/guilds/, answer: 403, times: 100 });
    const strangers = world.newServer('Strangers');
    await bot.logged((line) => /^Could not leave a server outside ALLOWED_SERVERS/.test(line.msg ?? ''));
    const before = service.ledger.account().creditsLeft;

    const alice = inVoice(strangers);
    for (const line of ['/say text:At your cost.', '/help']) {
      const reply = await (await alice.types(line)).reply();
      expect(reply.ephemeral).toBe(true);
      expect(reply.text).toContain(`add its ID, ${strangers.guildId}, to ALLOWED_SERVERS`);
    }
    expect(await alice.autocompletes('say', { voice: 'a' }, { filled: { text: 'x' } })).toEqual([]);
    expect(service.ledger.account().creditsLeft).toBe(before);
  });
});
