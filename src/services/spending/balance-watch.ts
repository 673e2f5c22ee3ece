import type { Logger } from 'pino';
import * as z from 'zod';
import type { TopUp } from '../../errors/explain.ts';
import { commandOf, usualDataDir } from '../../process/package.ts';
import type { SpeechClient } from '../../speech/client/client.ts';
import { SpeechError } from '../../speech/errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { createRecords, type Store } from '../storage/store.ts';
import { dayAt, onceADay } from './ledger.ts';

export interface AccountWatchOptions {
  readonly speech: SpeechClient;
  /** The balance in credits below which the owners are warned; 0 means never. */
  readonly warnBelow: number;
  readonly store: Store;
  /** Messages the bot's owner. Never rejects: if no owner can be reached, `failure` is logged. */
  readonly notify: (message: Text, failure: string) => Promise<void>;
  readonly topUp: TopUp;
  /** True if speech is free: the balance is only an allowance of characters then, and the warning says so. */
  readonly isFree: boolean;
  readonly log: Logger;
}

const KEY = 'low-balance';
const BILLING_DEADLINE_MS = 15_000;

/** Messages the owner up to once a day (UTC) if the account is low on credits, even if several processes notice. */
export function createAccountWatch(options: AccountWatchOptions) {
  const { speech, warnBelow, store, notify, topUp, isFree, log } = options;
  const notices = createRecords(store.table('account-watch', z.object({ toldOn: z.string().optional() })), {});
  const isFirstSighting = onceADay();
  let underWay: Promise<void> = Promise.resolve();
  const closing = new AbortController();

  /** The warning is stored before its message is sent: a lost warning is better than one at every start. */
  async function isFirstOn(day: string): Promise<boolean> {
    let known: string | undefined;
    await notices
      .change(KEY, ({ toldOn }) => {
        known = toldOn;
        return { toldOn: day };
      })
      .catch((error: unknown) => log.warn({ err: error }, 'Could not store the balance warning: it may be repeated'));
    return known !== day;
  }

  async function warn(day: string, left: number | undefined): Promise<void> {
    if (!(await isFirstOn(day))) return;
    log.warn(
      {
        creditsLeft: left,
        warnBelow,
        topUpUrl: topUp instanceof URL ? topUp.href : undefined,
        topUpCommand: topUp === 'command' ? TOP_UP_COMMAND : undefined,
      },
      topUp === 'command'
        ? 'Built-in speech service is low on credits: top it up'
        : 'The speech account is low on credits: top it up',
    );
    let sighting = left === undefined ? text('account.ran-out') : text('account.left', { left });
    if (isFree) sighting = text('account.allowance', { left: left ?? 0 });
    const message = text('account.low', { left: sighting, remedy: remedy(topUp) });
    await notify(message, 'Could not message the owner about the low balance');
  }

  function tell(left?: number): void {
    if (closing.signal.aborted || warnBelow === 0 || !isFirstSighting()) return;
    const { day } = dayAt(Date.now());
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
    /** The speech client to use instead of `options.speech`: it also reads the balance in each of the service's answers. */
    speech: watched,
    /** Asks the speech service for the balance, and warns if it is low. Rejects with a SpeechError. */
    async check() {
      if (closing.signal.aborted || warnBelow === 0) return;
      await watched.billing({ deadlineMs: BILLING_DEADLINE_MS, signal: closing.signal });
      await underWay;
    },
    close() {
      closing.abort(new Error('The account is no longer watched'));
      return underWay;
    },
  };
}

/** The command that adds credits to an account of the built-in service, as in docs/reference/speech-service.md. */
export const TOP_UP_COMMAND = commandOf('speech-service', `--data ${usualDataDir}/speech`, '--top-up 1000000');

export function remedy(topUp: TopUp): Text {
  if (topUp === 'command') return text('account.remedy-local', { command: TOP_UP_COMMAND });
  return topUp ? text('account.remedy-url', { url: topUp.href }) : text('account.remedy');
}
