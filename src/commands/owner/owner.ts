import type { Client, Guild } from 'discord.js';
import { button, DISCORD_LIMITS, quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { type BotStatus, READINESS_CHECKS, type WhatMustBeReady } from '../../services/monitoring/readiness.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { cancelButton, cancelControl } from '../framework/buttons.ts';
import type { ChatCommand, CommandCall, Reply } from '../framework/command.ts';
import { autocompleteOption, bySubcommand, required, subcommand, userOption } from '../framework/options.ts';
import { counted } from '../info/credits.ts';
import { askToForget, forgetAll } from '../privacy/privacy.ts';

export const owner: ChatCommand = {
  name: 'owner',
  onlyFor: 'owner',
  options: [
    subcommand('status', 'owner.status.description'),
    subcommand('spending', 'owner.spending.description'),
    subcommand('forget', 'owner.forget.description', [required(userOption('user', 'owner.forget.user'))]),
    subcommand('leave', 'owner.leave.description', [required(autocompleteOption('server', 'owner.leave.server'))]),
  ],
  deferred: true,
  controls: [
    {
      name: 'owner-leave',
      replyTo: 'message',
      deferred: true,
      begin({ interaction: { client }, argument, services }) {
        return async () => {
          const server = findServer(client, argument);
          await server.leave();
          services.log.info({ guildId: argument }, 'Left a server at the request of the bot’s owner');
          return { lines: [text('owner.leave.done', { server: quote(server.name, 100) })] };
        };
      },
    },
    cancelControl('owner-leave'),
    {
      name: 'owner-forget',
      replyTo: 'message',
      deferred: true,
      begin({ argument, services }) {
        const [what, id = ''] = argument.split(' ');
        if (what !== 'me' && what !== 'me-and-wishes') throw new UserError(text('refused.over'));
        return () => forgetAll(services, { what, id, byOwner: true });
      },
    },
    cancelControl('owner-forget'),
  ],
  async complete({ interaction: { client, options } }) {
    const typed = options.getFocused().trim();
    const words = typed.toLowerCase();
    return [...client.guilds.cache.values()]
      .filter(({ id, name }) => name.toLowerCase().includes(words) || id === typed)
      .sort((one, other) => one.name.length - other.name.length || one.name.localeCompare(other.name))
      .slice(0, DISCORD_LIMITS.choices)
      .sort((one, other) => one.name.localeCompare(other.name))
      .map(({ id, name }) => ({
        name: `${name} (${id})`.slice(-DISCORD_LIMITS.choiceCharacters).toWellFormed(),
        value: id,
      }));
  },
  begin: (call) => async () => bySubcommand(SUBCOMMANDS, call),
};

const SUBCOMMANDS: Readonly<Record<string, (call: CommandCall) => Promise<Reply>>> = {
  status: async ({ services }) => statusReply(await services.bot.status()),
  spending: spendingReply,
  forget({ interaction: { options }, services }) {
    return askToForget(services, { what: 'me', id: options.getUser('user', true).id, byOwner: true });
  },
  async leave({ interaction: { client, options } }) {
    const { id, name, memberCount: members } = findServer(client, options.getString('server', true));
    return {
      lines: [text('owner.leave.ask', { server: quote(name, 100), members })],
      rows: [[button('owner-leave', text('owner.leave.yes'), id, 'danger'), cancelButton('owner-leave')]],
    };
  },
};

const MODELS = 20;

/** The reply to `/owner status` shows states and problems, but no measurements, because the bot's metrics have those. */
function statusReply({ version, startedAtMs, lostAudio, draining, checks }: BotStatus): Reply {
  const lines = [text('owner.status.title', { version, since: `<t:${Math.round(startedAtMs / 1000)}:R>` })];
  if (draining) lines.push(text('owner.status.draining'));
  if (lostAudio.length > 0) {
    const models = { list: lostAudio.slice(0, MODELS).map((model) => quote(model, 40)) };
    lines.push(text('owner.status.lost-audio', { models }));
  }
  lines.push(...READINESS_CHECKS.map((check) => checkLine(check, checks[check])));
  return { lines };
}

/** Names a check's state as the log and /readyz do, so that the owner can search for the words. */
function checkLine(check: WhatMustBeReady, state = '?'): Text {
  const name = text(`owner.status.check.${check}`);
  return state === 'ok' ? text('owner.status.ok', { name }) : text('owner.status.trouble', { name, state });
}

const TOP = 10;

/** Throws a UserError if the bot's process has no such server. */
function findServer(client: Client, named: string): Guild {
  // Discord's client sends a suggestion's name instead of its value if the owner switches channels before sending.
  const asked = / \((\d{17,20})\)$/.exec(named.trim())?.[1] ?? named.trim();
  const { cache } = client.guilds;
  const found = cache.get(asked) ?? cache.find(({ name }) => name.toLowerCase() === asked.toLowerCase());
  if (!found) throw new UserError(text('owner.no-server', { server: quote(named.trim(), 100) }));
  return found;
}

function serverName({ guilds }: Client, id: string): Text {
  const name = guilds.cache.get(id)?.name;
  return text('owner.spending.server', {
    server: name === undefined ? text('owner.spending.left') : quote(name, 60),
    id,
  });
}

async function spendingReply(call: CommandCall): Promise<Reply> {
  const { bot, spending } = call.services;
  const { client, user } = call.interaction;
  const [{ servers, members, outsideServers: outside, unknownToday: unknown }, { total, renewsAtMs }] =
    await Promise.all([spending.report(TOP), spending.overview({ userId: user.id })]);
  const useLine = (index: number, name: Text | string, { today, month }: typeof outside) =>
    text('owner.spending.line', { rank: index + 1, name, today: today.credits, month: month.credits });
  const { limit } = total;
  const inAll = { today: counted(total.today.credits, bot.localVoice), month: total.month.credits };
  const lines = bot.localVoice ? [text('owner.spending.free')] : [];
  if (limit === Number.POSITIVE_INFINITY) lines.push(text('owner.spending.total-unlimited', inAll));
  else lines.push(text('owner.spending.total', { ...inAll, limit, when: `<t:${renewsAtMs / 1000}:R>` }));
  if (unknown.requests > 0 && !bot.localVoice) lines.push(text('owner.spending.unknown', unknown));
  if (servers.length === 0 && members.length === 0) lines.push(text('owner.spending.none'));
  const byServer = servers.map(({ guildId, ...used }, index) => useLine(index, serverName(client, guildId), used));
  if (servers.length > 0) lines.push(text('owner.spending.servers'), ...byServer);
  if (outside.month.credits > 0) {
    lines.push(text('owner.spending.outside', { today: outside.today.credits, month: outside.month.credits }));
  }
  const byMember = members.map(({ userId, ...used }, index) => useLine(index, `<@${userId}>`, used));
  if (members.length > 0) lines.push(text('owner.spending.members'), ...byMember);
  return { lines };
}
