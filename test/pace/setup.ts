import { installPacedClock } from './paced-clock.ts';

installPacedClock();
