import type { Logger } from 'pino';
import * as z from 'zod';
import type { TopUp } from '../../errors/explain.ts';
import { commandOf, usualDataDir } from '../../process/package.ts';
import type { SpeechClient } from '../../speech/client/client.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { Store } from '../storage/store.ts';
import { dayAt } from './ledger.ts';

export interface AccountWatchOptions {
  readonly speech: SpeechClient;
  /** 0: never warn. */
  readonly warnBelow: number;
  readonly store: Store;
  /** Writes to the owners; its failures are logged here. */
  readonly notify: (message: Text) => Promise<void>;
  readonly topUp: TopUp;
  readonly log: Logger;
  readonly now?: () => number;
}

const noticeSchema = z.object({ toldOn: z.string() });

const KEY = 'low-balance';
const BILLING_DEADLINE_MS = 15_000;

/** Tells the owner that the account runs low, once a day (UTC), whichever process sees it. */
export function createAccountWatch(options: AccountWatchOptions) {
  const { speech, warnBelow, store, notify, topUp, log, now = Date.now } = options;
  const notices = store.table('account-watch', noticeSchema);
  let toldOn = '';
  let underWay: Promise<void> = Promise.resolve();
  const closing = new AbortController();

  /** Before the message: told once too seldom is better than at every start. */
  async function isFirstOn(day: string): Promise<boolean> {
    let known: string | undefined;
    await notices
      .inTurn(KEY, async () => {
        known = (await notices.get(KEY))?.toldOn;
        await notices.set(KEY, { toldOn: day });
      })
      .catch((error: unknown) => log.warn({ err: error }, 'Could not store that the owner was warned'));
    return known !== day;
  }

  async function warn(day: string, left: number | undefined): Promise<void> {
    if (!(await isFirstOn(day))) return;
    log.warn(
      { creditsLeft: left, warnBelow, topUpUrl: topUp instanceof URL ? topUp.href : undefined },
      topUp === 'command'
        ? 'The credits that the bot counts for its voices run out: add more, as the README says'
        : 'The account of the speech service runs out of credits: top it up',
    );
    const sighting = left === undefined ? text('account.ran-out') : text('account.left', { left });
    await notify(text('account.low', { left: sighting, remedy: remedy(topUp) })).catch((error: unknown) => {
      log.warn({ err: error }, 'Could not message the owner about the low balance');
    });
  }

  function tell(left?: number): void {
    const { day } = dayAt(now());
    if (closing.signal.aborted || warnBelow === 0 || toldOn === day) return;
    toldOn = day;
    underWay = underWay.then(() => warn(day, left));
  }

  function seen(credits: number): void {
    if (credits < warnBelow) tell(credits);
  }

  const watched: SpeechClient = {
    ...speech,
    async speak(...call) {
      try {
        const result = await speech.speak(...call);
        seen(result.creditsRemaining);
        return result;
      } catch (error) {
        if (error instanceof SpeechError && error.kind === 'insufficient-credits') tell();
        throw error;
      }
    },
    async billing(...call) {
      const billing = await speech.billing(...call);
      seen(billing.creditsLeft);
      return billing;
    },
  };

  return {
    /** The speech client given, whose answers say what is left. */
    speech: watched,
    /** Asks the service itself. Rejects with a SpeechError. */
    async check() {
      if (closing.signal.aborted || warnBelow === 0) return;
      await watched.billing({ deadlineMs: BILLING_DEADLINE_MS, signal: closing.signal });
      await underWay;
    },
    /** Gives up a pending question; resolves when that is over. Idempotent. */
    close() {
      closing.abort(new Error('The account is no longer watched'));
      return underWay;
    },
  };
}

/** The same command as in the README. */
export const TOP_UP_COMMAND = commandOf('speech-service', `--data ${usualDataDir}/speech`, '--top-up 1000000');

export function remedy(topUp: TopUp): Text {
  if (topUp === 'command') return text('account.remedy-local', { command: TOP_UP_COMMAND });
  return topUp ? text('account.remedy-url', { url: topUp.href }) : text('account.remedy');
}
