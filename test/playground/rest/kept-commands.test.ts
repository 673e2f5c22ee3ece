import { describe, expect, it } from 'vitest';
import { call } from '../raw-client.ts';
import { many, say, text, withOptions } from './command-drafts.ts';
import { freshCommands } from './command-world.ts';

const fresh = freshCommands();

describe('the day has room for 200 new commands', () => {
  // https://discord.com/developers/docs/interactions/application-commands#registering-a-command
  it('and for any number of changes to those that exist', async () => {
    const commands = (prefix: string) => many(100, (index) => say({ name: `${prefix}-${index}` }));
    for (const prefix of ['a', 'b'])
      expect((await call(fresh.world, 'PUT', fresh.path, commands(prefix))).status).toBe(200);
    expect((await call(fresh.world, 'PUT', fresh.path, commands('b'))).status).toBe(200);
    expect(await call(fresh.world, 'PUT', fresh.path, [say()])).toMatchObject({ status: 429, body: { code: 30034 } });
  });
});

describe('a command is kept', () => {
  it('with its defaults, an id and a version', async () => {
    const { status, body } = await call(fresh.world, 'POST', fresh.path, withOptions(text({ required: true })));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      type: 1,
      application_id: fresh.world.bot.applicationId,
      default_member_permissions: null,
      nsfw: false,
      contexts: null,
    });
    expect(body.options).toEqual([text({ required: true })]);
  });

  it('under its id when one of the same name is sent again', async () => {
    const first = await call(fresh.world, 'POST', fresh.path, say());
    const second = await call(fresh.world, 'POST', fresh.path, say({ description: 'New' }));
    expect(second.status).toBe(200);
    expect(second.body.id).toBe(first.body.id);
    expect(second.body.version).not.toBe(first.body.version);
    const bulk = await call(fresh.world, 'PUT', fresh.path, [say({ name: 'other' }), say()]);
    expect(bulk.body.map((command: { id: string }) => command.id)).toContain(first.body.id);
  });

  it("for one server without its contexts, which are global commands' alone", async () => {
    const here = `/applications/${fresh.world.bot.applicationId}/guilds/${fresh.world.guildId}/commands`;
    const { status, body } = await call(fresh.world, 'POST', here, say({ contexts: [0], integration_types: [0, 1] }));
    expect(status).toBe(201);
    expect(body).toMatchObject({ guild_id: fresh.world.guildId, contexts: null, integration_types: [0] });
    expect(fresh.world.bot.commands.map(({ name }) => name)).toEqual(['say']);
  });

  it('until it is deleted', async () => {
    const { body } = await call(fresh.world, 'POST', fresh.path, say());
    expect(
      (await call(fresh.world, 'PATCH', `${fresh.path}/${body.id}`, { description: 'New' })).body.description,
    ).toBe('New');
    expect((await call(fresh.world, 'DELETE', `${fresh.path}/${body.id}`)).status).toBe(204);
    expect(await call(fresh.world, 'GET', `${fresh.path}/${body.id}`)).toMatchObject({
      status: 404,
      body: { code: 10063 },
    });
  });

  it('with names in any script', async () => {
    for (const name of ['говори', 'बोलो', '話す', "l'an"]) {
      expect((await call(fresh.world, 'POST', fresh.path, say({ name }))).status, name).toBe(201);
    }
  });

  it('of the user and message kind with spaces and capitals', async () => {
    expect((await call(fresh.world, 'POST', fresh.path, { type: 3, name: 'Speak this message' })).status).toBe(201);
    expect((await call(fresh.world, 'POST', fresh.path, { type: 2, name: 'Their voice' })).status).toBe(201);
  });
});
