import type { RestFault } from '../../../src/playground/world/world.ts';
import { type Cell, type CellScene, SPOKEN, TOLD, type Wanted } from '../cell.ts';
import { atAll, grouped, lasting, rowsOf } from './moments.ts';

const rows = rowsOf('The main gateway');
/** A command during the bot's absence: Discord tells the member so, and may deliver the command later. */
const ASKED_MEANWHILE = {
  ...SPOKEN,
  second: 'spoken or told',
  bot: 'either',
  recoveryMs: 9_000,
  because: 'what is asked for while the bot is away reaches it late or not at all',
} as const;
const NEW_SESSION = {
  ...SPOKEN,
  recoveryMs: 9_000,
  because: 'a new session begins after 5 s, and voice ends with the old one',
};

/** The bot's process ends, and its next start speaks the texts. */
const POSTPONED = { ...TOLD, first: 'postponed', second: 'postponed', bot: 'either' } as const;

const THERE = { speaking: SPOKEN, idle: ASKED_MEANWHILE };
const MOMENTS = { connecting: SPOKEN, ...THERE };

const closing =
  (code: number): Cell['inject'] =>
  ({ world }) =>
    world.faults.closeGateway(code);

const zombie = ({ world: { faults } }: CellScene) => {
  faults.answerHeartbeats(false);
  return () => faults.answerHeartbeats(true);
};

const away = ({ world: { faults } }: CellScene) => {
  faults.refuseGateway(true);
  faults.dropGateway();
  return () => faults.refuseGateway(false);
};

const gateway: readonly Cell[] = [
  ...rows('TCP cut', MOMENTS, ({ world }) => world.faults.dropGateway()),
  ...rows('op 7 (Reconnect)', atAll(SPOKEN), ({ world }) => world.faults.askToReconnect()),
  ...rows('op 9 (Invalid Session), resumable', MOMENTS, ({ world }) =>
    world.faults.invalidateSession({ resumable: true }),
  ),
  ...rows('op 9 (Invalid Session), not resumable', { ...atAll(NEW_SESSION), idle: ASKED_MEANWHILE }, ({ world }) =>
    world.faults.invalidateSession({ resumable: false }),
  ),
  ...rows('zombie: no heartbeat is answered for 3 s', THERE, lasting(3_000, zombie), {
    world: { heartbeatIntervalMs: 1_000 },
  }),
  ...rows('away for 5 s', THERE, lasting(5_000, away)),
  ...rows(
    'the server has an outage of 3 s',
    THERE,
    lasting(3_000, ({ server }) => server.outage()),
  ),
  ...[4000, 4007, 4008, 4009].flatMap((code) =>
    rows(`closed with ${code}`, { speaking: [4007, 4009].includes(code) ? NEW_SESSION : SPOKEN }, closing(code)),
  ),
  ...[4004, 4010, 4011, 4012, 4013, 4014].flatMap((code) => {
    const words = [4004, 4013, 4014].includes(code) ? /the bot’s owner/ : /is restarting/;
    return rows(`closed with ${code}`, { speaking: { ...POSTPONED, words } }, closing(code));
  }),
];

const rest = grouped('REST');
const CALLBACK = /^\/interactions\//;
const EDIT = /^\/webhooks\//;

const failing = (name: string, fault: RestFault, wanted: Wanted = SPOKEN): Cell =>
  rest(name, 'connecting', wanted, ({ world, onEnd }) => onEnd(world.faults.rest(fault)));

const REST: readonly Cell[] = [
  ...Object.entries({ callback: CALLBACK, edit: EDIT }).flatMap(([what, path]) => [
    failing(`429 for 1 s, to each ${what}`, { path, answer: { retryAfterSeconds: 1 }, times: 2 }),
    failing(`500 twice, to the ${what}`, { path, answer: 500, times: 2 }),
    failing(`502 once, to the ${what}`, { path, answer: 502 }),
    failing(`the answer to the ${what} lost`, { path, answer: 'lost' }),
  ]),
  failing('each edit hangs for 5 s', { path: EDIT, delayMs: 5_000, times: 4 }),
  failing(
    'the callback hangs for 4 s',
    { path: CALLBACK, delayMs: 4_000 },
    {
      ...SPOKEN,
      first: 'told',
      words: /did not respond/,
      toldShare: 0,
      recoveryMs: 8_000,
      because: 'Discord waits 3 s for an answer, says so itself, and takes none later',
    },
  ),
  failing('the callback hangs for 2 s', { path: CALLBACK, delayMs: 2_000 }),
];

export const DISCORD: readonly Cell[] = [...gateway, ...REST];
