import type { BaseInteraction } from 'discord.js';
import { NO_PREFERENCES, type Preferences } from '../services/preferences.ts';
import type { Services } from './command.ts';

interface Call {
  readonly interaction: BaseInteraction;
  readonly services: Services;
}

/** What the caller and the server's admins chose beforehand. Rejects with a StoreError. */
export async function preferencesOf({ interaction, services }: Call): Promise<Preferences> {
  const { user } = interaction;
  // Only where the bot is: what is kept for a server is that server's.
  const guildId = interaction.inCachedGuild() ? interaction.guildId : undefined;
  const [here, everywhere, server] = await Promise.all([
    guildId === undefined ? {} : services.members.get({ userId: user.id, guildId }),
    services.members.get({ userId: user.id, guildId: undefined }),
    guildId === undefined ? {} : services.settings.get(guildId),
  ]);
  return { here, everywhere, server };
}

/** The same for speaking, which a store that does not answer must not keep anybody from: none are known then. */
export async function availablePreferences(call: Call): Promise<Preferences> {
  try {
    return await preferencesOf(call);
  } catch (error) {
    call.services.log.warn(
      { err: error, guildId: call.interaction.guildId },
      'Going on without what was chosen beforehand: the store does not answer',
    );
    return NO_PREFERENCES;
  }
}
