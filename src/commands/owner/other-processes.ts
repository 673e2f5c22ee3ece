import type { Client } from 'discord.js';
import * as z from 'zod';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { quote } from '../../discord/replies/quote.ts';
import type { CellCalls } from '../../services/cells/cell-calls.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';
import { sendToServers } from './send-to-servers.ts';

const STATE = z.object({
  servers: z.number(),
  speaking: z.number(),
  waiting: z.number(),
  /** What is wrong, in the words of /readyz. */
  troubles: z.array(z.string()),
});
const TYPED = z.object({ typed: z.string() });
const IDS = z.object({ guildIds: z.array(z.string()) });
/** By server. */
const NAMES = z.record(z.string(), z.string());
const SERVERS = z.array(z.object({ id: z.string(), name: z.string(), members: z.number() }));
/** Without servers: to all. */
const ANNOUNCEMENT = z.object({ words: z.string(), guildIds: z.array(z.string()).optional() });
const ACCEPTED = z.object({ servers: z.number() });

export type KnownServer = z.output<typeof SERVERS>[number];

/** How many processes are named in a line. */
const NAMED = 20;

/** Answers what the owner asks another process, which has the shard of that chat. */
export function answerOtherProcesses(cells: CellCalls, client: Client, services: Services): void {
  cells.answer('status', async (): Promise<z.output<typeof STATE>> => {
    const { speakers, queues, checks } = await services.status();
    return {
      servers: client.guilds.cache.size,
      speaking: speakers?.speaking ?? 0,
      waiting: queues?.waiting ?? 0,
      troubles: Object.entries(checks).flatMap(([name, state]) => (state === 'ok' ? [] : [`${name}: ${state}`])),
    };
  });

  cells.answer('servers', (body) => serversNamed(client, TYPED.parse(body).typed));

  cells.answer('names', (body) => namesHere(client, IDS.parse(body).guildIds));

  // It may take minutes; nobody waits for that.
  cells.answer('announce', (body): z.output<typeof ACCEPTED> => {
    const { words, guildIds } = ANNOUNCEMENT.parse(body);
    const to = [...client.guilds.cache.keys()].filter((id) => guildIds?.includes(id) ?? true);
    void sendToServers(client, services, to, words).then(({ posted, missed }) =>
      services.log.info(
        { sent: posted.length, missed: missed.length },
        'The owner’s message was sent to these servers',
      ),
    );
    return { servers: to.length };
  });
}

/** Servers of this process whose name has these words in it, or whose id it is; as many as can be suggested. */
export function serversNamed(client: Client, typed: string): readonly KnownServer[] {
  const words = typed.toLowerCase();
  return [...client.guilds.cache.values()]
    .filter(({ id, name }) => name.toLowerCase().includes(words) || id === words)
    .sort((one, other) => one.name.length - other.name.length || one.name.localeCompare(other.name))
    .slice(0, DISCORD_LIMITS.choices)
    .map(({ id, name, memberCount }) => ({ id, name, members: memberCount }));
}

/** The same of the other processes. Never rejects. */
export async function serversElsewhere({ cells, log }: Services, typed: string): Promise<readonly KnownServer[]> {
  const { given } = await asked(cells, log, 'servers', { typed });
  return given.flatMap(({ body }) => SERVERS.safeParse(body).data ?? []);
}

type ServerNames = z.output<typeof NAMES>;

const namesHere = ({ guilds }: Client, guildIds: readonly string[]): ServerNames =>
  Object.fromEntries(
    guildIds.flatMap((id) => {
      const guild = guilds.cache.get(id);
      return guild ? [[id, guild.name]] : [];
    }),
  );

/** The names of these servers, as far as a process that answers in time has them. Never rejects. */
export async function serverNames(
  client: Client,
  { cells, log }: Services,
  guildIds: readonly string[],
): Promise<ServerNames> {
  const here = namesHere(client, guildIds);
  const others = guildIds.filter((id) => here[id] === undefined);
  if (others.length === 0) return here;
  const { given } = await asked(cells, log, 'names', { guildIds: others });
  return Object.assign({}, ...given.map(({ body }) => NAMES.safeParse(body).data), here);
}

interface OtherProcesses {
  readonly lines: readonly Text[];
  readonly servers: number;
}

/** A line for each other process of the bot, and how many servers they have together. Never rejects. */
export async function stateOfOthers({ cells, log }: Services): Promise<OtherProcesses> {
  const { given, silent } = await asked(cells, log, 'status', {});
  const states = given.flatMap(({ cell, body }) => {
    const { data } = STATE.safeParse(body);
    return data ? [{ name: quote(cell, 60), ...data }] : [];
  });
  const lines = states
    .slice(0, NAMED)
    .flatMap(({ name, troubles, ...state }) => [
      text('owner.status.process', { name, ...state }),
      ...(troubles.length > 0
        ? [text('owner.status.process-trouble', { name, state: troubles.join(', ').slice(0, 200) })]
        : []),
    ]);
  return {
    lines: [
      ...(given.length + silent.length > 0 ? [text('owner.status.processes')] : []),
      ...lines,
      ...(states.length > NAMED ? [text('setting.more', { count: states.length - NAMED })] : []),
      ...silentLines(silent),
    ],
    servers: states.reduce((sum, { servers }) => sum + servers, 0),
  };
}

/** Has every other process send this to those of these servers that it has; without any, to all of its own. Never rejects. */
export async function announceElsewhere(
  { cells, log }: Services,
  words: string,
  guildIds?: readonly string[],
): Promise<readonly Text[]> {
  const { given, silent } = await asked(cells, log, 'announce', { words, guildIds });
  const servers = given.reduce((sum, { body }) => sum + (ACCEPTED.safeParse(body).data?.servers ?? 0), 0);
  return [...(given.length > 0 ? [text('owner.message.elsewhere', { servers })] : []), ...silentLines(silent)];
}

const silentLines = (silent: readonly string[]): readonly Text[] =>
  silent.length === 0
    ? []
    : [text('owner.status.silent', { names: { list: silent.slice(0, NAMED).map((name) => quote(name, 60)) } })];

const asked = async (cells: CellCalls | undefined, log: Services['log'], ...question: Parameters<CellCalls['ask']>) =>
  (await cells?.ask(...question).catch((error: unknown) => {
    log.warn({ err: error }, 'The other processes could not be asked');
    return undefined;
  })) ?? { given: [], silent: [] };
