import type { RowContext } from './row.ts';
import { ROWS } from './rows/index.ts';

// One row, in a process of its own: main.ts starts it on the speaking end's core.

const [name, context] = process.argv.slice(2);
const row = ROWS.find((candidate) => candidate.name === name);
if (!row) throw new Error(`No such row: ${name}`);
const result = await row.run(JSON.parse(context ?? '{}') as RowContext);
process.send?.(result, () => process.disconnect());
