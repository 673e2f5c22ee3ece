import {
  type APIInteraction,
  Client,
  Constants,
  DefaultRestOptions,
  type ClientOptions as DiscordOptions,
  Events,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type GatewaySendPayload,
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
 * How long members stay cached in seconds after they wrote a message, used the bot or left a voice channel. No event
 * reports changes of cached members, so their names may be outdated for this long.
 */
const KNOWN_FOR_S = 5 * 60;

interface ClientNeeds {
  /** The shards that this process runs; if undefined, as many as Discord recommends. */
  readonly shards: Config['shards'];
  readonly mayAct: () => boolean;
  /** Makes all processes that use one bot token take turns with their session starts. */
  readonly buildThrottler: NonNullable<DiscordOptions['ws']>['buildIdentifyThrottler'];
}

/** The defaults of a bot with a single process, which runs all shards. */
const ALONE: ClientNeeds = { shards: undefined, mayAct: () => true, buildThrottler: undefined };

/**
 * How often discord.js removes unused request queues. It has a queue for each interaction, so its default of an hour
 * would keep thousands.
 */
const REQUEST_QUEUES_SWEPT_MS = 60_000;

/**
 * Creates the connection to Discord without logging in. The intents are Guilds and GuildVoiceStates (members in voice
 * and the bot's own voice state). Privileged intents are only added if the operator wants messages to be read.
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
    // HTTP/2 is switched off because discord.js is made for HTTP/1.1. Without the option, the undici version that
    // `overrides` in package.json gives to discord.js would use HTTP/2.
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
    // Messages are not cached, so without this partial discord.js would not report deletions.
    partials: readsMessages ? [Partials.Message] : [],
    allowedMentions: { parse: [] },
    shards: 'auto',
    rest,
    // Limits discord.js's cache to servers, channels, roles and members in voice channels.
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
    // Cached members are swept instead of limited, because Discord sends a server's members before the voice states
    // that need them.
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
  // SHARDS and SHARD_COUNT are removed, because discord.js would take them for settings of its own process manager.
  delete process.env.SHARDS;
  delete process.env.SHARD_COUNT;
  const client: Client = new Client(options);
  // Removes the limit on listeners: each stage on which the bot waits adds one, and Node warns of a leak at more than
  // ten.
  client.setMaxListeners(0);
  keepToken(client);
  rememberThreadParents(client);
  return { client, attempts, isRefused: refusals.isRefused };
}

const isOwn = ({ id, client }: GuildMember | User): boolean => id === client.user.id;

const isInVoice = ({ voice }: GuildMember): boolean => voice.channelId !== null;

const MAX_REMEMBERED = 1_000;

const remembered = new WeakMap<Client, LRUCache<string, string>>();

/**
 * Remembers the parent channel of each thread in which the bot is used. discord.js drops the thread data of an
 * interaction, and caches private threads only if the bot is a member.
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

/** The parent channel of a thread in which the bot was used; undefined for any other channel. */
export const parentOfThread = (client: Client, threadId: string): string | undefined =>
  remembered.get(client)?.get(threadId);

/**
 * Workarounds for faults of discord.js: a gateway message that cannot be sent or read would end the process, and a 401
 * would make REST forget the token. The tests in client.test.ts fail without the workarounds.
 */

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/** Runs shards so that messages that cannot be sent or read do not end the process. */
class ShardingStrategy extends SimpleShardingStrategy {
  readonly #client: Client;

  constructor(manager: Manager, client: Client) {
    super(manager);
    this.#client = client;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    for (const shard of shardsOf(this)) surviveUnreadable(shard, this.#client);
  }

  /**
   * Catches errors of sending on the gateway, because discord.js never awaits them. During a reconnect, a delayed
   * message may be sent into a connection that is not open. The rejection would end the process. A lost message is
   * safe: all senders have deadlines of their own.
   */
  override async send(shardId: number, payload: GatewaySendPayload): Promise<void> {
    await super.send(shardId, payload).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : error;
      this.#client.emit(Events.Warn, `A message to the gateway was lost: ${reason}`);
    });
  }
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
 * Reports and skips gateway payloads that discord.js cannot handle. discord.js neither checks payloads nor awaits their
 * handlers: a missing field would end the process (found by `npm run fuzz`).
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
 * Keeps REST from forgetting the token after a 401, which would make all later requests fail. Discord has also sent 401
 * for valid tokens (https://github.com/discordjs/discord.js/issues/10958). For an invalid token, the gateway closes
 * with 4004.
 */
function keepToken(client: Client): void {
  const setToken = client.rest.setToken.bind(client.rest);
  client.rest.setToken = (token) => (token === null && client.token ? client.rest : setToken(token));
}
