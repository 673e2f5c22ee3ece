import { answer } from './child.ts';
import type { RowContext } from './row.ts';
import { ROWS } from './rows/index.ts';

// One row, in a process of its own: main.ts starts it on the speaking end's core.

await answer(({ name, context }: { readonly name: string; readonly context: RowContext }) => {
  const row = ROWS.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`No such row: ${name}`);
  return row.run(context);
});
