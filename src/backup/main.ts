// `npm run backup -- FILE` copies DATA_DIR into a file, even while the bot runs. `npm run restore -- FILE` copies it
// back.
// Exit code: 0 on success, 1 on failure (nothing has changed then), 2 for wrong usage.
import '../process/v8-workarounds.ts';
import { resolve } from 'node:path';
import { loadDataDir } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { flagsOrExit } from '../process/flags.ts';
import { commandOf } from '../process/package.ts';
import { restoreBackup, saveBackup } from './archive.ts';

const USAGE = `Usage: ${commandOf('backup', 'FILE')}
       ${commandOf('restore', 'FILE')}

Saves what the bot keeps in DATA_DIR in one file, also while it runs; puts such a file back, while it does not.
What was there before is moved aside, not deleted. What belongs to a running process (texts that wait, locks, sockets)
is left out. So are earlier backups, sound that is kept (clips), installed voices, the playground's recordings and logs,
what was moved aside and anything else that is not taken; these are named.

Exit code: 0 when it was done, 1 when it could not be (nothing has changed then), 2 for wrong usage.
`;

function readArguments(): readonly [action: 'save' | 'restore', file: string] {
  const [action, file, ...more] = flagsOrExit(USAGE, { allowPositionals: true }).positionals;
  if ((action === 'save' || action === 'restore') && file && more.length === 0) return [action, file];
  console.error(file ? `One file, please, not ${1 + more.length}.` : 'Name a file.');
  console.error(USAGE);
  process.exit(2);
}

/**
 * Refuses to back up if the store is PostgreSQL: settings and spending are not in DATA_DIR, so a copy would be
 * incomplete.
 */
function refuseShared(): void {
  if (!/^postgres(ql)?:/.test(process.env.STORE_URL?.trim() ?? '')) return;
  throw new OperatorError('the data is in the PostgreSQL of STORE_URL', {
    remedy: 'use its own tools, which work while the bot runs: pg_dump and pg_restore',
  });
}

const listed = (names: readonly string[]) =>
  `${names.length === 1 ? 'one file' : `${names.length} files`}: ${names.join(', ')}`;

const [action, file] = readArguments();
try {
  const loaded = loadDataDir();
  if (loaded.dataDir === undefined) throw new OperatorError(loaded.unread);
  const folder = loaded.dataDir;
  refuseShared();
  if (action === 'save') {
    const { file: saved, names, leftOut } = await saveBackup(folder, file);
    console.log(`Saved ${resolve(folder)} to ${saved} (${listed(names)}).`);
    if (leftOut.length > 0) console.log(`Left out: ${leftOut.join(', ')}.`);
    console.log('Not in it: .env with the token and keys, and a file of SPEECH_ENGINES elsewhere. Copy these by hand.');
    console.log(
      'It holds settings of servers, IDs of members, and keys of speech services on this machine: keep it as private as DATA_DIR.',
    );
  } else {
    const { names, madeAtMs, replaced } = restoreBackup(folder, file);
    console.log(`Restored the backup of ${new Date(madeAtMs).toISOString()} (${listed(names)}).`);
    if (replaced !== undefined) {
      console.log(`The data that was there before is in ${replaced}: delete it once all is well.`);
      console.log(
        'Credits used since the backup no longer count: daily limits allow them again, and the balance of a speech service of your own is higher by them.',
      );
    }
  }
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
