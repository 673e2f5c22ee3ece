import { afterEach, beforeEach } from 'vitest';
import { startWorld, type World } from '../../../src/playground/world/world.ts';

/** For each test a world of its own, and the path under which its bot registers commands. */
export function freshCommands(): { readonly world: World; readonly path: string } {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.close());
  return {
    get world() {
      return world;
    },
    get path() {
      return `/applications/${world.bot.applicationId}/commands`;
    },
  };
}
