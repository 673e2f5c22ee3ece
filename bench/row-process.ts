import { answer } from './child.ts';
import type { RowContext } from './row.ts';
import { ROWS } from './rows/index.ts';

// Runs one row in its own process, which main.ts starts on the speaking core.

await answer(({ name, context }: { readonly name: string; readonly context: RowContext }) => {
  const row = ROWS.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`No such row: ${name}`);
  return row.run(context);
});
