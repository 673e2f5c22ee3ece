import type { Client } from 'discord.js';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { registerCommands } from '../discord/client/registration.ts';
import { toCommandBody } from './framework/definition.ts';
import { commands } from './index.ts';

interface OfferOptions {
  readonly client: Client<true>;
  readonly config: Pick<Config, 'access'>;
  readonly log: Logger;
}

/** Registers all commands, the owner's in direct messages. Resolves with whether they are registered. */
export async function offerCommands({ client, config, log }: OfferOptions): Promise<boolean> {
  const { directUse } = config.access;
  try {
    const wanted = commands.map((command) => toCommandBody(command, { directUse }));
    await registerCommands({ client, commands: wanted, log });
    return true;
  } catch (error) {
    // Commands registered by an earlier start still work.
    log.error({ err: error }, 'Could not register the commands: was the bot invited with applications.commands?');
    return false;
  }
}
