import { type Client, Events, GatewayOpcodes, type Guild, Status } from 'discord.js';
import type { Logger } from 'pino';
import type { VoiceSessions } from '../../../audio/connection/voice-session-types.ts';

/**
 * Leaves voice channels in which Discord still shows the bot although it has no session there. A request to leave is lost
 * while the gateway reconnects or the server has an outage, and a killed process sends none.
 */
export function leaveStaleVoice(client: Client, sessions: VoiceSessions, log: Logger): void {
  function look(guild: Guild): void {
    if (isStale(guild)) sessions.leaveStale({ guildId: guild.id, shardId: guild.shardId }, () => leave(guild));
  }

  /** While a session is new its servers arrive one by one: they are checked when all have arrived. */
  const isStale = (guild: Guild) =>
    channelOf(guild) !== undefined && !sessions.get(guild.id) && guild.shard.status === Status.Ready;

  const channelOf = ({ voiceStates }: Guild) => voiceStates.cache.get(client.user?.id ?? '')?.channelId ?? undefined;

  /** The request may have had to wait: false when it is of no use any more. */
  function leave(guild: Guild): boolean {
    if (!isStale(guild)) return false;
    log.info(
      { guildId: guild.id, channelId: channelOf(guild) },
      'Leaving a voice channel in which the bot has no session',
    );
    guild.shard.send({
      op: GatewayOpcodes.VoiceStateUpdate,
      d: { guild_id: guild.id, channel_id: null, self_mute: false, self_deaf: true },
    });
    return true;
  }

  function lookAtAll(shardId: number): void {
    for (const guild of client.guilds.cache.values()) if (guild.shardId === shardId) look(guild);
  }

  client.on(Events.ShardReady, lookAtAll);
  client.on(Events.ShardResume, lookAtAll);
  client.on(Events.GuildAvailable, look);
}
