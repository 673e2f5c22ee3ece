import { explain } from '../../errors/explain.ts';
import { remedy } from '../../services/spending/balance-watch.ts';
import type { UsageOverview } from '../../services/spending/spending.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { ChatCommand } from '../framework/command.ts';

const BILLING_DEADLINE_MS = 15_000;

export const credits: ChatCommand = {
  name: 'credits',
  cooldown: { uses: 3, perMs: 15_000 },
  deferred: true,

  begin({ interaction, services }) {
    const who = { userId: interaction.user.id, guildId: interaction.guildId ?? undefined };
    return async () => {
      const { localVoice, billing, owners, showsBalance } = services.bot;
      const owner = await owners.isOwner(who.userId, interaction.locale);
      const [account, usage] = await Promise.all([
        localVoice || !(showsBalance || owner)
          ? undefined
          : billing({ deadlineMs: BILLING_DEADLINE_MS }).catch((error: unknown) => {
              if (error instanceof SpeechError) return error;
              throw error;
            }),
        services.spending.overview(who).catch((error: unknown) => {
          services.log.warn({ err: error }, 'Could not read credit usage: /credits shows the balance alone');
          return undefined;
        }),
      ]);
      const limits = usageLines(usage, owner, localVoice);
      if (!account) return { lines: localVoice ? [text('about.voice-free'), ...limits] : limits };
      if (account instanceof SpeechError) {
        services.log.warn({ err: account }, 'Could not read the account balance: /credits shows usage alone');
        // Usage and limits are the bot's own data, so they are shown without the balance.
        return {
          lines: [...explain(account, services.bot).lines, ...limits],
          facts: { outcome: 'failed', requestId: account.requestId },
        };
      }
      const { creditsLeft: left, lastUpdated } = account;
      const updatedAtMs = Date.parse(lastUpdated ?? '');
      const when = `<t:${Math.round(updatedAtMs / 1000)}:R>`;
      return {
        lines: [
          text('credits.left', { left }),
          ...(left > 0 ? [] : [remedy(services.bot.topUp)]),
          ...(services.bot.topUp === 'command' ? [text('credits.own-count')] : []),
          // Some speech services do not say when the balance was updated.
          ...(Number.isNaN(updatedAtMs) ? [] : [text('credits.updated', { when })]),
          ...limits,
        ],
      };
    };
  },
};

function usageLines(usage: UsageOverview | undefined, owner: boolean, isFree: boolean): Text[] {
  if (!usage) return [text('store.unread')];
  const { member, memberEverywhere, server, total, renewsAtMs } = usage;
  const elsewhere = memberEverywhere.month.credits > member.month.credits || memberEverywhere.limit > member.limit;
  const cached = (server ?? memberEverywhere).month.cached;
  const limited = [
    ...(server ? ([['here', member]] as const) : []),
    ...(!server || elsewhere ? ([['everywhere', memberEverywhere]] as const) : []),
    ...(server ? ([['server', server]] as const) : []),
    ...(owner ? ([['total', total]] as const) : []),
  ].filter(([, { limit }]) => limit < Number.POSITIVE_INFINITY);
  // Usage is shown beside its daily limit. Only free speech can be unlimited: for paid speech, every limit has a
  // default.
  if (limited.length === 0) return [];
  const lines = limited.map(([who, { today, month, limit }]) =>
    text('credits.used', { who, today: counted(today.credits, isFree), month: month.credits, limit }),
  );
  // A limit of 0 credits never allows anything, so its renewal does not matter.
  const isRenewed = limited.some(([, { limit }]) => limit > 0);
  if (isRenewed) lines.push(text('credits.renews', { when: `<t:${renewsAtMs / 1000}:R>` }));
  if (cached > 0) lines.push(text('credits.cached', { who: server ? 'server' : 'everywhere', month: cached }));
  return lines;
}

export const counted = (count: number, isFree: boolean): Text =>
  text(isFree ? 'counted.characters' : 'counted.credits', { count });
