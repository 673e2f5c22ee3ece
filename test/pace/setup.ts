import { installPacedClock, setRealTime } from './paced-clock.ts';

installPacedClock();
setRealTime(false);
