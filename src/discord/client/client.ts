import {
  type APIInteraction,
  Client,
  Constants,
  DefaultRestOptions,
  type ClientOptions as DiscordOptions,
  Events,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type GatewayReadyDispatchData,
  type GatewaySendPayload,
  type Guild,
  type GuildMember,
  Options,
  Partials,
  type RESTOptions,
  SimpleShardingStrategy,
  type User,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import type { Config } from '../../config/config.ts';
import { countCallbackAttempts, encodeForms, isOverByThen, waitOutRefusals } from './rest.ts';

/**
 * How long members stay cached after they wrote a message, used the bot or left a voice channel. No event reports their
 * changes, so their names may be this old.
 */
const KNOWN_FOR_S = 5 * 60;

interface ClientNeeds {
  /** The shards of this process; undefined means all that Discord recommends. */
  readonly shards: Config['shards'];
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
  const attempts = countCallbackAttempts(
    encodeForms(async (...request) => {
      if (!mayAct()) throw new Error('Another process answers for these servers now');
      return refusals.makeRequest(...request);
    }),
  );
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
  if (shards) {
    const { first, last, count } = shards;
    Object.assign(options, {
      shards: Array.from({ length: last - first + 1 }, (_, at) => first + at),
      shardCount: count,
    });
  }
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

const isOwn = ({ id, client }: GuildMember | User): boolean => id === client.user.id;

const isInVoice = ({ voice }: GuildMember): boolean => voice.channelId !== null;

/** Threads in which the bot was used lately. */
const MAX_REMEMBERED = 1_000;

const remembered = new WeakMap<Client, LRUCache<string, string>>();

/**
 * Remembers the parent channel of a thread in which the bot is used: discord.js caches no private thread without the bot
 * as member, and drops the thread's data that comes with the interaction.
 */
function rememberThreadParents(client: Client): void {
  const parents = new LRUCache<string, string>({ max: MAX_REMEMBERED });
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

/*
 * All corrections of discord.js, each with the fault that it prevents. The tests in client.test.ts fail without them.
 */

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/** Two seconds of refusals: an address that refuses for a moment need not be left. */
const MAX_REFUSALS = 3;

/** Keeps the shards of this process from ending it, and from asking forever if they are refused. */
class ShardingStrategy extends SimpleShardingStrategy {
  readonly #client: Client;

  constructor(manager: Manager, client: Client) {
    super(manager);
    this.#client = client;
    resumeElsewhere(manager);
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    for (const shard of shardsOf(this)) surviveUnreadable(shard, this.#client);
  }

  /**
   * discord.js waits for the result of no message to the gateway. A message that waits for the rate limit during a
   * reconnect is sent into a connection that is not open yet: the unhandled rejection would end the process. All
   * senders have deadlines of their own.
   */
  override async send(shardId: number, payload: GatewaySendPayload): Promise<void> {
    await super.send(shardId, payload).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : error;
      this.#client.emit(Events.Warn, `A message to the gateway was lost: ${reason}`);
    });
  }
}

/**
 * Each session resumes at its own address, which Discord may take away. A shard that is refused there before any
 * message does not learn that its session is over, and would retry there forever, as shards of another bot did
 * (https://github.com/tatsuworks/gateway/pull/87). It resumes at the common address instead.
 */
function resumeElsewhere(manager: Manager): void {
  const { options } = manager;
  const retrieve = options.retrieveSessionInfo.bind(options);
  /** By shard. The end of the connection that is to be resumed is the first. */
  const endsWithoutHello = new Map<number, number>();
  manager.on('hello', ({ shardId }) => void endsWithoutHello.delete(shardId));
  manager.on('closed', ({ shardId }) => endsWithoutHello.set(shardId, (endsWithoutHello.get(shardId) ?? 0) + 1));
  options.retrieveSessionInfo = async (shardId) => {
    const session = await retrieve(shardId);
    if (!session || (endsWithoutHello.get(shardId) ?? 0) <= MAX_REFUSALS) return session;
    return { ...session, resumeURL: (await manager.fetchGatewayInformation()).url };
  };
}

interface Shard {
  readonly id: number;
  onMessage(...message: unknown[]): Promise<void>;
}

function shardsOf(strategy: SimpleShardingStrategy): Iterable<Shard> {
  const shards: unknown = Reflect.get(strategy, 'shards');
  return shards instanceof Map ? (shards as Map<number, Shard>).values() : [];
}

/**
 * discord.js reads payloads of the gateway without checking them, and waits for none of their handlers: a missing field would be
 * an unhandled rejection, which would end the process (found by `npm run fuzz`). Such a payload is reported and left out.
 */
function surviveUnreadable(shard: Shard, client: Client): void {
  const onMessage = shard.onMessage.bind(shard);
  shard.onMessage = (...message) =>
    onMessage(...message).catch((cause: unknown) => {
      const error = new Error(`A payload of the gateway could not be handled on shard ${shard.id}`, { cause });
      client.emit(Events.Error, error);
    });
}

/**
 * REST forgets the token with the first 401, which Discord has also sent for a valid token
 * (https://github.com/discordjs/discord.js/issues/10958): all later requests would fail. For a token that is really
 * invalid, the gateway closes with 4004.
 */
function keepToken(client: Client): void {
  const setToken = client.rest.setToken.bind(client.rest);
  client.rest.setToken = (token) => (token === null && client.token ? client.rest : setToken(token));
}

/**
 * Emits GuildDelete for servers that removed the bot while its session was lost: a new session lists the current servers (those
 * with an outage too), and no event follows for the others. discord.js only adds to its cache
 * (https://github.com/discordjs/discord.js/issues/11546).
 */
function noticeMissedRemovals(client: Client): void {
  client.ws.on(GatewayDispatchEvents.Ready, ({ guilds }: GatewayReadyDispatchData, shardId: number) => {
    const present = new Set(guilds.map(({ id }) => id));
    for (const guild of client.guilds.cache.values()) {
      if (guild.shardId === shardId && !present.has(guild.id)) remove(client, guild);
    }
  });
}

function remove(client: Client, guild: Guild): void {
  for (const channelId of guild.channels.cache.keys()) client.channels.cache.delete(channelId);
  client.voice.adapters.get(guild.id)?.destroy();
  client.guilds.cache.delete(guild.id);
  client.emit(Events.GuildDelete, guild);
}
