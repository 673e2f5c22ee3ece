import { notBuiltYet } from '../row.ts';

export const row = notBuiltYet(
  {
    number: 4,
    name: 'long-text',
    figure: 'long text of n sentences: start, and the gaps between parts',
    target: 'start ≤ API(first part) + 10 ms for any n; gap between parts p95 ≤ 40 ms, no seam audible',
  },
  'long texts are not spoken in parts.',
);
