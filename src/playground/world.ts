import type { World, WorldOptions } from './world-types.ts';

export type * from './world-types.ts';

/**
 * Starts a loopback Discord with one server: `general` (text), `General`, `Full` (one place, taken), `Locked` (the bot may
 * not connect), `Quiet` (the bot may not speak), `Stage`; members `alice`, `bob` and `olga`, who owns it.
 */
export async function startWorld(_options: WorldOptions = {}): Promise<World> {
  throw new Error('The playground world is being built');
}
