import { measureSpeakers } from '../load-rows.ts';
import type { Row } from '../row.ts';

const TARGET = 1_200;

export const row: Row = {
  number: 5,
  name: 'speakers-dave',
  figure: 'simultaneous speakers with real DAVE sessions, one process, one core',
  target: `≥ ${TARGET}`,
  run: (context) =>
    measureSpeakers(context, {
      dave: true,
      target: TARGET,
      rowMs: 110_000,
      oursSizes: [200, 400, 600, 800, 1_000, TARGET],
      oursGuess: 4,
      librarySizes: [50, 100, 150, 200, 300, 400],
      timedEvery: 1,
      plotName: '05-speakers-dave',
    }),
};
