import * as z from 'zod';
import type { Config } from '../config/config.ts';
import { attention, type Finding, good } from './finding.ts';

const NAMED_SERVERS = 5;
/** https://discord.com/developers/docs/resources/user#get-current-user-guilds */
const MAX_GUILDS = 200;

/** https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags */
const NEEDED_PERMISSIONS = {
  'View Channels': 1n << 10n,
  Connect: 1n << 20n,
  Speak: 1n << 21n,
} as const;
const ADMINISTRATOR = 1n << 3n;

const guildsSchema = z.array(z.object({ id: z.string(), name: z.string(), permissions: z.string() }));
export type Server = z.infer<typeof guildsSchema>[number];

type AskForServers = (path: string, schema: typeof guildsSchema) => Promise<{ readonly value: Server[] }>;

/** A page at a time, by the last id of the one before. */
export async function allServers(ask: AskForServers): Promise<Server[]> {
  const guilds: Server[] = [];
  for (;;) {
    const last = guilds.at(-1);
    const after = last === undefined ? '' : `&after=${last.id}`;
    const { value: page } = await ask(`/users/@me/guilds?limit=${MAX_GUILDS}${after}`, guildsSchema);
    guilds.push(...page);
    if (page.length < MAX_GUILDS) return guilds;
  }
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMED_SERVERS ? ` and ${names.length - NAMED_SERVERS} more` : '';
  return `${names.slice(0, NAMED_SERVERS).join(', ')}${more}`;
}

const withId = ({ name, id }: { readonly name: string; readonly id: string }) => `${name} (${id})`;

/** The servers that the bot is in, by ALLOWED_SERVERS and what it may do in them. */
export function checkServers(
  guilds: readonly Server[],
  { allowedServers }: Pick<Config['access'], 'allowedServers'>,
): Finding[] {
  const served = guilds.filter(({ id }) => allowedServers?.includes(id) ?? true);
  const outside = guilds.filter(({ id }) => allowedServers?.includes(id) === false);
  if (guilds.length === 0) {
    return [
      attention('servers', {
        found: 'the bot is in none',
        means: 'Nobody can use it yet.',
        remedy: 'Invite it with the link from the README.',
      }),
    ];
  }
  if (served.length === 0) {
    return [
      attention('servers', {
        found: `none of the bot's ${guilds.length} is in ALLOWED_SERVERS: it is in ${listed(outside.map(withId))}`,
        means: 'It stays there, but refuses every command.',
        remedy: 'Check the ids in ALLOWED_SERVERS.',
      }),
    ];
  }
  const excluded =
    outside.length === 0
      ? []
      : [
          attention('ALLOWED_SERVERS', {
            found: `lacks ${listed(outside.map(withId))}`,
            means: 'The bot leaves these servers at its next start.',
            remedy: 'Add the ids of those in which it should stay.',
          }),
        ];
  const lacking = served.flatMap(({ name, permissions }) => {
    const granted = BigInt(permissions);
    if ((granted & ADMINISTRATOR) !== 0n) return [];
    const missing = Object.entries(NEEDED_PERMISSIONS).filter(([, bit]) => (granted & bit) === 0n);
    return missing.length === 0 ? [] : [`${name} (${missing.map(([permission]) => permission).join(', ')})`];
  });
  const count = served.length === 1 ? 'one' : served.length;
  const found = good('servers', `the bot is in ${count}`);
  if (lacking.length === 0) return [found, ...excluded];
  return [
    found,
    ...excluded,
    attention('permissions', {
      found: `missing in ${listed(lacking)}`,
      means: 'It cannot speak there, except in channels that grant these themselves.',
      remedy: 'Server Settings → Roles → the role of the bot.',
    }),
  ];
}
