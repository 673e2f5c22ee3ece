import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';

/** A world for all tests of a file, and the path under which its bot registers commands. */
export function worldForCommands(): { readonly world: World; readonly path: string } {
  let world: World;
  const clock = createManualClock();
  beforeAll(async () => {
    world = await startWorld({ clock });
  });
  afterAll(() => world.close());
  // Commands may be created again.
  beforeEach(() => clock.advance(86_400_000));
  return {
    get world() {
      return world;
    },
    get path() {
      return `/applications/${world.bot.applicationId}/commands`;
    },
  };
}

// Commands as a bot would register them, with a test's changes.
export const text = (change: object = {}) => ({ type: 3, name: 'text', description: 'What to say', ...change });
export const say = (change: object = {}) => ({ name: 'say', description: 'Speak', ...change });
export const withOptions = (...options: object[]) => say({ options });
export const many = (count: number, one: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => one(index));
