import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import { underWay } from '../../services/queue/queue-item.ts';
import { admissionRefusal, placeRefusal, type ServerRules, wherever } from '../../services/servers/admission.ts';
import type { BlockableRequest, SpokenTexts } from '../../services/text/spoken-text.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { mayManage, voiceChannelsOf } from '../channels/permissions.ts';

interface EndForbiddenNeeds {
  readonly client: Client;
  readonly speakers: GuildSpeakers;
  readonly spokenTexts: SpokenTexts;
}

/**
 * Ends queued texts and files that a change of a server's rules forbids, and leaves a voice channel that it forbids. A
 * channel that earlier rules forbade, too, is not left: an admin brought the bot there. Rejects if a check of a text fails.
 */
export async function endForbidden(
  { client, speakers, spokenTexts }: EndForbiddenNeeds,
  guildId: string,
  { before, after }: { readonly before: ServerRules; readonly after: ServerRules },
): Promise<void> {
  const speaker = speakers.find(guildId);
  if (speaker?.channelId !== undefined) {
    const { channelId: voiceChannelId } = speaker;
    const where = { isAdmin: false, voiceChannelId, isVoiceChannel: voiceChannelsOf(client) };
    const refusal = placeRefusal(after, where);
    if (refusal && !placeRefusal(before, where)) speaker.sendAway(refusal);
  }
  const view = speaker?.queue();
  const items = view ? underWay(view) : [];
  const { files } = speakers;
  const ofServer = files.ofServer(guildId);
  const requesters = [...items, ...(view?.recent ?? [])].map(({ order }) => order.userId);
  for (const userId of new Set([...requesters, ...ofServer.map((file) => file.userId)])) {
    const refusal = memberRefusal(client, guildId, userId, after);
    if (refusal && !memberRefusal(client, guildId, userId, before)) {
      const why = forbidden(refusal);
      speaker?.forgetMember(userId, why);
      files.end((file) => file.guildId === guildId && file.userId === userId, why);
    }
  }
  const wordsOf = ({ blockedWords, blockedWordsExceptions }: ServerRules) => [blockedWords, blockedWordsExceptions];
  if (isDeepStrictEqual(wordsOf(before), wordsOf(after))) return;
  const refuseBlocked = async (request: BlockableRequest, end: (why: UserError) => void) => {
    const blocked = await spokenTexts.blockedInRequest(request, guildId);
    if (blocked) end(blocked);
  };
  // All texts are checked at once, so that a failed check does not prevent the other checks.
  await Promise.all([
    ...items.map(({ id, requested: { request } }) => refuseBlocked(request, (why) => speaker?.refuse(id, why))),
    ...ofServer.map((file) => refuseBlocked(file.request, (why) => files.end((one) => one === file, why))),
  ]);
}

interface Asked {
  readonly guildId: string;
  readonly userId: string;
  readonly voiceChannelId: string;
  /** The speech request with the wording that the bot speaks; undefined if the text is no longer stored. */
  readonly request: BlockableRequest | undefined;
}

/** Why the current rules forbid a text that earlier rules allowed; undefined if they allow it. */
export async function forbiddenBy(
  rules: ServerRules,
  { guildId, userId, voiceChannelId, request }: Asked,
  client: Client,
  spokenTexts: SpokenTexts,
): Promise<UserError | undefined> {
  const guild = client.guilds.cache.get(guildId);
  const member = guild?.members.cache.get(userId);
  const isVoiceChannel = voiceChannelsOf(guild);
  const isAdmin = mayManage(member?.permissions);
  const refusal = memberRefusal(client, guildId, userId, rules);
  if (refusal) return forbidden(refusal);
  const ofPlace = placeRefusal(rules, { isAdmin, voiceChannelId, isVoiceChannel });
  if (ofPlace) return new UserError(ofPlace);
  return request && (await spokenTexts.blockedInRequest(request, guildId));
}

/** Only the requester learns why a text is forbidden, because decisions of admins about a member are private. */
const forbidden = (refusal: Text) => new UserError(refusal, { toOthers: text('refused.by-rules') });

/**
 * Returns why a member may use the bot in none of the server's channels. Roles of uncached members are unknown. Other
 * bots need no allowed role, because their messages are read aloud without one.
 */
function memberRefusal(client: Client, guildId: string, userId: string, rules: ServerRules): Text | undefined {
  const member = client.guilds.cache.get(guildId)?.members.cache.get(userId);
  const { blockedRoles, allowedRoles, ...others } = wherever(rules);
  const byRole = { blockedRoles, allowedRoles: member?.user.bot ? undefined : allowedRoles };
  return admissionRefusal(member ? { ...others, ...byRole } : others, {
    userId,
    roleIds: [...(member?.roles.cache.keys() ?? [])],
    isAdmin: mayManage(member?.permissions),
    textChannelId: undefined,
    voiceChannelId: undefined,
  });
}
