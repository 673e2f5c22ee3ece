import type { Services } from '../../src/commands/framework/command.ts';

/** These of the bot's services; a command that uses another one fails with its name. */
export const servicesOf = (some: Partial<Services>): Services =>
  new Proxy(some as Services, {
    get(given, name) {
      if (!(name in given)) throw new Error(`This test has no ${String(name)}`);
      return Reflect.get(given, name);
    },
  });
