import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import { underWay } from '../../services/queue/queued-item.ts';
import { admissionRefusal, wherever } from '../../services/servers/admission.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import type { SpokenTexts } from '../../services/text/spoken-text.ts';
import type { Text } from '../../texts/catalogue.ts';
import { mayManage } from '../channels/server-managers.ts';

interface ChangedRules {
  readonly before: ServerRules;
  readonly after: ServerRules;
}

interface EndForbiddenNeeds {
  readonly client: Client;
  readonly speakers: Pick<GuildSpeakers, 'find'>;
  readonly spokenTexts: Pick<SpokenTexts, 'blockedIn'>;
}

/**
 * Ends what a server's admins have just forbidden there: the texts of members who may not use the bot any more, also those
 * that could be spoken again, and texts with a word that is blocked now. Rejects, once the others are looked at, where one could
 * not be.
 */
export async function endForbidden(
  { client, speakers, spokenTexts }: EndForbiddenNeeds,
  guildId: string,
  { before, after }: ChangedRules,
): Promise<void> {
  const speaker = speakers.find(guildId);
  if (!speaker) return;
  const view = speaker.queue();
  const items = underWay(view);
  for (const userId of new Set([...items, ...view.recent].map((item) => item.userId))) {
    const refusal = memberRefusal(client, guildId, userId, after);
    if (refusal && !memberRefusal(client, guildId, userId, before)) {
      speaker.forgetMember(userId, new UserError(refusal));
    }
  }
  if (isDeepStrictEqual(before.blockedWords, after.blockedWords)) return;
  const failures: unknown[] = [];
  for (const { id, request } of items) {
    try {
      const blocked = await spokenTexts.blockedIn(request.input, guildId, { isPronounced: true });
      if (blocked) speaker.refuse(id, blocked);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Wherever the member asked from: the channels are not looked at. Roles, of those whom discord.js knows; as in reading, bots
 * need none.
 */
function memberRefusal(client: Client, guildId: string, userId: string, rules: ServerRules): Text | undefined {
  const member = client.guilds.cache.get(guildId)?.members.cache.get(userId);
  const { blockedRoles, allowedRoles, ...others } = wherever(rules);
  const byRole = { ...(blockedRoles && { blockedRoles }), ...(allowedRoles && !member?.user.bot && { allowedRoles }) };
  return admissionRefusal(member ? { ...others, ...byRole } : others, {
    userId,
    roleIds: [...(member?.roles.cache.keys() ?? [])],
    isAdmin: mayManage(member?.permissions),
    textChannelId: undefined,
    voiceChannelId: undefined,
  });
}
