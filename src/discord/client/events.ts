import {
  type APIInteraction,
  ChannelType,
  type Client,
  Events,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayOpcodes,
  type Guild,
  type Interaction,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  Routes,
  Status,
  type VoiceState,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { VoiceSessions } from '../../audio/connection/voice-sessions.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { refusal } from '../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import { render, text } from '../../texts/catalog.ts';
import { endOfSession } from './login.ts';
import { reportRateLimits } from './rest.ts';

interface EventRoutes {
  readonly client: Client;
  readonly speakers: GuildSpeakers;
  readonly sessions: VoiceSessions;
  readonly handleInteraction: (interaction: Interaction) => Promise<void>;
  /** Called when Discord has ended the gateway session permanently and an operator has to act. */
  readonly onFatal: (error: Error) => void;
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

export function routeEvents(routes: EventRoutes): void {
  const { client, speakers, sessions, handleInteraction, onFatal, stopping, log } = routes;
  const isFirst = createFirstTime();
  // During the start, a first listener answers commands with a notice. For such a command, `isFirst` is then false in
  // the second listener, which therefore does not run the command.
  answerWhileStarting(client, isFirst);
  client.on(Events.InteractionCreate, (interaction) => {
    if (isFirst(interaction.id)) void handleInteraction(interaction);
  });

  client.on(Events.VoiceStateUpdate, (before, after) => {
    const speaker = speakers.find(after.guild.id);
    if (before.channelId !== after.channelId) speaker?.audienceChanged();
    if (after.id !== client.user?.id) return;
    if (wasSilenced(before, after)) speaker?.movedToAudience();
    else if (after.channel && isHeldBack(after)) speaker?.heldBack(after.channel.id);
    else if (before.channelId === after.channelId) speaker?.accessChanged();
  });
  // Changes of roles, of the bot itself and of channels may change where the bot can speak.
  client.on(Events.GuildRoleUpdate, (_, { guild }) => speakers.find(guild.id)?.accessChanged());
  client.on(Events.GuildRoleDelete, ({ guild }) => speakers.find(guild.id)?.accessChanged());
  client.on(Events.GuildMemberUpdate, (_, { id, guild }) => {
    if (id === client.user?.id) speakers.find(guild.id)?.accessChanged();
  });
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) speakers.find(channel.guild.id)?.accessChanged();
  });
  // Only GuildAvailable reveals which members joined or left voice during a server's outage.
  client.on(Events.GuildAvailable, (guild) => {
    log.debug({ guildId: guild.id }, 'Discord made a server available: recounting its voice listeners');
    speakers.find(guild.id)?.audienceChanged();
  });
  leaveStaleVoice(client, sessions, log);
  // Only GuildDelete reports that the bot was removed, so an outage of a server does not end its speech.
  client.on(Events.GuildUnavailable, (guild) =>
    log.warn({ guildId: guild.id }, 'Discord outage for a server: no commands until it ends'),
  );
  client.on(Events.GuildCreate, (guild) => log.info({ guildId: guild.id }, 'The bot was added to a server'));
  client.on(Events.GuildDelete, (guild) => {
    log.info({ guildId: guild.id }, 'The bot was removed from a server');
    speakers
      .forget(guild.id)
      .catch((error: unknown) =>
        log.warn({ err: error, guildId: guild.id }, 'Bot was removed: could not close that server’s voice connection'),
      );
  });

  client.on(Events.ShardReconnecting, (shardId) => {
    if (!stopping.aborted) log.info({ shardId }, 'Reconnecting to Discord');
  });
  client.on(Events.ShardResume, (shardId, replayed) => log.info({ shardId, replayed }, 'Resumed the Discord session'));
  client.on(Events.ShardError, (error, shardId) => {
    // A failed gateway connection is only logged: discord.js reconnects, and ShardDisconnect reports a permanent end.
    log[stopping.aborted ? 'debug' : 'warn']({ err: error, shardId }, 'The connection to Discord failed');
  });
  client.on(Events.ShardDisconnect, ({ code }, shardId) => {
    // Discord has ended the session for good: current texts are cut off, and their requesters learn why. If an operator
    // has to act, Discord would refuse the bot again after a restart.
    const error = endOfSession(code, shardId);
    const isRefused = error instanceof OperatorError || code === GatewayCloseCodes.InvalidIntents;
    void speakers.close(refusal(isRefused ? 'session-ended' : 'stopping'));
    onFatal(error);
  });
  client.on(Events.Invalidated, () => onFatal(new Error('Discord declared the session invalid')));
  reportRateLimits(client.rest, log);
  client.on(Events.Warn, (message) => log.warn(message));
  client.on(Events.Error, (error) =>
    log.error({ err: error }, 'Error from discord.js: continuing, but an event may be lost'),
  );
}

