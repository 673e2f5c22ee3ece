import { measureSpeakers } from '../load-rows.ts';
import type { Row } from '../row.ts';

export const withDave: Row = {
  number: 5,
  name: 'speakers-dave',
  figure: 'simultaneous speakers with real DAVE sessions, one process, one core',
  target: '≥ 1200',
  run: (context) =>
    measureSpeakers(context, {
      dave: true,
      target: 1_200,
      rowMs: 110_000,
      oursSizes: [200, 400, 600, 800, 1_000, 1_200],
      oursGuess: 4,
      librarySizes: [50, 100, 150, 200, 300, 400],
      timedEvery: 1,
    }),
};

export const withoutDave: Row = {
  number: 6,
  name: 'speakers',
  figure: 'the same without DAVE (stages)',
  target: '≥ 2000',
  run: (context) =>
    measureSpeakers(context, {
      dave: false,
      target: 2_000,
      rowMs: 125_000,
      oursSizes: [800, 1_200, 1_400, 1_600, 1_800, 2_000],
      oursGuess: 3,
      librarySizes: [100, 200, 250, 300, 400, 600],
      timedEvery: 4,
    }),
};
