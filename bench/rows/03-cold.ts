import { notBuiltYet } from '../row.ts';

export const row = notBuiltYet(
  {
    number: 3,
    name: 'cold',
    figure: 'cold channel: interaction → first audible packet',
    target: '≤ max(join with DAVE ready, API + download) + 10 ms',
  },
  'the bot joins and synthesises side by side, but this bench does not drive it through interactions.',
);
