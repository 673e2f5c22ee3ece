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
      oursSizes: [400, 600, 800, 1_000, 1_200, 1_400, 2_000],
      librarySizes: [100, 200, 300, 400],
      timedEvery: 4,
      plotName: '06-speakers',
    }),
};
