import { quote } from '../../discord/replies/quote.ts';
import { explain } from '../../errors/explain.ts';
import { remedy } from '../../services/spending/balance-watch.ts';
import type { SubjectUsage, UsageOverview } from '../../services/spending/spending-types.ts';
import { SpeechError } from '../../speech/errors.ts';
import type { BillingTransaction } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { type ChatCommand, EVERYWHERE } from '../framework/command.ts';

const BILLING_DEADLINE_MS = 15_000;

export const credits: ChatCommand<'localVoice' | 'log' | 'owners' | 'speech' | 'spending' | 'topUpUrl'> = {
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
      const [account, usage, owner] = await Promise.all([
        services.speech.billing({ deadlineMs: BILLING_DEADLINE_MS }).catch(onlySpeechError),
        services.spending.overview(who).catch((error: unknown) => {
          services.log.warn({ err: error }, 'What was used is not known');
          return undefined;
        }),
        services.owners.isOwner(who.userId, interaction.locale),
      ]);
      if (account instanceof SpeechError) {
        services.log.warn({ err: account }, 'What is left is not known: the speech service does not say');
        // What was used, and what may be, is known all the same.
        return {
          lines: [...explain(account, services).lines, ...usageLines(usage, owner)],
          facts: { outcome: 'failed', requestId: account.requestId },
        };
      }
      const { creditsLeft: left, lastUpdated, lastBillingTransaction } = account;
      const { localVoice } = services;
      return {
        lines: [
          text(localVoice ? 'credits.left-local' : 'credits.left', { left }),
          ...(left > 0 ? [] : [remedy(services)]),
          ...timeOf(lastUpdated).map((when) => text('credits.updated', { when })),
          ...usageLines(usage, owner),
          ...(owner && !localVoice ? [transactionLine(lastBillingTransaction)] : []),
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
  return [
    ...(server ? [used('here', member)] : []),
    ...(!server || elsewhere ? [used('everywhere', memberEverywhere)] : []),
    ...(server ? [used('server', server)] : []),
    ...(owner ? [used('total', total)] : []),
    text('credits.renews', { when: `<t:${renewsAtMs / 1000}:R>` }),
    ...(cached > 0 ? [text('credits.cached', { month: cached })] : []),
  ];
}

function used(who: 'here' | 'everywhere' | 'server' | 'total', { today, month, limit }: SubjectUsage): Text {
  return text('credits.used', { who, today: today.credits, limit, month: month.credits });
}

function transactionLine(transaction: BillingTransaction | null): Text {
  if (!transaction) return text('credits.no-transaction');
  const { type, amount, description, created_at } = transaction;
  return text('credits.transaction', {
    type: quote(type ?? '?'),
    amount: amount === undefined ? '?' : String(amount),
    when: timeOf(created_at, 'f')[0] ?? '?',
    description: quote(description ?? ''),
  });
}

/** A point in time as Discord shows it, or nothing where the service names none. */
function timeOf(written: string | null | undefined, style: 'R' | 'f' = 'R'): string[] {
  const atMs = Date.parse(written ?? '');
  return Number.isNaN(atMs) ? [] : [`<t:${Math.round(atMs / 1000)}:${style}>`];
}
