import { type Client, Events } from 'discord.js';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { registerCommands, registerOwnersCommands } from '../discord/client/registration.ts';
import type { Store } from '../services/storage/store.ts';
import type { Command } from './framework/command.ts';
import { toCommandBody } from './framework/definition.ts';
import { commands } from './index.ts';

interface OfferOptions {
  readonly client: Client<true>;
  readonly config: Pick<Config, 'discord' | 'access'>;
  readonly store: Store;
  readonly log: Logger;
}

/**
 * Registers what the configuration wants to be offered where: everything in all servers or in the one for development,
 * and the owner's commands in OWNER_SERVER or in direct messages. Resolves with whether the common list is registered.
 */
export async function offerCommands({ client, config, store, log }: OfferOptions): Promise<boolean> {
  const { guildId } = config.discord;
  const { directUse, ownerServer } = config.access;
  const ownersApart = ownerServer === guildId ? undefined : ownerServer;
  const bodies = (wanted: readonly Command[], inServer: boolean) =>
    wanted.map((command) => toCommandBody(command, { directUse, inServer }));
  const owners = commands.filter(({ onlyFor }) => onlyFor === 'owner');
  const common = ownersApart === undefined ? commands : commands.filter((command) => !owners.includes(command));

  async function offerOwners(): Promise<void> {
    const place = { guildId: ownersApart, mainGuildId: guildId };
    try {
      await registerOwnersCommands({ client, commands: bodies(owners, true), ...place, store, log });
    } catch (error) {
      const advice = '/owner could not be registered in OWNER_SERVER: invite the bot there, or take that setting out';
      log.error({ err: error, guildId: ownersApart }, advice);
    }
  }

  try {
    await registerCommands({ client, commands: bodies(common, guildId !== undefined), guildId, store, log });
  } catch (error) {
    // Commands registered by an earlier start still work.
    log.error(
      { err: error, guildId },
      'The commands could not be registered: was the bot invited with the scope applications.commands?',
    );
    return false;
  }
  await offerOwners();
  client.on(Events.GuildCreate, ({ id }) => {
    if (id === ownersApart) void offerOwners();
  });
  return true;
}
