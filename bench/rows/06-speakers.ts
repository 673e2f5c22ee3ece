import { measureSpeakers } from '../load-rows.ts';
import type { Row } from '../row.ts';

const TARGET = 2_000;

export const row: Row = {
  number: 6,
  name: 'speakers',
  figure: 'the same without DAVE (stages)',
  target: `≥ ${TARGET}`,
  run: (context) =>
    measureSpeakers(context, {
      dave: false,
      target: TARGET,
      oursSizes: [600, 1_000, 1_400, 1_700, 2_000, 2_200],
      librarySizes: [200, 300, 400, 500, 600, 700],
      plotName: '06-speakers',
    }),
};
