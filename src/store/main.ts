// `npm run store -- copy --from sqlite:FOLDER`: copies the data of a bot that does not run into the PostgreSQL of STORE_URL.
// Exit 0 when all of it is there, 1 when it is not (the source is never changed), 2 when this was called wrongly.
import '../process/v8-workarounds.ts';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { copyStore } from './copy.ts';

const USAGE = 'Usage: npm run -s store -- copy [--from sqlite:FOLDER] [--to postgres://USER@HOST:PORT/DATABASE]';

function readArguments(): { readonly from: string; readonly to: string } {
  // Other settings may be wrong or missing here: a copy needs none of them.
  const loaded = loadConfig();
  const dataDir = loaded.ok ? loaded.config.dataDir : process.env.DATA_DIR || 'data';
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { from: { type: 'string', default: 'sqlite:' }, to: { type: 'string' } },
    });
    const { from, to = process.env.STORE_URL ?? '' } = values;
    const isCopy = positionals.length === 1 && positionals[0] === 'copy';
    const isPostgres = /^postgres(ql)?:$/.test(URL.parse(to)?.protocol ?? '');
    if (isCopy && isPostgres && from.startsWith('sqlite:'))
      return { from: from.slice('sqlite:'.length) || dataDir, to };
  } catch (error) {
    console.error((error as Error).message);
  }
  console.error(`${USAGE}\nWithout --from it is DATA_DIR, without --to STORE_URL, for an address with a password.`);
  process.exit(2);
}

const { from, to } = readArguments();
const stopping = new AbortController();
process.once('SIGINT', () => stopping.abort(new OperatorError('stopped: the same command goes on where it was')));
try {
  const copied = await copyStore({
    ...{ from, to, signal: stopping.signal },
    onProgress: (table, rows) => console.log(`${table}: ${rows} rows`),
  });
  const counts = [...copied].map(([table, rows]) => `${table} ${rows}`);
  console.log(`Copied and compared, row by row: ${counts.join(', ')}.`);
  console.log(
    'Now start the bot with that address in STORE_URL. The data in DATA_DIR is as it was: delete it once all is well.',
  );
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
