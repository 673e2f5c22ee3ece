import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../../src/playground/world.ts';
import { call } from '../raw-client.ts';
import { many, say, text, withOptions } from './command-drafts.ts';

let world: World;
let path: string;

beforeEach(async () => {
  world = await startWorld();
  path = `/applications/${world.bot.applicationId}/commands`;
});
afterEach(() => world.close());

describe('the day has room for 200 new commands', () => {
  // https://discord.com/developers/docs/interactions/application-commands#registering-a-command
  it('and for any number of changes to those that exist', async () => {
    const commands = (prefix: string) => many(100, (index) => say({ name: `${prefix}-${index}` }));
    for (const prefix of ['a', 'b']) expect((await call(world, 'PUT', path, commands(prefix))).status).toBe(200);
    expect((await call(world, 'PUT', path, commands('b'))).status).toBe(200);
    expect(await call(world, 'PUT', path, [say()])).toMatchObject({ status: 429, body: { code: 30034 } });
  });
});

describe('a command is kept', () => {
  it('with its defaults, an id and a version', async () => {
    const { status, body } = await call(world, 'POST', path, withOptions(text({ required: true })));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      type: 1,
      application_id: world.bot.applicationId,
      default_member_permissions: null,
      nsfw: false,
      contexts: null,
    });
    expect(body.options).toEqual([text({ required: true })]);
  });

  it('under its id when one of the same name is sent again', async () => {
    const first = await call(world, 'POST', path, say());
    const second = await call(world, 'POST', path, say({ description: 'New' }));
    expect(second.status).toBe(200);
    expect(second.body.id).toBe(first.body.id);
    expect(second.body.version).not.toBe(first.body.version);
    const bulk = await call(world, 'PUT', path, [say({ name: 'other' }), say()]);
    expect(bulk.body.map((command: { id: string }) => command.id)).toContain(first.body.id);
  });

  it("for one server without its contexts, which are global commands' alone", async () => {
    const here = `/applications/${world.bot.applicationId}/guilds/${world.guildId}/commands`;
    const { status, body } = await call(world, 'POST', here, say({ contexts: [0], integration_types: [0, 1] }));
    expect(status).toBe(201);
    expect(body).toMatchObject({ guild_id: world.guildId, contexts: null, integration_types: [0] });
    expect(world.bot.commands.map(({ name }) => name)).toEqual(['say']);
  });

  it('until it is deleted', async () => {
    const { body } = await call(world, 'POST', path, say());
    expect((await call(world, 'PATCH', `${path}/${body.id}`, { description: 'New' })).body.description).toBe('New');
    expect((await call(world, 'DELETE', `${path}/${body.id}`)).status).toBe(204);
    expect(await call(world, 'GET', `${path}/${body.id}`)).toMatchObject({ status: 404, body: { code: 10063 } });
  });

  it('with names in any script', async () => {
    for (const name of ['говори', 'बोलो', '話す', "l'an"]) {
      expect((await call(world, 'POST', path, say({ name }))).status, name).toBe(201);
    }
  });

  it('of the user and message kind with spaces and capitals', async () => {
    expect((await call(world, 'POST', path, { type: 3, name: 'Speak this message' })).status).toBe(201);
    expect((await call(world, 'POST', path, { type: 2, name: 'Their voice' })).status).toBe(201);
  });
});
