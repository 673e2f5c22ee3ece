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
      oursSizes: [800, 1_000, 1_200, 1_400, 1_600, 2_000],
      librarySizes: [200, 300, 400, 500, 600],
      timedEvery: 4,
      plotName: '06-speakers',
    }),
};
