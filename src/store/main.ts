// `npm run store -- copy --from sqlite:FOLDER` copies the data of a stopped bot into the PostgreSQL database of
// STORE_URL.
// Exit code: 0 if all data was copied, 1 if not (the source never changes), 2 for wrong usage.
import '../process/v8-workarounds.ts';
import { join, resolve } from 'node:path';
import { loadDataDir } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { flagsOrExit } from '../process/flags.ts';
import { commandOf } from '../process/package.ts';
import { DATABASE_FILE } from '../services/storage/database.ts';
import { copyStore } from './copy.ts';

const USAGE = `Usage: ${commandOf('store', 'copy')} [--from sqlite:FOLDER] [--to postgres://USER@HOST:PORT/DATABASE]

Copies what a bot keeps, while it does not run, from a folder into an empty PostgreSQL database: all of it or
nothing. The folder is never changed.

  --from  sqlite:FOLDER; without it DATA_DIR
  --to    the address of the database; without it STORE_URL, for an address with a password

Exit code: 0 when all of it is there, 1 when it is not, 2 for wrong usage.
`;

function readArguments(): { readonly from: string; readonly to: string; readonly toGiven: string } {
  const { values, positionals } = flagsOrExit(USAGE, {
    allowPositionals: true,
    options: { from: { type: 'string', default: 'sqlite:' }, to: { type: 'string' } },
  });
  const loaded = loadDataDir();
  const { from, to = process.env.STORE_URL ?? '' } = values;
  const isGiven = from !== 'sqlite:' && values.to !== undefined;
  if (loaded.dataDir === undefined && !isGiven) throw new OperatorError(loaded.unread);
  const toGiven = values.to === undefined ? 'STORE_URL' : '--to';
  const { protocol = '', pathname = '' } = URL.parse(to) ?? {};
  if (positionals.join(' ') !== 'copy') return wrongUsage('The only action is copy.');
  if (!from.startsWith('sqlite:')) return wrongUsage('--from must be sqlite:FOLDER, such as sqlite:data.');
  if (to === '') return wrongUsage('The database is missing: give --to, or set STORE_URL.');
  // PostgreSQL's address may hold a password, so the error message does not repeat it.
  if (!/^postgres(ql)?:$/.test(protocol) || pathname.length < 2)
    return wrongUsage(`${toGiven} must be postgres://USER:PASSWORD@HOST:PORT/DATABASE.`);
  return { from: from.slice('sqlite:'.length) || (loaded.dataDir ?? ''), to, toGiven };
}

function wrongUsage(complaint: string): never {
  process.stderr.write(`${complaint}\n\n${USAGE}`);
  process.exit(2);
}

try {
  const { from, to, toGiven } = readArguments();
  const counts = [...(await copyStore({ from, to, toGiven }))].map(([table, rows]) => `${table} ${rows}`);
  console.log(`Copied: ${counts.join(', ')}.`);
  console.log('Now start the bot with that address in STORE_URL.');
  console.log(
    `${join(resolve(from), DATABASE_FILE)} is as it was: delete it once all is well. The rest of the folder is still used.`,
  );
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
