import type { RESTPostAPIChatInputApplicationCommandsJSONBody } from 'discord.js';
import { type Client, DiscordAPIError, REST, RESTJSONErrorCodes } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { toCommandBody } from '../../../src/commands/framework/definition.ts';
import { commands } from '../../../src/commands/index.ts';
import { commandsDiffer, registerCommands, registerOwnersCommands } from '../../../src/discord/client/registration.ts';
import { StoreError } from '../../../src/errors/store-error.ts';
import { startWorld } from '../../../src/playground/world/world.ts';
import type { Store } from '../../../src/services/storage/store.ts';

const wanted = commands.map((command) => toCommandBody(command) as RESTPostAPIChatInputApplicationCommandsJSONBody);

/** As Discord answers: with ids and versions, with null, false and '' for what was not given. */
function registered(scope: 'global' | 'guild') {
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
    ...(scope === 'guild' && { guild_id: '5', contexts: null, integration_types: null }),
  });
  return wanted.map(command).reverse();
}

describe('commands are registered only when they differ', () => {
  it.each(['global', 'guild'] as const)('the same ones, as Discord words them, do not (%s)', (scope) => {
    expect(commandsDiffer(registered(scope), wanted, scope)).toBe(false);
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
    expect(commandsDiffer(change(wanted), wanted, 'global')).toBe(true);
  });
});

it('at a second start of the bot nothing is registered anew', async () => {
  const world = await startWorld();
  try {
    const { DISCORD_API_URL: api, DISCORD_TOKEN: token } = world.botEnv;
    const client = { application: { id: world.bot.applicationId }, rest: new REST({ api }).setToken(token) };
    const store = { table: () => ({ get: async () => undefined, set: async () => undefined }) };
    const start = (guildId?: string) =>
      registerCommands({
        client: client as unknown as Client<true>,
        commands: wanted,
        guildId,
        store: store as unknown as Store,
        log: pino({ level: 'silent' }),
      });
    for (const where of [undefined, world.guildId]) {
      await start(where);
      const before = world.restCalls.length;
      await start(where);
      expect(world.restCalls.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
    }
    expect(world.restCalls.filter(({ method }) => method === 'PUT')).toHaveLength(2);
  } finally {
    await world.close();
  }
});

describe('a development server', () => {
  /** Discord's lists of commands by route, and a store that remembers one server. */
  function scene(options: { remembered?: string; refusing?: number; storeFails?: boolean } = {}) {
    const lists: Record<string, readonly unknown[]> = {};
    let remembered = options.remembered;
    const rest = {
      get: async (route: string) => lists[route] ?? [],
      async put(route: string, { body }: { body: readonly unknown[] }) {
        if (options.refusing && body.length === 0) {
          const said = { code: options.refusing, message: 'refused' };
          throw new DiscordAPIError(said, options.refusing, 403, 'PUT', route, {});
        }
        lists[route] = body;
      },
    };
    const remember = (value: string | undefined) => {
      remembered = value;
    };
    const answered = async <Result>(result: () => Result): Promise<Result> => {
      if (options.storeFails) throw new StoreError('The store could not answer');
      return result();
    };
    const store = {
      table: () => ({
        get: () => answered(() => remembered),
        set: (_: string, value: string) => answered(() => remember(value)),
        delete: () => answered(() => remember(undefined)),
      }),
    } as unknown as Store;
    const client = { application: { id: '1' }, rest } as unknown as Client<true>;
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
    const register = (guildId?: string) => registerCommands({ client, commands: wanted, guildId, store, log });
    return { lists, register, remembered: () => remembered, warnings };
  }
  const GLOBAL = '/applications/1/commands';
  const inServer = (id: string) => `/applications/1/guilds/${id}/commands`;

  it('loses its commands when they are registered everywhere', async () => {
    const { lists, register, remembered } = scene();
    await register('5');
    expect([lists[inServer('5')], lists[GLOBAL], remembered()]).toEqual([wanted, undefined, '5']);
    await register();
    expect([lists[inServer('5')], lists[GLOBAL], remembered()]).toEqual([[], wanted, undefined]);
  });

  it.each([RESTJSONErrorCodes.MissingAccess, RESTJSONErrorCodes.UnknownGuild])(
    'that the bot has left does not keep it from registering elsewhere, now or at any later start (%s)',
    async (refusing) => {
      const { lists, register, remembered } = scene({ remembered: '5', refusing });
      await register();
      expect([lists[GLOBAL], remembered()]).toEqual([wanted, undefined]);
    },
  );

  it('shows them twice, and logs it for the operator, where they were registered everywhere before', async () => {
    const { lists, register, warnings } = scene();
    await register();
    expect(warnings).toEqual([]);
    await register('5');
    expect([lists[inServer('5')], lists[GLOBAL]]).toEqual([wanted, wanted]);
    expect(warnings).toEqual([expect.stringContaining(`this one shows them twice`)]);
    expect(warnings[0]).toContain(`PUT [] to Discord’s ${GLOBAL}`);
  });

  it('is not said to show twice what another command is', async () => {
    const { lists, register, warnings } = scene();
    lists[GLOBAL] = [{ name: 'launch', type: 4 }];
    await register('5');
    expect(warnings).toEqual([]);
  });

  it('gets its commands although the store fails', async () => {
    const { lists, register } = scene({ storeFails: true });
    await register('5');
    expect(lists[inServer('5')]).toEqual(wanted);
  });
});

describe('the commands of the bot’s owner', () => {
  /** Discord's lists by route, how often each was written, and a store. */
  function scene() {
    const lists: Record<string, readonly unknown[]> = {};
    const kept = new Map<string, string>();
    let writes = 0;
    const rest = {
      get: async (route: string) => lists[route] ?? [],
      async put(route: string, { body }: { body: readonly unknown[] }) {
        writes += 1;
        lists[route] = body;
      },
    };
    const store = {
      table: () => ({
        get: async (key: string) => kept.get(key),
        set: async (key: string, value: string) => void kept.set(key, value),
        delete: async (key: string) => void kept.delete(key),
      }),
    } as unknown as Store;
    const client = { application: { id: '1' }, rest } as unknown as Client<true>;
    const commands = wanted.slice(0, 1);
    const options = { client, commands, store, log: pino({ level: 'silent' }) };
    const inServer = (guildId: string) => lists[`/applications/1/guilds/${guildId}/commands`];
    return { options, commands, inServer, written: () => writes };
  }

  it('are registered once, and move when the setting names another server or none', async () => {
    const { options, commands, inServer, written } = scene();
    await registerOwnersCommands({ ...options, guildId: '5' });
    await registerOwnersCommands({ ...options, guildId: '5' });
    expect(inServer('5')).toEqual(commands);
    expect(written()).toBe(1);
    await registerOwnersCommands({ ...options, guildId: '6' });
    expect([inServer('5'), inServer('6')]).toEqual([[], commands]);
    await registerOwnersCommands(options);
    expect(inServer('6')).toEqual([]);
    await registerOwnersCommands(options);
    expect(written()).toBe(4);
  });

  it('leave the list alone of a server that has become the one for development', async () => {
    const { options, inServer } = scene();
    await registerOwnersCommands({ ...options, guildId: '5' });
    await registerCommands({ ...options, commands: wanted, guildId: '5' });
    await registerOwnersCommands({ ...options, mainGuildId: '5' });
    expect(inServer('5')).toEqual(wanted);
  });
});
