import {
  Client,
  DefaultRestOptions,
  Events,
  GatewayIntentBits,
  type GuildMember,
  Options,
  Partials,
  type RESTOptions,
  type User,
} from 'discord.js';
import type { Config } from '../../config/config.ts';
import { countCallbackAttempts } from './callback-attempts.ts';
import { encodeForms } from './form-bodies.ts';
import { catchFailedSends } from './gateway/gateway-sends.ts';
import { noticeMissedRemovals } from './gateway/missed-server-removals.ts';
import { strategyToSurvive } from './gateway/unreadable-payloads.ts';
import { rememberThreadParents } from './thread-parents.ts';

/**
 * How long members stay cached after they wrote a message, used the bot or left a voice channel. No event reports their
 * changes, so their names may be this old.
 */
const KNOWN_FOR_S = 5 * 60;

/** discord.js keeps a queue for the requests of each interaction, by default for an hour: thousands that are never used again. */
const REQUEST_QUEUES_SWEPT_MS = 60_000;

/**
 * The connection to Discord, not yet logged in. Its only intents are Guilds and GuildVoiceStates: the members in voice
 * channels, and the bot's own voice state. No privileged intent, unless the operator wants messages to be read.
 */
export function createDiscordClient({ apiUrl, readsMessages }: Config['discord']) {
  const attempts = countCallbackAttempts(encodeForms(DefaultRestOptions.makeRequest));
  const rest: Partial<RESTOptions> = {
    makeRequest: attempts.makeRequest,
    handlerSweepInterval: REQUEST_QUEUES_SWEPT_MS,
  };
  if (apiUrl) rest.api = apiUrl.href.replace(/\/$/, '');
  const client: Client = new Client({
    ws: { buildStrategy: strategyToSurvive((error) => client.emit(Events.Error, error)) },
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildVoiceStates,
      ...(readsMessages ? [GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent] : []),
    ],
    // Messages are not cached: without this partial, deletions would not be reported.
    partials: readsMessages ? [Partials.Message] : [],
    allowedMentions: { parse: [] },
    shards: 'auto',
    rest,
    // Only the needed objects are cached: servers, channels, roles, and members in voice channels.
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      ReactionManager: 0,
      PresenceManager: 0,
      GuildInviteManager: 0,
      GuildEmojiManager: 0,
      GuildStickerManager: 0,
      GuildScheduledEventManager: 0,
    }),
    // Swept and not limited: Discord's data of a server begins with its members, and their voice states follow.
    sweepers: {
      ...Options.DefaultSweeperSettings,
      guildMembers: { interval: KNOWN_FOR_S, filter: () => (member) => !isOwn(member) && !isInVoice(member) },
      users: { interval: KNOWN_FOR_S, filter: () => (user) => !isOwn(user) },
      voiceStates: { interval: KNOWN_FOR_S, filter: () => (state) => state.channelId === null },
    },
  });
  rememberThreadParents(client);
  noticeMissedRemovals(client);
  catchFailedSends(client);
  return { client, attempts };
}

const isOwn = ({ id, client }: GuildMember | User): boolean => id === client.user.id;

const isInVoice = ({ voice }: GuildMember): boolean => voice.channelId !== null;
