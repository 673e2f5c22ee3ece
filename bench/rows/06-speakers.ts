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
      rowMs: 125_000,
      oursSizes: [800, 1_200, 1_400, 1_600, 1_800, TARGET],
      oursGuess: 3,
      librarySizes: [100, 200, 250, 300, 400, 600],
      timedEvery: 4,
      plotName: '06-speakers',
    }),
};
