import { managesServer } from '../../discord/channels/server-managers.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';
import type { SpeakCall } from './speak-call.ts';

interface TextCall {
  readonly interaction: SpeakCall['interaction'];
  readonly services: Pick<Services, 'textCooldown'>;
}
type CooldownRules = Pick<ServerRules, 'cooldownSeconds'>;

/** Throws a UserError during the cooldown that the server's admins set between two texts of one member. */
export function checkTextCooldown({ interaction, services }: TextCall, rules: CooldownRules): void {
  if (!interaction.inCachedGuild()) return;
  const waitMs = services.textCooldown.waitMs(interaction.guildId, textRequester(interaction), rules);
  if (waitMs > 0) throw new UserError(text('refused.server-cooldown', { seconds: Math.ceil(waitMs / 1000) }));
}

/** Begins the cooldown with an accepted text: a refused one begins none. */
export function acceptAfterCooldown<Accepted>(call: TextCall, rules: CooldownRules, accept: () => Accepted): Accepted {
  checkTextCooldown(call, rules);
  const accepted = accept();
  const { interaction, services } = call;
  if (interaction.inCachedGuild()) services.textCooldown.take(interaction.guildId, textRequester(interaction), rules);
  return accepted;
}

const textRequester = (interaction: SpeakCall['interaction']) => ({
  userId: interaction.user.id,
  isAdmin: managesServer(interaction),
});
