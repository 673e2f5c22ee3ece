import {
  type APIInteraction,
  Client,
  Constants,
  DefaultRestOptions,
  type ClientOptions as DiscordOptions,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type GuildMember,
  Options,
  Partials,
  type RESTOptions,
  type User,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import type { Config } from '../../config/config.ts';
import { keepToken, noticeMissedRemovals, ShardingStrategy } from './library-patches.ts';
import { countCallbackAttempts, encodeForms, isOverByThen, waitOutRefusals } from './rest.ts';

/**
 * How long members stay cached after they wrote a message, used the bot or left a voice channel. No event reports their
 * changes, so their names may be this old.
 */
const KNOWN_FOR_S = 5 * 60;

interface ClientNeeds {
  /** The shards of this process; undefined means all that Discord recommends. */
  readonly shards: Config['shards'];
  /** Whether this process may write to Discord. */
  readonly mayAct: () => boolean;
  /** Takes turns with other processes that begin sessions with this token. */
  readonly buildThrottler: NonNullable<DiscordOptions['ws']>['buildIdentifyThrottler'];
}

/** All shards, with no other process beside this one. */
const ALONE: ClientNeeds = { shards: undefined, mayAct: () => true, buildThrottler: undefined };

/** discord.js keeps a queue for the requests of each interaction, by default for an hour: thousands that are never used again. */
const REQUEST_QUEUES_SWEPT_MS = 60_000;

/**
 * The connection to Discord, not yet logged in. Its only intents are Guilds and GuildVoiceStates: the members in voice
 * channels, and the bot's own voice state. No privileged intent, unless the operator wants messages to be read.
 */
export function createDiscordClient({ apiUrl, readsMessages }: Config['discord'], needs: Partial<ClientNeeds> = {}) {
  const { shards, mayAct, buildThrottler } = { ...ALONE, ...needs };
  const { makeRequest } = DefaultRestOptions;
  const refusals = waitOutRefusals(makeRequest);
  const attempts = countCallbackAttempts(encodeForms(onlyWhile(mayAct, refusals.makeRequest)));
  const rest: Partial<RESTOptions> = {
    makeRequest: attempts.makeRequest,
    // discord.js is made for an undici that speaks HTTP/1.1; ours, which it uses (package.json, `overrides`), would ask for HTTP/2.
    agent: new Agent({ allowH2: false }),
    handlerSweepInterval: REQUEST_QUEUES_SWEPT_MS,
    rejectOnRateLimit: isOverByThen,
  };
  if (apiUrl) rest.api = apiUrl.href.replace(/\/$/, '');
  const options: DiscordOptions = {
    ws: {
      buildStrategy: (manager) => new ShardingStrategy(manager, client),
      buildIdentifyThrottler: buildThrottler,
    },
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
  };
  if (shards) Object.assign(options, { shards: numbersOf(shards), shardCount: shards.count });
  // discord.js reads variables of these names, too, and means those that its own manager of processes sets.
  delete process.env.SHARDS;
  delete process.env.SHARD_COUNT;
  const client: Client = new Client(options);
  // Each stage on which the bot waits for an invitation adds a listener, and Node takes more than ten for a leak.
  client.setMaxListeners(0);
  keepToken(client);
  rememberThreadParents(client);
  noticeMissedRemovals(client);
  return { client, attempts, isRefused: refusals.isRefused };
}

const numbersOf = ({ first, last }: NonNullable<Config['shards']>): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Whatever is under way when this process may no longer write: another one answers now. */
function onlyWhile(mayAct: () => boolean, makeRequest: RESTOptions['makeRequest']): RESTOptions['makeRequest'] {
  return async (...request) => {
    if (!mayAct()) throw new Error('Another process answers for these servers now');
    return makeRequest(...request);
  };
}

const isOwn = ({ id, client }: GuildMember | User): boolean => id === client.user.id;

const isInVoice = ({ voice }: GuildMember): boolean => voice.channelId !== null;

/** Threads in which the bot was used lately. */
const MOST_REMEMBERED = 1_000;

const remembered = new WeakMap<Client, LRUCache<string, string>>();

/**
 * Remembers the parent channel of a thread in which the bot is used: discord.js caches no private thread without the bot
 * as member, and drops the thread's data that comes with the interaction.
 */
function rememberThreadParents(client: Client): void {
  const parents = new LRUCache<string, string>({ max: MOST_REMEMBERED });
  remembered.set(client, parents);
  client.ws.on(GatewayDispatchEvents.InteractionCreate, ({ channel }: APIInteraction) => {
    const types: readonly (number | undefined)[] = Constants.ThreadChannelTypes;
    if (!channel || !types.includes(channel.type) || !('parent_id' in channel) || !channel.parent_id) return;
    parents.set(channel.id, channel.parent_id);
  });
}

/** The channel above a thread in which the bot was used; undefined for any other channel. */
export const parentOfThread = (client: Client, threadId: string): string | undefined =>
  remembered.get(client)?.get(threadId);
