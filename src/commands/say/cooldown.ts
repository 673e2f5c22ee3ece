import { managesServer } from '../../discord/channels/server-managers.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';
import type { SpeakCall } from './speak-call.ts';

interface Asking {
  readonly interaction: SpeakCall['interaction'];
  readonly services: Pick<Services, 'textCooldown'>;
}
type Rules = Pick<ServerRules, 'cooldownSeconds'>;

/** Throws a UserError while the break lasts that the server's admins want between two texts of one member. */
export function mustBeRested({ interaction, services }: Asking, rules: Rules): void {
  if (!interaction.inCachedGuild()) return;
  const waitMs = services.textCooldown.waitMs(interaction.guildId, speakerOf(interaction), rules);
  if (waitMs > 0) throw new UserError(text('refused.server-cooldown', { seconds: Math.ceil(waitMs / 1000) }));
}

/** Begins the break with a text that is accepted: what is refused, for whatever reason, begins none. */
export function acceptRested<Accepted>(asking: Asking, rules: Rules, accept: () => Accepted): Accepted {
  mustBeRested(asking, rules);
  const accepted = accept();
  const { interaction, services } = asking;
  if (interaction.inCachedGuild()) services.textCooldown.take(interaction.guildId, speakerOf(interaction), rules);
  return accepted;
}

const speakerOf = (interaction: SpeakCall['interaction']) => ({
  userId: interaction.user.id,
  isAdmin: managesServer(interaction),
});
