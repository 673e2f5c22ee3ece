import { notBuiltYet } from '../row.ts';

export const row = notBuiltYet(
  {
    number: 2,
    name: 'cached',
    figure: 'repeated text (cache): interaction → first audible packet',
    target: 'p95 ≤ 15 ms, no API call; 50 equal requests at once → one billed call',
  },
  'clips are not cached.',
);
