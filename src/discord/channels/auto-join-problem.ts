import type { Client } from 'discord.js';
import { kindOf } from '../../errors/refusals.ts';
import { placeRefusal } from '../../services/servers/admission.ts';
import { rulesOf } from '../../services/servers/server-rules.ts';
import type { ServerSettings } from '../../services/servers/server-settings.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { obstacleIn, voiceChannelsOf } from './voice-access.ts';

/** What keeps the bot out of the channel to join by itself: the server's own list, or the channel; undefined where nothing does. */
export function autoJoinProblem(client: Client, guildId: string, settings: ServerSettings): Text | undefined {
  const { autoJoinChannel: voiceChannelId } = settings;
  const guild = client.guilds.cache.get(guildId);
  if (voiceChannelId === undefined || !guild) return undefined;
  const channel = `<#${voiceChannelId}>`;
  const why = obstacleIn(client, guildId, voiceChannelId);
  if (kindOf(why) === 'channel-gone') return text('settings.auto-join-gone');
  if (kindOf(why) === 'afk-channel') return text('settings.auto-join-afk', { channel });
  const isVoiceChannel = voiceChannelsOf(guild);
  if (placeRefusal(rulesOf(settings), { isAdmin: false, voiceChannelId, isVoiceChannel })) {
    return text('settings.auto-join-forbidden', { channel, setting: text('setting.allowedChannels') });
  }
  // Of what passes, such as a full channel, nobody needs to be told.
  const isLasting = kindOf(why) === 'missing-permissions' || kindOf(why) === 'stage';
  return why && isLasting ? text('settings.auto-join-obstacle', { why }) : undefined;
}
