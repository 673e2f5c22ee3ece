import { type Client, Routes } from 'discord.js';
import { button } from '../../discord/replies/layout.ts';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { SubjectUsage, Usage } from '../../services/spending/spending-types.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { cancelButton } from '../framework/cancel.ts';
import {
  type ChatCommand,
  type CommandCall,
  type Control,
  type ControlCall,
  FOR_OWNERS,
  type Reply,
  type Services,
} from '../framework/command.ts';
import { pageAsked, pageLines, pageOf, pageRows } from '../framework/paging.ts';
import { type KnownServer, serverNames, serversElsewhere, serversNamed } from './other-processes.ts';

const needs = { contexts: FOR_OWNERS };
/** The servers that used most, and how many of them fit into a message. */
const TOP = 20;
const PAGE = 10;

export const serverControls: readonly Control[] = [
  {
    name: 'owner-spending',
    needs,
    replyTo: 'message',
    deferred: true,
    begin(call) {
      const [page, view = ''] = call.argument.split(' ');
      return () => spendingPage(call, viewNamed(view), pageAsked(page));
    },
  },
  {
    name: 'owner-leave',
    needs,
    replyTo: 'message',
    deferred: true,
    begin({ interaction: { client }, argument, services }) {
      return async () => {
        const { id, name } = await findServer(client, services, argument);
        // Also one of another process.
        await client.rest.delete(Routes.userGuild(id));
        services.log.info({ guildId: argument }, 'Left a server because the owner asked for it');
        return { lines: [text('owner.leave.done', { server: quote(name, 100) })] };
      };
    },
  },
];

/** A server the bot is in, by id as it is suggested, or by its whole name; of any process. */
export async function findServer(client: Client, services: Services, named: string): Promise<KnownServer> {
  const asked = labelledId(named) ?? named.trim();
  const isIt = ({ id, name }: KnownServer) => id === asked || name.toLowerCase() === asked.toLowerCase();
  const found = serversNamed(client, asked).find(isIt) ?? (await serversElsewhere(services, asked)).find(isIt);
  if (!found) throw noServer(named);
  return found;
}

/** The id in a suggestion: clients send what it shows in place of its value, after a change of channel say. */
export const labelledId = (named: string): string | undefined => / \((\d{17,20})\)$/.exec(named.trim())?.[1];

export const noServer = (named: string) => new UserError(text('owner.no-server', { server: quote(named.trim(), 100) }));

export const completeServer: NonNullable<ChatCommand['complete']> = async ({
  interaction: { client, options },
  services,
}) => {
  const typed = options.getFocused().trim();
  return [...serversNamed(client, typed), ...(await serversElsewhere(services, typed))]
    .sort((one, other) => one.name.localeCompare(other.name))
    .slice(0, DISCORD_LIMITS.choices)
    .map(({ id, name }) => ({
      name: `${name} (${id})`.slice(-DISCORD_LIMITS.choiceCharacters).toWellFormed(),
      value: id,
    }));
};

export function askToLeave({ id, name, members }: KnownServer): Reply {
  return {
    lines: [text('owner.leave.ask', { server: quote(name, 100), members })],
    rows: [[button('owner-leave', text('owner.leave.yes'), id, 'danger'), cancelButton('owner-leave')]],
  };
}

/** What the spending is told apart by. */
export const SPENDING_VIEWS = ['server', 'member', 'command'] as const;
type SpendingView = (typeof SPENDING_VIEWS)[number];

export const viewNamed = (named: string): SpendingView => SPENDING_VIEWS.find((view) => view === named) ?? 'server';

interface SpendingLine {
  readonly name: Text | string;
  readonly today: Usage;
  readonly month: Usage;
}

type OwnerCall = CommandCall | ControlCall;

/** The servers, members or commands that used most this month, the most first. */
async function spendingLines(
  { interaction: { client }, services }: OwnerCall,
  view: SpendingView,
): Promise<readonly SpendingLine[]> {
  const { cells, spending } = services;
  switch (view) {
    case 'server': {
      const servers = await spending.serversByUse(TOP);
      const names = await serverNames(
        client,
        services,
        servers.map(({ guildId }) => guildId),
      );
      return servers.map(({ guildId: id, ...used }) => {
        const name = names[id];
        const server =
          name === undefined ? text(cells ? 'owner.spending.elsewhere' : 'owner.spending.left') : quote(name, 60);
        return { name: text('owner.spending.server', { server, id }), ...used };
      });
    }
    case 'member':
      return (await spending.membersByUse(TOP)).map(({ userId, ...used }) => ({ name: `<@${userId}>`, ...used }));
    case 'command':
      return (await spending.commandsByUse()).map(({ spentBy, ...used }) => ({
        name: text(`owner.spending.of.${spentBy}`),
        ...used,
      }));
  }
}

function totalLine({ today, month, limit }: SubjectUsage, renewsAtMs: number): Text {
  const used = { today: today.credits, month: month.credits };
  if (limit === Number.POSITIVE_INFINITY) return text('owner.spending.total-unlimited', used);
  if (limit === 0) return text('owner.spending.total-of-none', used);
  return text('owner.spending.total', { ...used, limit, when: `<t:${renewsAtMs / 1000}:R>` });
}

/** One page of what was used most this month. */
export async function spendingPage(call: OwnerCall, view: SpendingView, asked: number): Promise<Reply> {
  const { spending } = call.services;
  const [all, outside, { total, renewsAtMs }, unknown] = await Promise.all([
    spendingLines(call, view),
    spending.outsideServers(),
    spending.overview({ userId: call.interaction.user.id }),
    spending.unknownToday(),
  ]);
  const page = pageOf(all, PAGE, asked);
  const isLast = page.number === page.pages - 1;
  return {
    lines: [
      ...(call.services.localVoice ? [text('owner.spending.free')] : []),
      totalLine(total, renewsAtMs),
      ...(unknown.requests > 0 ? [text('owner.spending.unknown', unknown)] : []),
      ...(all.length === 0 ? [text('owner.spending.none')] : []),
      ...page.shown.map(({ name, today, month }, index) =>
        text('owner.spending.line', {
          rank: page.number * PAGE + index + 1,
          name,
          today: today.credits,
          month: month.credits,
        }),
      ),
      ...(view === 'server' && isLast && outside.month.credits > 0
        ? [text('owner.spending.outside', { today: outside.today.credits, month: outside.month.credits })]
        : []),
      ...pageLines(page),
    ],
    rows: pageRows('owner-spending', page, ` ${view}`),
  };
}
