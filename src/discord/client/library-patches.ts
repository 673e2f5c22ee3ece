import {
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayReadyDispatchData,
  type GatewaySendPayload,
  type Guild,
  SimpleShardingStrategy,
} from 'discord.js';
import { OperatorError } from '../../errors/operator-error.ts';
import { KEPT_BACK } from './login.ts';

/*
 * All corrections of discord.js, each with the fault that it prevents. The tests in library-patches.test.ts fail without them.
 */

type Manager = ConstructorParameters<typeof SimpleShardingStrategy>[0];

/** Two seconds of refusals: an address that refuses for a moment need not be left. */
const MOST_REFUSALS = 3;

/** Keeps the shards of this process from ending it, and from asking forever if they are refused. */
export class ShardingStrategy extends SimpleShardingStrategy {
  readonly #manager: Manager;
  readonly #client: Client;

  constructor(manager: Manager, client: Client) {
    super(manager);
    this.#manager = manager;
    this.#client = client;
    resumeElsewhere(manager);
  }

  /**
   * Begins no session where fewer than KEPT_BACK would be left for today: a bot that is started again and again would use
   * them up, and Discord then ends all its sessions and resets its token.
   */
  override async spawn(shardIds: number[]): Promise<void> {
    const { remaining, reset_after: resetMs } = (await this.#manager.fetchGatewayInformation()).session_start_limit;
    if (remaining - shardIds.length < KEPT_BACK) {
      const until = new Date(Date.now() + resetMs).toISOString();
      throw new OperatorError(
        `Discord lets this bot begin ${remaining} more sessions until ${until}, ${shardIds.length} are needed and ${KEPT_BACK} are kept back`,
        { remedy: 'find out why it was started so often, then start it after that time' },
      );
    }
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
    if (!session || (endsWithoutHello.get(shardId) ?? 0) <= MOST_REFUSALS) return session;
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
export function keepToken(client: Client): void {
  const setToken = client.rest.setToken.bind(client.rest);
  client.rest.setToken = (token) => (token === null && client.token ? client.rest : setToken(token));
}

/**
 * Emits GuildDelete for servers that removed the bot while its session was lost: a new session lists the current servers (those
 * with an outage too), and no event follows for the others. discord.js only adds to its cache
 * (https://github.com/discordjs/discord.js/issues/11546).
 */
export function noticeMissedRemovals(client: Client): void {
  client.ws.on(GatewayDispatchEvents.Ready, ({ guilds }: GatewayReadyDispatchData, shardId: number) => {
    const present = new Set(guilds.map(({ id }) => id));
    for (const guild of client.guilds.cache.values()) {
      if (guild.shardId === shardId && !present.has(guild.id)) remove(client, guild);
    }
  });
}

/** Takes the same steps as discord.js after a removal event. */
function remove(client: Client, guild: Guild): void {
  for (const channelId of guild.channels.cache.keys()) client.channels.cache.delete(channelId);
  client.voice.adapters.get(guild.id)?.destroy();
  client.guilds.cache.delete(guild.id);
  client.emit(Events.GuildDelete, guild);
}
