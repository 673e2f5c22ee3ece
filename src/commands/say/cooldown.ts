import { managesServer } from '../../discord/channels/permissions.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { text } from '../../texts/catalogue.ts';
import { OfferedError, type Services, type Work } from '../framework/command.ts';
import { countedIn } from '../framework/requester.ts';
import type { SpeakCall } from './speak-call.ts';

interface TextCall {
  readonly interaction: SpeakCall['interaction'];
  readonly services: Services;
}
type CooldownRules = Pick<ServerRules, 'cooldownSeconds' | 'textsInTenSeconds'>;

/** Throws a UserError while the server's limits on how often one member has a text spoken allow no further one. */
export function checkTextCooldown({ interaction, services }: TextCall, rules: CooldownRules): void {
  const guildId = countedIn(interaction);
  const requester = textRequester(interaction);
  // First: time passes between the two, and would make the other one seem longer.
  const withoutPauseMs = services.speakers.cooldown.waitMs(guildId, requester, { ...rules, cooldownSeconds: 0 });
  const waitMs = services.speakers.cooldown.waitMs(guildId, requester, rules);
  if (waitMs <= 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  throw new UserError(
    waitMs > withoutPauseMs
      ? text('refused.server-cooldown', { seconds })
      : text('refused.too-many-texts', { count: rules.textsInTenSeconds, seconds }),
  );
}

/** Counts an accepted text: a refused one is none. */
export function acceptAfterCooldown<Accepted>(call: TextCall, rules: CooldownRules, accept: () => Accepted): Accepted {
  checkTextCooldown(call, rules);
  const accepted = accept();
  const { interaction, services } = call;
  services.speakers.cooldown.take(countedIn(interaction), textRequester(interaction), rules);
  return accepted;
}

/** Nor does one count that was accepted just now and then refused for nothing. */
export function uncountUnspoken({ interaction, services }: TextCall, rules: CooldownRules, work: Work): Work {
  const uncount = services.speakers.cooldown.ifUnspoken(countedIn(interaction), textRequester(interaction), rules);
  return async (progress) => {
    try {
      return await work(progress);
    } catch (error) {
      uncount(error instanceof OfferedError ? error.cause : error);
      throw error;
    }
  };
}

const textRequester = (interaction: SpeakCall['interaction']) => ({
  userId: interaction.user.id,
  isAdmin: managesServer(interaction),
});
