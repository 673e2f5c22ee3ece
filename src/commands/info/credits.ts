import { quote } from '../../discord/replies/quote.ts';
import { explain, type TopUp } from '../../errors/explain.ts';
import { remedy } from '../../services/spending/balance-watch.ts';
import type { SubjectUsage, UsageOverview } from '../../services/spending/spending.ts';
import { SpeechError } from '../../speech/errors.ts';
import type { BillingTransaction } from '../../speech/interface/schemas.ts';
import { type PlainTextKey, type Text, text } from '../../texts/catalog.ts';
import { type ChatCommand, EVERYWHERE } from '../framework/command.ts';

const BILLING_DEADLINE_MS = 15_000;

export const credits: ChatCommand = {
  name: 'credits',
  description: 'credits.description',
  needs: {
    contexts: EVERYWHERE,
    cooldown: { uses: 3, perMs: 15_000 },
  },
  replyTo: 'caller',
  deferred: true,

  begin({ interaction, services }) {
    const who = { userId: interaction.user.id, guildId: interaction.guildId ?? undefined };
    return async () => {
      const { localVoice, billing } = services.bot;
      const [account, usage, owner] = await Promise.all([
        localVoice ? undefined : billing({ deadlineMs: BILLING_DEADLINE_MS }).catch(onlySpeechError),
        services.spending.overview(who).catch((error: unknown) => {
          services.log.warn({ err: error }, 'Could not read usage');
          return undefined;
        }),
        services.bot.owners.isOwner(who.userId, interaction.locale),
      ]);
      if (!account) {
        const limits = usageLines(usage, owner);
        const counted = usage && limits.length > 0 ? [text('credits.counted-though-free')] : [];
        return { lines: [text('about.voice-free'), ...limits, ...counted] };
      }
      if (account instanceof SpeechError) {
        services.log.warn({ err: account }, 'Could not read the balance from the speech service');
        // The usage and the limits are known even so.
        return {
          lines: [...explain(account, services.bot).lines, ...usageLines(usage, owner)],
          facts: { outcome: 'failed', requestId: account.requestId },
        };
      }
      const { creditsLeft: left, lastUpdated, lastBillingTransaction } = account;
      return {
        lines: [
          text('credits.left', { left }),
          ...(left > 0 ? [] : [remedy(services.bot.topUp)]),
          ...(services.bot.topUp === 'command' ? [text('credits.own-count')] : []),
          ...timeOf(lastUpdated).map((when) => text('credits.updated', { when })),
          ...usageLines(usage, owner),
          ...(owner ? [transactionLine(lastBillingTransaction, services.bot.topUp)] : []),
        ],
      };
    };
  },
};

function onlySpeechError(error: unknown): SpeechError {
  if (error instanceof SpeechError) return error;
  throw error;
}

function usageLines(usage: UsageOverview | undefined, owner: boolean): Text[] {
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
  // Without a limit there is no price either: see the configuration.
  if (limited.length === 0) return [];
  return [
    ...limited.map(([who, subject]) => used(who, subject)),
    // A limit of 0 does not come back.
    ...(limited.some(([, { limit }]) => limit > 0)
      ? [text('credits.renews', { when: `<t:${renewsAtMs / 1000}:R>` })]
      : []),
    ...(cached > 0 ? [text('credits.cached', { who: server ? 'server' : 'everywhere', month: cached })] : []),
  ];
}

function used(who: 'here' | 'everywhere' | 'server' | 'total', { today, month, limit }: SubjectUsage): Text {
  const values = { who, today: today.credits, month: month.credits };
  return limit > 0 ? text('credits.used', { ...values, limit }) : text('credits.used-of-none', values);
}

/** What the embedded service writes, and other services' types of transactions; they are English. */
const KNOWN_WORDS: Readonly<Record<string, PlainTextKey>> = {
  purchase: 'credits.transaction.purchase',
  topup: 'credits.transaction.topup',
  'Starting credits': 'credits.transaction.starting',
  // Wording of earlier versions.
  'Starting credits of the local voice': 'credits.transaction.starting',
  'Top-up on the command line': 'credits.transaction.by-command',
  'Top-up on the dashboard': 'credits.transaction.on-dashboard',
};

/** In the reader's language where it is known, else as the service writes it. */
function inWords(written: string): Text | string {
  const key = Object.hasOwn(KNOWN_WORDS, written) ? KNOWN_WORDS[written] : undefined;
  return key ? text(key) : quote(written);
}

function transactionLine(transaction: BillingTransaction | null, topUp: TopUp): Text {
  if (!transaction) return text('credits.no-transaction');
  const { type, amount, description, created_at } = transaction;
  const facts = {
    amount: amount === undefined ? '?' : text('setting.number', { value: amount }),
    when: timeOf(created_at, 'f')[0] ?? '?',
    description: inWords(description ?? ''),
  };
  // The embedded service's credits are not sold.
  if (topUp === 'command') return text('credits.added', facts);
  return text('credits.transaction', { ...facts, type: inWords(type ?? '?') });
}

/** A point in time as Discord shows it, or nothing where the service names none. */
function timeOf(written: string | null | undefined, style: 'R' | 'f' = 'R'): string[] {
  const atMs = Date.parse(written ?? '');
  return Number.isNaN(atMs) ? [] : [`<t:${Math.round(atMs / 1000)}:${style}>`];
}
