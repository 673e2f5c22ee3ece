import type { Client } from 'discord.js';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import { placeRefusal } from '../../services/servers/admission.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { voiceChannelsOf } from './voice-access.ts';

/**
 * Has the bot leave a voice channel that its server's admins have just taken from it: members could not use it there, and
 * its being there would keep it from the allowed ones. Where an admin brings it afterwards, it stays.
 */
export function leaveForbidden(
  client: Client,
  speakers: GuildSpeakers,
  guildId: string,
  { before, after }: { readonly before: ServerRules; readonly after: ServerRules },
): void {
  const speaker = speakers.find(guildId);
  const voiceChannelId = speaker?.channelId;
  if (!speaker || voiceChannelId === undefined) return;
  const where = { isAdmin: false, voiceChannelId, isVoiceChannel: voiceChannelsOf(client) };
  const refusal = placeRefusal(after, where);
  if (refusal && !placeRefusal(before, where)) speaker.sendAway(refusal);
}
