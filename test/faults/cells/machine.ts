import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ServiceFaults } from '../../../src/speech-service/api/speech.ts';
import { type Cell, type CellScene, SPOKEN, TOLD, type Wanted } from '../cell.ts';
import { arrival, atAll, grouped, lasting, rowsOf, sleep } from './moments.ts';

const service = grouped('The speech service');
const FIRST_TOLD: Wanted = { ...SPOKEN, first: 'told' };

const fails = (fault: string, wanted: Wanted, faults: Partial<ServiceFaults>, more: Pick<Cell, 'world'> = {}): Cell =>
  service(fault, 'connecting', wanted, ({ lane }) => void Object.assign(lane.service.faults, faults), more);

const SERVICE: readonly Cell[] = [
  fails('503 twice', { ...SPOKEN }, { unavailable: 2 }),
  fails('500 once', { ...SPOKEN, first: 'spoken or told' }, { serverError: 1 }),
  fails('an HTML page with 502', { ...SPOKEN, first: 'spoken or told' }, { html: 1 }),
  fails('each request takes 2 s', { ...SPOKEN, recoveryMs: 6_000 }, { latencyMs: 2_000 }),
  fails('the answer lost after it was paid', FIRST_TOLD, { dropAfterBilling: 1 }),
  fails('a text refused for its content', FIRST_TOLD, { contentPolicy: 1 }),
  fails('the quota used up', { ...TOLD, bot: 'either' }, { quota: 100 }, { world: {} }),
  fails('audio that is missing at first', { ...SPOKEN }, { missingAudio: 3 }),
  fails('audio that breaks off once', { ...SPOKEN, first: 'spoken or told' }, { cutAudio: 1 }),
  fails('audio at little more than its own speed', SPOKEN, { audioBytesPerSecond: 60_000 }),
  fails('audio that takes 2 s to begin', { ...SPOKEN, recoveryMs: 6_000 }, { audioLatencyMs: 2_000 }),
  service(
    '503 for 6 s',
    'connecting',
    { ...SPOKEN, recoveryMs: 12_000 },
    lasting(6_000, ({ lane }) => {
      lane.service.faults.unavailable = Number.POSITIVE_INFINITY;
      return () => Object.assign(lane.service.faults, { unavailable: 0 });
    }),
  ),
  ...rowsOf('The speech service', 'at once')(
    'killed, and back after 2 s',
    { ...atAll(SPOKEN), connecting: { ...SPOKEN, recoveryMs: 9_000 } },
    async ({ lane }) => {
      await lane.stopService();
      await sleep(2_000);
      await lane.startService();
    },
    { world: {} },
  ),
];

const store = rowsOf('The store', 'at once');
/** A bot that cannot check a limit may reject the text. */
const REFUSED_OR_NOT: Wanted = { ...SPOKEN, first: 'spoken or told', second: 'spoken or told', bot: 'either' };

function locked({ lane }: CellScene): () => void {
  const database = new DatabaseSync(join(lane.dataDir, 'crier.sqlite'));
  database.exec('BEGIN EXCLUSIVE');
  return () => database.close();
}

const KEPT_WHILE_SPEAKING = { ...atAll(REFUSED_OR_NOT), speaking: { ...REFUSED_OR_NOT, first: 'spoken' } as const };

const STORE: readonly Cell[] = [
  ...store('the database locked for 4 s', KEPT_WHILE_SPEAKING, lasting(4_000, locked)),
  ...store(
    'the disk full for 4 s',
    KEPT_WHILE_SPEAKING,
    lasting(4_000, ({ lane }) => lane.fillDisk()),
    { world: {}, disk: 'small' },
  ),
  ...store(
    'the data folder read-only for 4 s',
    atAll(SPOKEN),
    lasting(4_000, ({ lane }) => lane.makeReadOnly()),
    { world: {}, account: 'ordinary' },
  ),
  ...store(
    'the database overwritten',
    KEPT_WHILE_SPEAKING,
    ({ lane }) => {
      for (const file of ['crier.sqlite', 'crier.sqlite-wal'])
        writeFileSync(join(lane.dataDir, file), 'No database. '.repeat(4_000));
    },
    { world: {} },
  ),
];

const kills = grouped('Kills');
const AFTER_A_START = {
  ...SPOKEN,
  recoveryMs: 9_000,
  because: 'counted from when the bot answers again: the channel is joined anew',
};

/** The time in which the bot has accepted both texts. */
const ACCEPTED_MS = 1_000;

async function again({ lane }: CellScene, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const { bot } = lane;
  bot.signal(signal);
  await bot.ended;
  await lane.startBot();
}

const PROCESS = { world: {}, asProcess: true } as const;

const KILLS: readonly Cell[] = (['SIGKILL', 'SIGTERM'] as const).flatMap((signal) => [
  kills(
    `${signal}, and started again`,
    'connecting',
    // A second after the bot accepted a text, its first words may have been heard. The restarted bot then offers the
    // text again instead of speaking it.
    signal === 'SIGKILL' ? { ...AFTER_A_START, first: 'spoken or told' } : AFTER_A_START,
    async (scene) => {
      await arrival(scene);
      await sleep(ACCEPTED_MS);
      await again(scene, signal);
    },
    PROCESS,
  ),
  kills(
    `${signal}, and started again`,
    'speaking',
    // The restarted bot offers an interrupted text again, and does not speak it by itself.
    signal === 'SIGKILL' ? { ...AFTER_A_START, first: 'told' } : AFTER_A_START,
    (scene) => again(scene, signal),
    PROCESS,
  ),
  kills(`${signal}, and started again`, 'idle', SPOKEN, (scene) => again(scene, signal), {
    ...PROCESS,
    isSecondLater: true,
  }),
]);

export const MACHINE: readonly Cell[] = [...SERVICE, ...STORE, ...KILLS];
