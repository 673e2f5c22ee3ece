import type { Client } from 'discord.js';
import * as z from 'zod';
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
const ANNOUNCEMENT = z.object({ words: z.string() });
const ACCEPTED = z.object({ servers: z.number() });

/** How many processes are named in a line. */
const NAMED = 20;

/** Answers what the owner asks another process, which has the shard of that chat. */
export function answerOtherProcesses(
  cells: CellCalls,
  client: Client,
  services: Pick<Services, 'log' | 'rules' | 'status'>,
): void {
  const guildIds = () => [...client.guilds.cache.keys()];

  cells.answer('status', async (): Promise<z.output<typeof STATE>> => {
    const { discord, speakers, queues, checks } = await services.status();
    return {
      servers: discord?.servers ?? 0,
      speaking: speakers?.speaking ?? 0,
      waiting: queues?.waiting ?? 0,
      troubles: Object.entries(checks).flatMap(([name, state]) => (state === 'ok' ? [] : [`${name}: ${state}`])),
    };
  });

  // It may take minutes; nobody waits for that.
  cells.answer('announce', (body): z.output<typeof ACCEPTED> => {
    const { words } = ANNOUNCEMENT.parse(body);
    const to = guildIds();
    void sendToServers(client, services, to, words).then(({ posted, missed }) =>
      services.log.info(
        { sent: posted.length, missed: missed.length },
        'The owner’s message was sent to these servers',
      ),
    );
    return { servers: to.length };
  });
}

interface OtherProcesses {
  readonly lines: readonly Text[];
  readonly servers: number;
}

/** A line for each other process of the bot, and how many servers they have together. Never rejects. */
export async function stateOfOthers({ cells, log }: Pick<Services, 'cells' | 'log'>): Promise<OtherProcesses> {
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

/** Has every other process send this to all of its servers. Never rejects. */
export async function announceElsewhere(
  { cells, log }: Pick<Services, 'cells' | 'log'>,
  words: string,
): Promise<readonly Text[]> {
  const { given, silent } = await asked(cells, log, 'announce', { words });
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
