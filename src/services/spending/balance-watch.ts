import type { Logger } from 'pino';
import * as z from 'zod';
import type { TopUp } from '../../errors/explain.ts';
import { commandOf, usualDataDir } from '../../process/commands.ts';
import type { SpeechClient } from '../../speech/client/client.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Store } from '../storage/store.ts';

export interface AccountWatchOptions {
  /** The service's own word on what is left. */
  readonly billing: Pick<SpeechClient, 'billing'>['billing'];
  /** 0: never warn. */
  readonly warnBelow: number;
  readonly store: Pick<Store, 'table'>;
  /** Writes to the owners; its failures are logged here. */
  readonly notify: (message: Text) => Promise<void>;
  readonly topUp?: TopUp;
  readonly log: Logger;
  readonly now?: () => number;
}

const noticeSchema = z.object({
  /** The last transaction at the time of the warning; null when the service did not tell one. */
  transaction: z.string().nullable(),
});
type Notice = z.infer<typeof noticeSchema>;

const KEY = 'low-balance';
const BILLING_DEADLINE_MS = 15_000;
/** Between two questions whether credits have come in. */
const ASK_AGAIN_MS = 60_000;

const NOT_KEPT = 'Whether the owner was warned could not be kept';

type Sighting = { readonly kind: 'left'; readonly credits: number } | { readonly kind: 'ran-out' };

/**
 * Tells the owner that the account runs low: once, until credits have come in and are used up again.
 *
 * Answers to requests made at once arrive in any order and disagree about what is left, and a refund looks like a
 * top-up. So the service's own account decides: a warning is taken back only by a transaction that was not there before.
 */
export async function openAccountWatch(options: AccountWatchOptions) {
  const { warnBelow, store, notify, topUp, log, now = Date.now } = options;
  const notices = store.table('account-watch', noticeSchema);
  let notice: Notice | undefined = await notices.get(KEY).catch((error: unknown) => {
    log.warn({ err: error }, 'Whether the owner was warned of a low balance is not known');
    return undefined;
  });
  let askAgainAtMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> = Promise.resolve();
  const closing = new AbortController();

  async function account(): Promise<{ credits: number; transaction: string | null }> {
    const { creditsLeft, lastBillingTransaction: last } = await options.billing({
      deadlineMs: BILLING_DEADLINE_MS,
      signal: closing.signal,
    });
    const transaction = last ? [last.id, last.created_at, last.amount].filter((part) => part !== undefined) : [];
    return { credits: creditsLeft, transaction: transaction.length === 0 ? null : transaction.join(' ') };
  }

  async function warn(sighting: Sighting): Promise<void> {
    if (notice) return;
    const found = await account().catch((error: unknown) => {
      log.info({ err: error }, 'What is left could not be confirmed');
      return undefined;
    });
    // An answer that was overtaken by a top-up.
    if (sighting.kind === 'left' && found && found.credits >= warnBelow) return;
    const left = found?.credits ?? (sighting.kind === 'left' ? sighting.credits : 0);
    const own: Notice = { transaction: found?.transaction ?? null };
    notice = own;
    // Before the message: told once too seldom is better than at every start.
    if (!(await isFirst(own))) return;
    log.warn(
      { creditsLeft: left, warnBelow, ...(topUp instanceof URL && { topUpUrl: topUp.href }) },
      topUp === 'command'
        ? 'The credits that the bot counts for its voices run out: add more, as the README says'
        : 'The account of the speech service runs out of credits: top it up',
    );
    const message = text('account.low', {
      left: text(sighting.kind === 'ran-out' ? 'account.ran-out' : 'account.left', { left }),
      remedy: remedy({ topUp }),
    });
    await notify(message).catch((error: unknown) => {
      log.warn({ err: error }, 'The owner could not be told of the low balance in Discord');
    });
  }

  /** Keeps the notice, unless another process has done so for the same balance: then the owner has been told. */
  async function isFirst(own: Notice): Promise<boolean> {
    let known: Notice | undefined;
    const keeping = notices.inTurn(KEY, async () => {
      known = await notices.get(KEY);
      await notices.set(KEY, own);
    });
    await keeping.catch((error: unknown) => log.warn({ err: error }, NOT_KEPT));
    return known?.transaction !== own.transaction;
  }

  async function rearm(): Promise<void> {
    if (!notice || now() < askAgainAtMs) return;
    askAgainAtMs = now() + ASK_AGAIN_MS;
    const { credits, transaction } = await account();
    const cameIn = transaction === null || transaction !== notice.transaction;
    if (credits < warnBelow || !cameIn) return;
    notice = undefined;
    log.info({ creditsLeft: credits }, 'Credits have come in');
    await keep();
  }

  async function keep(): Promise<void> {
    const done = notice ? notices.set(KEY, notice) : notices.delete(KEY);
    await done.catch((error: unknown) => log.warn({ err: error }, NOT_KEPT));
  }

  function look(sighting: Sighting): void {
    const isLow = sighting.kind === 'ran-out' || sighting.credits < warnBelow;
    if (closing.signal.aborted || warnBelow === 0 || isLow === (notice !== undefined)) return;
    // One after the other, so that one low balance is one warning.
    underWay = underWay
      .then(() => (isLow ? warn(sighting) : rearm()))
      .catch((error: unknown) => log.info({ err: error }, 'The account could not be looked at'));
  }

  const seen = (credits: number) => look({ kind: 'left', credits });
  return {
    /** An answer of the service said what is left. */
    seen,
    /** The service refused to speak for want of credits. */
    ranOut: () => look({ kind: 'ran-out' }),
    /** Asks the service itself. Rejects with a SpeechError. */
    async check() {
      if (closing.signal.aborted || warnBelow === 0) return;
      seen((await account()).credits);
      await underWay;
    },
    /** Gives up a pending question; resolves when that is over. Idempotent. */
    close() {
      closing.abort(new Error('The account is no longer watched'));
      return underWay;
    },
  };
}

/** As the README has it. */
export const TOP_UP_COMMAND = commandOf('speech-service', `--data ${usualDataDir}/speech`, '--top-up 1000000');

/** Where more credits come from. */
export function remedy({ topUp }: Pick<AccountWatchOptions, 'topUp'>): Text {
  if (topUp === 'command') return text('account.remedy-local', { command: TOP_UP_COMMAND });
  return topUp ? text('account.remedy-url', { url: topUp.href }) : text('account.remedy');
}

/** The same speech client, whose answers tell the watch what is left. */
export function watched<Speech extends Pick<SpeechClient, 'speak' | 'billing'>>(
  speech: Speech,
  watch: Pick<Awaited<ReturnType<typeof openAccountWatch>>, 'seen' | 'ranOut'>,
): Speech {
  return {
    ...speech,
    async speak(...call: Parameters<SpeechClient['speak']>) {
      try {
        const result = await speech.speak(...call);
        watch.seen(result.creditsRemaining);
        return result;
      } catch (error) {
        if (error instanceof SpeechError && error.kind === 'insufficient-credits') watch.ranOut();
        throw error;
      }
    },
    async billing(...call: Parameters<SpeechClient['billing']>) {
      const billing = await speech.billing(...call);
      watch.seen(billing.creditsLeft);
      return billing;
    },
  };
}
