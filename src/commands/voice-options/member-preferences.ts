import type { BaseInteraction } from 'discord.js';
import { availablePreferences as available, keptPreferences } from '../../services/voices/preferences.ts';
import type { Services } from '../framework/command.ts';

/** Where members' and servers' choices are kept. */
interface Call {
  readonly interaction: BaseInteraction;
  readonly services: Services;
}

/** What the caller and the server's admins chose beforehand. Rejects with a StoreError. */
export const preferencesOf = (call: Call) => keptPreferences(whoseOf(call), call.services);

/** The same for speaking: none where the store does not answer. */
export const currentPreferences = (call: Call) => available(whoseOf(call), call.services);

/** Only where the bot is: what is kept for a server is that server's. */
const whoseOf = ({ interaction }: Call) => ({
  userId: interaction.user.id,
  guildId: interaction.inCachedGuild() ? interaction.guildId : undefined,
});
