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
import { countCallbackAttempts, isOverByThen, waitOutRefusals } from './rest.ts';

/** Discord does not tell the bot about changes of members, so cached names may be outdated for this long. */
const KNOWN_FOR_S = 5 * 60;

interface ClientNeeds {
  /** Undefined if this process runs all shards, as many as Discord recommends. */
  readonly shards: Config['shards'];
  readonly mayAct: () => boolean;
  /** Makes each shard wait for its turn, because Discord limits how many sessions all processes of a bot may start at once. */
  readonly buildThrottler: NonNullable<DiscordOptions['ws']>['buildIdentifyThrottler'];
}

/** Interval of removing unused request queues: discord.js creates one for each interaction, and by default keeps it for an hour. */
const REQUEST_QUEUES_SWEPT_MS = 60_000;

/** Creates discord.js's client without logging in. Only reading messages needs a privileged intent. */
export function createDiscordClient(
  { apiUrl, readsMessages }: Config['discord'],
  { shards, mayAct = () => true, buildThrottler }: Partial<ClientNeeds> = {},
) {
  const { makeRequest } = DefaultRestOptions;
  const refusals = waitOutRefusals(makeRequest);
  const attempts = countCallbackAttempts(async (...request) => {
    if (!mayAct()) throw new Error('Another process answers for these servers now');
    return refusals.makeRequest(...request);
  });
  const rest: Partial<RESTOptions> = {
    makeRequest: attempts.makeRequest,
    // discord.js is made for HTTP/1.1, but the undici that package.json forces on it (`overrides`) would use HTTP/2.
    agent: new Agent({ allowH2: false }),
    handlerSweepInterval: REQUEST_QUEUES_SWEPT_MS,
    rejectOnRateLimit: isOverByThen,
  };
  if (apiUrl) rest.api = apiUrl.href.replace(/\/$/, '');
  // SHARDS and SHARD_COUNT are removed, because discord.js would take them for settings of its own process manager.
  delete process.env.SHARDS;
  delete process.env.SHARD_COUNT;
  const client: Client = new Client({
    ws: {
      buildStrategy: (manager) => new ShardingStrategy(manager, client),
      buildIdentifyThrottler: buildThrottler,
    },
    intents: [
      GatewayIntentBits.Guilds,
      GatewayIntentBits.GuildVoiceStates,
      ...(readsMessages ? [GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent] : []),
    ],
    // No messages are cached. This option makes discord.js report deletions of messages that are not cached, too.
    partials: readsMessages ? [Partials.Message] : [],
    allowedMentions: { parse: [] },
    shards: shards ? Array.from({ length: shards.last - shards.first + 1 }, (_, at) => shards.first + at) : 'auto',
    shardCount: shards?.count ?? 1,
    rest,
    makeCache: Options.cacheWithLimits({
      ...Options.DefaultMakeCacheSettings,
      MessageManager: 0,
      PresenceManager: 0,
      GuildEmojiManager: 0,
      GuildStickerManager: 0,
      GuildScheduledEventManager: 0,
    }),
    // Members outside of voice are removed from the cache at intervals, instead of being kept out of it: Discord sends
    // the members of a server before it tells who is in voice.
    sweepers: {
      ...Options.DefaultSweeperSettings,
      guildMembers: {
        interval: KNOWN_FOR_S,
        filter: () => (member) => !isOwn(member) && member.voice.channelId === null,
      },
      users: { interval: KNOWN_FOR_S, filter: () => (user) => !isOwn(user) },
      voiceStates: { interval: KNOWN_FOR_S, filter: () => (state) => state.channelId === null },
    },
  });
  // Each stage on which the bot waits adds a listener, and Node would warn of a leak at more than ten.
  client.setMaxListeners(0);
  keepToken(client);
  rememberThreadParents(client);
  return { client, attempts, isRefused: refusals.isRefused };
}

const isOwn = ({ id, client }: GuildMember | User): boolean => id === client.user.id;

const parents = new LRUCache<string, string>({ max: 1_000 });

/**
 * Remembers the parent channels of threads, because rules for a channel also apply in its threads. discord.js drops an
 * interaction's thread data, and does not cache private threads that the bot has not joined.
 */
function rememberThreadParents(client: Client): void {
  client.ws.on(GatewayDispatchEvents.InteractionCreate, ({ channel }: APIInteraction) => {
    const types: readonly (number | undefined)[] = Constants.ThreadChannelTypes;
    if (!channel || !types.includes(channel.type) || !('parent_id' in channel) || !channel.parent_id) return;
    parents.set(channel.id, channel.parent_id);
  });
}

/** The parent channel of a thread in which the bot was recently used; undefined for any other channel. */
export const parentOfThread = (threadId: string): string | undefined => parents.get(threadId);

/**
 * Workarounds for faults of discord.js: a gateway message that cannot be sent or read would end the process, and a 401
 * would make REST forget the token. The tests in client.test.ts fail without the workarounds.
 */

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

class ShardingStrategy extends SimpleShardingStrategy {
  readonly #client: Client;

  constructor(manager: Manager, client: Client) {
    super(manager);
    this.#client = client;
  }

  override async spawn(shardIds: number[]): Promise<void> {
    await super.spawn(shardIds);
    const shards: unknown = Reflect.get(this, 'shards');
    if (!(shards instanceof Map)) return;
    for (const shard of (shards as Map<number, Shard>).values()) surviveUnreadable(shard, this.#client);
  }

  /**
   * discord.js does not await the sending of a gateway message, so a failure, for example in a reconnect, would end the
   * process. A lost message is safe, because each sender has a deadline of its own.
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

/** discord.js neither checks payloads nor awaits their handlers: a missing field would end the process. */
function surviveUnreadable(shard: Shard, client: Client): void {
  const onMessage = shard.onMessage.bind(shard);
  shard.onMessage = (...message) =>
    onMessage(...message).catch((cause: unknown) => {
      const error = new Error(`A payload of the gateway could not be handled on shard ${shard.id}`, { cause });
      client.emit(Events.Error, error);
    });
}

/**
 * Discord has sent 401 for valid tokens, too (https://github.com/discordjs/discord.js/issues/10958). If discord.js
 * forgot the token, all later requests would fail. For an invalid token, Discord closes the gateway with 4004.
 */
function keepToken(client: Client): void {
  const setToken = client.rest.setToken.bind(client.rest);
  client.rest.setToken = (token) => (token === null && client.token ? client.rest : setToken(token));
}
