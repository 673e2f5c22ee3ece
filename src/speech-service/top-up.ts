import { STARTING_CREDITS } from './server.ts';
import { openDatabase } from './store/database.ts';
import { createLedger } from './store/ledger.ts';

/** Adds credits to the account in `dataDir`, whether or not a service is running on it; returns what to tell. */
export function topUpAndReport(dataDir: string, amount: number): string {
  const db = openDatabase(dataDir);
  try {
    const ledger = createLedger(db, { startingCredits: STARTING_CREDITS, now: () => new Date() });
    return `Added ${amount} credits; ${ledger.topUp(amount, 'Top-up on the command line')} are left.\n`;
  } finally {
    db.close();
  }
}
