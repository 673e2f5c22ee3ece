import { describe, expect, it } from 'vitest';
import { toCommandBody } from '../../src/commands/definition.ts';
import { commands } from '../../src/commands/index.ts';
import { commandsDiffer } from '../../src/discord/registration.ts';

const wanted = commands.map(toCommandBody);

/** As Discord answers: with ids and versions, with null and false for what was not given. */
function registered(scope: 'global' | 'guild') {
  const command = (body: (typeof wanted)[number], index: number) => ({
    ...body,
    id: String(index),
    application_id: '1',
    version: '77',
    dm_permission: false,
    nsfw: false,
    name_localizations: null,
    description_localizations: null,
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
    ['another permission', (bodies) => bodies.map((body) => ({ ...body, default_member_permissions: '8' }))],
    ['options in another order', (bodies) => bodies.map((body) => ({ ...body, options: body.options?.toReversed() }))],
    ['other contexts', (bodies) => bodies.map((body) => ({ ...body, contexts: [0, 1] }))],
  ])('%s does', (_, change) => {
    expect(commandsDiffer(change(wanted), wanted, 'global')).toBe(true);
  });
});
