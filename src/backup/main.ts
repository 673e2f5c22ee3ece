// `npm run backup -- FOLDER` copies DATA_DIR into a new folder, even while the bot runs. Exit code: 0 on success, 1 on
// failure (no new folder remains), 2 for wrong usage.
import '../process/v8-workarounds.ts';
import { resolve } from 'node:path';
import { loadDataDir } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { commandOf, flagsOrExit } from '../process/package.ts';
import { saveBackup } from './copy.ts';

const USAGE = `Usage: ${commandOf('backup', 'FOLDER')}

Copies what the bot keeps in DATA_DIR into a new folder, also while it runs. To go back to it, stop the bot and put the
copy in the place of DATA_DIR. What belongs to a running process (texts that wait, locks, sockets) is left out. So are
earlier backups (names that end in .backup), sound that is kept (clips), installed voices and the playground's recordings
and logs; these are named.

Exit code: 0 when it was done, 1 when it could not be (there is no new folder then), 2 for wrong usage.
`;

const { positionals } = flagsOrExit(USAGE, { allowPositionals: true });
const [target] = positionals;
if (!target || positionals.length > 1) {
  console.error(target ? `One folder, please, not ${positionals.length}.` : 'Name a folder.');
  console.error(USAGE);
  process.exit(2);
}

try {
  const dataDir = loadDataDir();
  // With PostgreSQL, settings and spending are not in DATA_DIR, so a copy would be incomplete.
  if (/^postgres(ql)?:/.test(process.env.STORE_URL?.trim() ?? '')) {
    throw new OperatorError('the data is in the PostgreSQL of STORE_URL', {
      remedy: 'use its own tools, which work while the bot runs: pg_dump and pg_restore',
    });
  }
  const { folder, names, leftOut } = saveBackup(dataDir, target);
  const files = names.length === 1 ? 'one file' : `${names.length} files`;
  console.log(`Saved ${resolve(dataDir)} to ${folder} (${files}: ${names.join(', ')}).`);
  if (leftOut.length > 0) console.log(`Left out: ${leftOut.join(', ')}.`);
  console.log('Not in it: .env with the token and keys, and a file of SPEECH_ENGINES elsewhere. Copy these by hand.');
  console.log(
    'It holds settings of servers, IDs of members, and keys of speech services on this machine: keep it as private as DATA_DIR.',
  );
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
