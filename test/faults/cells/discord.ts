import type { RestFault } from '../../../src/playground/world/world.ts';
import { type Cell, type CellScene, SPOKEN, TOLD, type When } from '../cell.ts';
import { grouped, lasting, onceThere } from './moments.ts';

const cell = grouped('The main gateway');
const ALL: readonly When[] = ['connecting', 'speaking', 'idle'];
/** Asked for while the bot is away: Discord says so, and may hand it over later. */
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

/** The process ends, and speaks at its next start. */
const POSTPONED = { ...TOLD, first: 'postponed', second: 'postponed', bot: 'either' } as const;

const away = ({ world: { faults } }: CellScene) => {
  faults.refuseGateway(true);
  faults.dropGateway();
  return () => faults.refuseGateway(false);
};

const gateway: readonly Cell[] = [
  ...ALL.flatMap((when) => [
    cell(
      'TCP cut',
      when,
      when === 'idle' ? ASKED_MEANWHILE : SPOKEN,
      onceThere(when, ({ world }) => world.faults.dropGateway()),
    ),
    cell(
      'op 7 (Reconnect)',
      when,
      SPOKEN,
      onceThere(when, ({ world }) => world.faults.askToReconnect()),
    ),
    cell(
      'op 9 (Invalid Session), resumable',
      when,
      when === 'idle' ? ASKED_MEANWHILE : SPOKEN,
      onceThere(when, ({ world }) => world.faults.invalidateSession({ resumable: true })),
    ),
    cell(
      'op 9 (Invalid Session), not resumable',
      when,
      when === 'idle' ? ASKED_MEANWHILE : NEW_SESSION,
      onceThere(when, ({ world }) => world.faults.invalidateSession({ resumable: false })),
    ),
  ]),
  ...(['speaking', 'idle'] as const).flatMap((when) => [
    cell(
      'zombie: no heartbeat is answered for 3 s',
      when,
      when === 'idle' ? ASKED_MEANWHILE : SPOKEN,
      lasting(3_000, ({ world }) => {
        world.faults.answerHeartbeats(false);
        return () => world.faults.answerHeartbeats(true);
      }),
      { world: { heartbeatIntervalMs: 1_000 } },
    ),
    cell('away for 5 s', when, when === 'idle' ? ASKED_MEANWHILE : SPOKEN, lasting(5_000, away)),
    cell(
      'the server has an outage of 3 s',
      when,
      when === 'idle' ? ASKED_MEANWHILE : SPOKEN,
      lasting(3_000, ({ server }) => once(server.outage())),
    ),
  ]),
  ...[4000, 4007, 4008, 4009].map((code) =>
    cell(`closed with ${code}`, 'speaking', [4007, 4009].includes(code) ? NEW_SESSION : SPOKEN, ({ world }) =>
      world.faults.closeGateway(code),
    ),
  ),
  ...[4004, 4010, 4011, 4012, 4013, 4014].map((code) =>
    cell(
      `closed with ${code}`,
      'speaking',
      { ...POSTPONED, words: [4004, 4013, 4014].includes(code) ? /the bot’s owner/ : /is restarting/ },
      ({ world }) => world.faults.closeGateway(code),
    ),
  ),
];

function once(end: () => void): () => void {
  let isOver = false;
  return () => {
    if (!isOver) end();
    isOver = true;
  };
}

const rest = grouped('REST');
const CALLBACK = /^\/interactions\//;
const EDIT = /^\/webhooks\//;

const restFault =
  (fault: RestFault): Cell['inject'] =>
  ({ world, onEnd }) =>
    onEnd(world.faults.rest(fault));

const REST: readonly Cell[] = [
  ...(
    [
      ['callback', CALLBACK],
      ['edit', EDIT],
    ] as const
  ).flatMap(([what, path]) => [
    rest(`429 for 1 s, to each ${what}`, 'connecting', SPOKEN, restFault({ path, retryAfterSeconds: 1, times: 2 })),
    rest(`500 twice, to the ${what}`, 'connecting', SPOKEN, restFault({ path, status: 500, times: 2 })),
    rest(`502 once, to the ${what}`, 'connecting', SPOKEN, restFault({ path, status: 502 })),
    rest(`the answer to the ${what} lost`, 'connecting', SPOKEN, restFault({ path, loseAnswer: true })),
  ]),
  rest('each edit hangs for 5 s', 'connecting', SPOKEN, restFault({ path: EDIT, delayMs: 5_000, times: 4 })),
  rest(
    'the callback hangs for 4 s',
    'connecting',
    {
      ...SPOKEN,
      first: 'told',
      words: /did not respond/,
      toldShare: 0,
      recoveryMs: 8_000,
      because: 'Discord waits 3 s for an answer, says so itself, and takes none later',
    },
    restFault({ path: CALLBACK, delayMs: 4_000 }),
  ),
  rest('the callback hangs for 2 s', 'connecting', { ...SPOKEN }, restFault({ path: CALLBACK, delayMs: 2_000 })),
];

export const DISCORD: readonly Cell[] = [...gateway, ...REST];
