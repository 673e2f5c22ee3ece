import type { Client, RESTPostAPIChatInputApplicationCommandsJSONBody } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { toCommandBody } from '../../../src/commands/framework/options.ts';
import { commands } from '../../../src/commands/index.ts';
import { registerCommands } from '../../../src/discord/client/registration.ts';
import { silentLog } from '../../silent-log.ts';
import { loggedIn, openWorld } from '../logged-in.ts';

const wanted = commands.map((command) => toCommandBody(command) as RESTPostAPIChatInputApplicationCommandsJSONBody);

/** As Discord answers: with ids and versions, fields in its own order, and null, false and '' for what was not given. */
function registered() {
  const command = (body: (typeof wanted)[number], index: number) => ({
    ...body,
    id: String(index),
    application_id: '1',
    version: '77',
    dm_permission: false,
    nsfw: false,
    description: body.description ?? '',
    name_localizations: body.name_localizations ?? null,
    description_localizations: body.description_localizations ?? null,
    options: body.options?.map((option) => ({
      name_localizations: null,
      ...Object.fromEntries(Object.entries(option).reverse()),
    })),
  });
  return wanted.map(command).reverse();
}

async function isReplaced(known: readonly object[]): Promise<boolean> {
  let isPut = false;
  const rest = { get: async () => known, put: async () => (isPut = true) };
  await registerCommands({ application: { id: '1' }, rest } as unknown as Client<true>, wanted, silentLog);
  return isPut;
}

describe('commands are registered only when they differ', () => {
  it('the same ones, as Discord words them, do not', async () => {
    expect(await isReplaced(registered())).toBe(false);
  });

  it.each<[string, (bodies: typeof wanted) => object[]]>([
    ['a new command', (bodies) => bodies.slice(1)],
    ['a stale command', (bodies) => [...bodies, { ...bodies[0], name: 'old' }]],
    ['another permission', (bodies) => bodies.map((body) => ({ ...body, default_member_permissions: '8' }))],
    ['options in another order', (bodies) => bodies.map((body) => ({ ...body, options: body.options?.toReversed() }))],
  ])('%s does', async (_, change) => {
    expect(await isReplaced(change(wanted))).toBe(true);
  });
});

it('all commands keep Discord’s limits, and at a second start of the bot nothing is registered again', async () => {
  const world = await openWorld();
  const client = await loggedIn(world);
  const start = () => registerCommands(client, wanted, silentLog);
  await start();
  await start();
  const calls = world.restCalls.filter(({ path }) => path.endsWith('/commands'));
  expect(calls.map(({ method }) => method)).toEqual(['GET', 'PUT', 'GET']);
});