/** True if a moderator has moved the bot from a stage's speakers to its audience. */
function wasSilenced(before: VoiceState, after: VoiceState): boolean {
  const isOnStage = after.channel?.type === ChannelType.GuildStageVoice;
  return isOnStage && before.channelId === after.channelId && !before.suppress && after.suppress === true;
}

/** Discord checks the permission to speak when the bot joins: if the bot gets it later, it has to join again. */
function isHeldBack({ channel, suppress }: VoiceState): boolean {
  return channel?.type === ChannelType.GuildVoice && suppress === true;
}

/** Number of remembered event ids. Discord repeats an event at once or when a session resumes. */
const MAX_REMEMBERED = 2_000;

/** Discord may send an event several times: https://discord.com/developers/docs/reference#consistency */
export function createFirstTime(): (id: string) => boolean {
  const seen = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  return (id) => {
    const isFirst = !seen.has(id);
    if (isFirst) seen.set(id, true);
    return isFirst;
  };
}

/**
 * Answers commands with a notice during the start, because discord.js holds commands back until all shards are ready. That
 * takes 5 s per shard, and 15 s if a server has an outage, but Discord accepts answers only for 3 s.
 */
function answerWhileStarting(client: Client, isFirst: (interactionId: string) => boolean): void {
  client.ws.on(GatewayDispatchEvents.InteractionCreate, (interaction: APIInteraction) => {
    if (client.ws.status === Status.Ready) return;
    const { id, token, type } = interaction;
    if (type === InteractionType.Ping || type === InteractionType.ApplicationCommandAutocomplete) return;
    if (!isFirst(id)) return;
    const content = render(text('refused.stopping'), interaction.locale);
    const body = {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { content, flags: MessageFlags.Ephemeral },
    };
    client.rest
      .post(Routes.interactionCallback(id, token), { auth: false, body })
      .catch((error: unknown) => client.emit(Events.Warn, `Could not answer a command during the start: ${error}`));
  });
}

/** Leaves a voice channel that still shows the bot after its process was killed, or after a request to leave was lost. */
export function leaveStaleVoice(client: Client, sessions: VoiceSessions, log: Logger): void {
  function look(guild: Guild): void {
    if (isStale(guild)) sessions.leaveStale(guild.id, guild.shardId, () => leave(guild));
  }

  /** True if Discord shows the unconnected bot in voice. False until the shard is ready: servers of a new session arrive one by one. */
  const isStale = (guild: Guild) =>
    channelOf(guild) !== undefined && !sessions.get(guild.id) && guild.shard.status === Status.Ready;

  const channelOf = ({ voiceStates }: Guild) => voiceStates.cache.get(client.user?.id ?? '')?.channelId ?? undefined;

  /** Requests to leave voice. Returns false without a request if Discord no longer shows the bot there, or if the bot has connected. */
  function leave(guild: Guild): boolean {
    if (!isStale(guild)) return false;
    log.info(
      { guildId: guild.id, channelId: channelOf(guild) },
      'Discord still shows the bot in voice: leaving that channel',
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
