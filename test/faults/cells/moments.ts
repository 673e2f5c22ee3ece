import { setTimeout as sleep } from 'node:timers/promises';
import type { Cell, CellScene, Wanted, When } from '../cell.ts';

const ARRIVAL_TIMEOUT_MS = 20_000;

/** The bot has been let into General, and is connecting to its voice server. */
export function arrival({ server }: CellScene): Promise<void> {
  return server.channel('General').hasBot(true, { timeoutMs: ARRIVAL_TIMEOUT_MS });
}

/** Makes a fault now or, while the bot connects, as soon as it has been let into the channel. */
export function onceThere(when: When, fault: (scene: CellScene) => void | Promise<void>): Cell['inject'] {
  if (when !== 'connecting') return fault;
  return async (scene) => {
    await arrival(scene);
    await fault(scene);
  };
}

/** A fault that begins at once and is taken back after so long. */
export const lasting =
  (ms: number, begin: (scene: CellScene) => () => void): Cell['inject'] =>
  async (scene) => {
    const end = begin(scene);
    scene.onEnd(end);
    await sleep(ms);
    end();
  };

export { sleep };

/** The cells of one group, made with less words. */
export function grouped(group: string) {
  return (
    fault: string,
    when: When,
    wanted: Wanted,
    inject: Cell['inject'],
    more: Pick<Cell, 'seconds' | 'world' | 'asProcess' | 'disk' | 'account' | 'isSecondLater'> = {},
  ): Cell => ({ group, fault, when, wanted, inject, ...more });
}
