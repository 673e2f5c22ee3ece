import { type Client, REST, type RESTPostAPIChatInputApplicationCommandsJSONBody } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { toCommandBody } from '../../../src/commands/framework/definition.ts';
import { commands } from '../../../src/commands/index.ts';
import { commandsDiffer, registerCommands } from '../../../src/discord/client/registration.ts';
import { startWorld } from '../../../src/playground/world/world.ts';

const wanted = commands.map((command) => toCommandBody(command) as RESTPostAPIChatInputApplicationCommandsJSONBody);

/** As Discord answers: with ids and versions, with null, false and '' for what was not given. */
function registered() {
  const command = (body: (typeof wanted)[number], index: number) => ({
    ...body,
    id: String(index),
    application_id: '1',
    version: '77',
    dm_permission: false,
    nsfw: false,
    description: body.description ?? '',
    name_localizations: null,
    description_localizations: body.description_localizations ?? null,
    options: body.options?.map((option) => ({ ...option, name_localizations: null })),
  });
  return wanted.map(command).reverse();
}

describe('commands are registered only when they differ', () => {
  it('the same ones, as Discord words them, do not', () => {
    expect(commandsDiffer(registered(), wanted)).toBe(false);
  });

  it.each<[string, (bodies: typeof wanted) => object[]]>([
    ['a new command', (bodies) => bodies.slice(1)],
    ['a stale command', (bodies) => [...bodies, { ...bodies[0], name: 'old' }]],
    ['another description', (bodies) => bodies.map((body) => ({ ...body, description: 'Something else' }))],
    [
      'another translation',
      (bodies) => bodies.map((body) => ({ ...body, description_localizations: { de: 'Etwas anderes' } })),
    ],
    ['another permission', (bodies) => bodies.map((body) => ({ ...body, default_member_permissions: '8' }))],
    ['options in another order', (bodies) => bodies.map((body) => ({ ...body, options: body.options?.toReversed() }))],
    ['other contexts', (bodies) => bodies.map((body) => ({ ...body, contexts: [0, 1] }))],
  ])('%s does', (_, change) => {
    expect(commandsDiffer(change(wanted), wanted)).toBe(true);
  });
});

it('at a second start of the bot nothing is registered anew', async () => {
  const world = await startWorld();
  try {
    const { DISCORD_API_URL: api, DISCORD_TOKEN: token } = world.botEnv;
    const client = { application: { id: world.bot.applicationId }, rest: new REST({ api }).setToken(token) };
    const start = () =>
      registerCommands({
        client: client as unknown as Client<true>,
        commands: wanted,
        log: pino({ level: 'silent' }),
      });
    await start();
    const before = world.restCalls.length;
    await start();
    expect(world.restCalls.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(world.restCalls.filter(({ method }) => method === 'PUT')).toHaveLength(1);
  } finally {
    await world.close();
  }
});
