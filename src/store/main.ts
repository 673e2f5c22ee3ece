// `npm run store -- copy` copies the data of a stopped bot from DATA_DIR into the PostgreSQL database of STORE_URL.
// Exit code: 0 if all data was copied, 1 if not (the source never changes), 2 for wrong usage.
import '../process/v8-workarounds.ts';
import { join, resolve } from 'node:path';
import { loadDataDir } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { commandOf, flagsOrExit } from '../process/package.ts';
import { DATABASE_FILE } from '../services/storage/database.ts';
import { copyStore } from './copy.ts';

const USAGE = `Usage: ${commandOf('store', 'copy')}

Copies what a bot keeps in DATA_DIR, while it does not run, into the empty PostgreSQL database of STORE_URL: all of it
or nothing. DATA_DIR is never changed.

Exit code: 0 when all of it is there, 1 when it is not, 2 for wrong usage.
`;

if (flagsOrExit(USAGE, { allowPositionals: true }).positionals.join(' ') !== 'copy') {
  process.stderr.write(`The only action is copy.\n\n${USAGE}`);
  process.exit(2);
}

try {
  const dataDir = loadDataDir();
  const to = process.env.STORE_URL ?? '';
  const { protocol = '', pathname = '' } = URL.parse(to) ?? {};
  // PostgreSQL's address may hold a password, so the error message does not repeat it.
  if (!/^postgres(ql)?:$/.test(protocol) || pathname.length < 2) {
    throw new OperatorError('STORE_URL must be postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  }
  const counts = [...(await copyStore(dataDir, to))].map(([table, rows]) => `${table} ${rows}`);
  console.log(`Copied: ${counts.join(', ')}.`);
  console.log('Now start the bot.');
  console.log(
    `${join(resolve(dataDir), DATABASE_FILE)} is as it was: delete it once all is well. The rest of the folder is still used.`,
  );
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
