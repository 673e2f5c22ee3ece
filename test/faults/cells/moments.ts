import { setTimeout as sleep } from 'node:timers/promises';
import type { Cell, CellScene, Wanted, When } from '../cell.ts';

const ARRIVAL_TIMEOUT_MS = 20_000;

/** Resolves when the bot is in the channel General and connects to its voice server. */
export function arrival({ server }: CellScene): Promise<void> {
  return server.channel('General').hasBot(true, { timeoutMs: ARRIVAL_TIMEOUT_MS });
}

/** Makes a fault at once or, if the bot is connecting, when it has joined the channel. */
function onceThere(when: When, fault: (scene: CellScene) => void | Promise<void>): Cell['inject'] {
  if (when !== 'connecting') return fault;
  return async (scene) => {
    await arrival(scene);
    await fault(scene);
  };
}

/** A fault that begins at once and ends after `ms`, or with its cell. */
export const lasting =
  (ms: number, begin: (scene: CellScene) => () => void): Cell['inject'] =>
  async (scene) => {
    const ended = begin(scene);
    let isOver = false;
    const end = () => {
      if (!isOver) ended();
      isOver = true;
    };
    scene.onEnd(end);
    await sleep(ms);
    end();
  };

export { sleep };

type More = Omit<Cell, 'group' | 'fault' | 'when' | 'wanted' | 'inject'>;

export const atAll = (wanted: Wanted) => ({ connecting: wanted, speaking: wanted, idle: wanted });
export const underWay = (wanted: Wanted) => ({ connecting: wanted, speaking: wanted });

/**
 * Makes the cells of a group for a fault and its expectations at each moment. `from` tells if a fault during connecting
 * comes at once, or only when the bot has joined the channel.
 */
export const rowsOf =
  (group: string, from: 'once there' | 'at once' = 'once there') =>
  (fault: string, wanted: Partial<Record<When, Wanted>>, inject: Cell['inject'], more: More = {}): Cell[] =>
    (Object.entries(wanted) as [When, Wanted][]).map(([when, own]) =>
      grouped(group)(fault, when, own, from === 'at once' ? inject : onceThere(when, inject), more),
    );

/** Makes a cell of a group, whose fault comes at once. */
export const grouped =
  (group: string) =>
  (fault: string, when: When, wanted: Wanted, inject: Cell['inject'], more: More = {}): Cell => ({
    ...{ group, fault, when, wanted, inject },
    ...more,
  });
