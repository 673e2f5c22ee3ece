import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { STARTING_CREDITS } from './server.ts';
import { databaseFile, LedgerError, openLedgerDatabase } from './store/database.ts';
import { createLedger } from './store/ledger.ts';

const withSeparators = (credits: number) => credits.toLocaleString('en-US');

/** Adds credits to the account in `dataDir`, whether or not a service is running on it; returns a message. */
export function topUpAndReport(dataDir: string, amount: number): string {
  // Opening would create it: credits for an unused account, because a folder was misspelled.
  if (!existsSync(databaseFile(dataDir))) {
    throw new LedgerError(
      `There is no speech service in ${resolve(dataDir)}, so nothing was added. --data DIR names the folder of one that has been started.`,
    );
  }
  const db = openLedgerDatabase(dataDir);
  try {
    const ledger = createLedger(db, { startingCredits: STARTING_CREDITS, now: () => new Date() });
    const left = ledger.topUp(amount, 'Top-up on the command line');
    return `Added ${withSeparators(amount)} credits to the account in ${resolve(dataDir)}; ${withSeparators(left)} are left.\n`;
  } finally {
    db.close();
  }
}
