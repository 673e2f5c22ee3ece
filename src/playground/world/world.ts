import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayServer } from '../gateway/server.ts';
import { type RestCall, RestServer } from '../rest/server.ts';
import { publishGuildCreate } from '../state/guilds.ts';
import {
  type Clock,
  createIdSource,
  createNamedIdSource,
  createSessionStarts,
  Hub,
  type SessionLimits,
  systemClock,
  waitUntil,
} from '../state/hub.ts';
import { applicationFlags, type PrivilegedIntent } from '../state/intents.ts';
import { Interactions } from '../state/interactions.ts';
import { commandsOf, type RegisteredCommand } from '../state/model.ts';
import { createServer, createStartingModel, type NewServer } from '../state/starting-model.ts';
import { personJoins } from '../state/voice-states.ts';
import type { Deadline } from '../voice/protocol.ts';
import { startVoiceServer, type VoiceServer } from '../voice/server.ts';
import { Faults } from './faults.ts';
import { WorldServer } from './world-server.ts';

export type { ForgedComponent } from '../people/command-user.ts';
export type { Person } from '../people/person.ts';
export type { SentInteraction } from '../people/sent-interaction.ts';
export type { VisibleModal } from '../people/typed-command.ts';
export { CommandRefused, type OptionInput } from '../people/typed-command.ts';
export type { VisibleMessage } from '../people/views.ts';
export type { Place } from '../people/writer.ts';
export type { RestCall, RestFault } from '../rest/server.ts';
export { createManualClock } from '../state/hub.ts';
export type { WorldServer } from './world-server.ts';

/** Discord's heartbeat interval on the gateway: https://discord.com/developers/docs/events/gateway#hello-event */
const HEARTBEAT_INTERVAL_MS = 41_250;

export interface WorldOptions {
  /** The clock for Discord's deadlines (3 s and 15 min) and rate limits. Default: the system's clock. */
  readonly clock?: Clock;
  /** If true, a person, server, channel or role gets its id from its name: the same in each run. Default false. */
  readonly sameIds?: boolean;
  /** Privileged intents that are enabled for the bot in the developer portal. Default: none. */
  readonly privilegedIntents?: readonly PrivilegedIntent[];
  /** Discord's limits on gateway sessions. Default: 1000 a day, and one start within 5 s. */
  readonly sessionStarts?: SessionLimits;
  /** If true, a second login (IDENTIFY) within 5 s is rejected even if the first session has ended. Default false. */
  readonly strictIdentify?: boolean;
  readonly shards?: number;
  /** The heartbeat interval in the gateway's Hello, in ms. Default 41_250, which Discord sends. */
  readonly heartbeatIntervalMs?: number;
}

interface WorldParts {
  readonly hub: Hub;
  readonly interactions: Interactions;
  readonly rest: RestServer;
  readonly gateway: GatewayServer;
  readonly folder: string;
  readonly certificateFile: string;
}

export class World extends WorldServer {
  readonly botEnv: {
    readonly DISCORD_TOKEN: string;
    readonly DISCORD_API_URL: string;
    readonly NODE_EXTRA_CA_CERTS: string;
  };
  readonly bot: WorldBot;
  readonly clock: Clock;
  readonly voiceServer: VoiceServer;
  readonly faults: Faults;
  readonly restCalls: readonly RestCall[];
  /** Requests of a bot that sent too many: should stay empty. Answers by `faults.rest` do not count. */
  readonly rateLimitHits: readonly RestCall[];
  readonly #parts: WorldParts;
  #closing: Promise<void> | undefined;

  constructor(parts: WorldParts, first: NewServer) {
    const { hub, interactions, rest, gateway, certificateFile } = parts;
    super(hub, interactions, first);
    this.#parts = parts;
    this.botEnv = {
      DISCORD_TOKEN: hub.model.application.token,
      DISCORD_API_URL: `${hub.origin}/api`,
      NODE_EXTRA_CA_CERTS: certificateFile,
    };
    this.bot = new WorldBot(hub, gateway, first.guild);
    this.clock = hub.clock;
    this.voiceServer = hub.voice;
    this.faults = new Faults(hub, rest, gateway);
    this.restCalls = rest.calls;
    this.rateLimitHits = rest.rateLimitHits;
  }

  /** Resolves when the bot is logged in and has registered a command. Rejects at the deadline. */
  async botReady(deadline?: Deadline): Promise<void> {
    // In one turn, the gateway notices the closed connection of a bot that was just killed.
    await nextTurn();
    const isReady = () => this.bot.online && this.bot.commands.length > 0;
    await this.until(isReady, { what: 'the bot to log in and register its commands', ...deadline });
  }

  /**
   * Adds a server with the same people and channels as the first. If `settled`, the bot joined long ago and the channel
   * `Full` is empty, because frank's listener would take 2 ms.
   */
  newServer(name: string, { settled = false } = {}): WorldServer {
    const { hub, interactions } = this.#parts;
    const added = createServer(hub.model, hub.clock, hub.newId, name, { settled });
    publishGuildCreate(hub, added.guild);
    if (!settled) fillFull(hub, added);
    return new WorldServer(hub, interactions, added);
  }

  /** Heard audio is no change of state: a listener waits for audio. */
  until(condition: () => boolean, wait: Deadline & { readonly what: string }): Promise<void> {
    return waitUntil(this.hub, condition, wait);
  }

  /** Calls back after each change, but not for heard audio. Returns the function that ends the calls. */
  onChange(callback: () => void): () => void {
    return this.hub.onChange(callback);
  }

  /** Calls back after each request of the bot; `restCalls` contains only the last 500. */
  onRestCall(callback: (call: RestCall) => void): void {
    this.#parts.rest.onCall = callback;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { interactions, gateway, rest, folder } = this.#parts;
    interactions.close();
    await Promise.all([gateway.close(), this.voiceServer.close()]);
    await Promise.all([rest.close(), rm(folder, { recursive: true, force: true })]);
  }
}

class WorldBot {
  readonly userId: string;
  readonly applicationId: string;
  readonly #hub: Hub;
  readonly #gateway: GatewayServer;
  readonly #guild: NewServer['guild'];

  constructor(hub: Hub, gateway: GatewayServer, guild: NewServer['guild']) {
    const { id, botId } = hub.model.application;
    this.userId = botId;
    this.applicationId = id;
    this.#hub = hub;
    this.#gateway = gateway;
    this.#guild = guild;
  }

  get voiceChannel(): string | undefined {
    return this.#guild.channels.get(this.#voice?.channelId ?? '')?.name;
  }

  get online(): boolean {
    return [...this.#gateway.sessions.all.values()].some((session) => session.ready && session.socket);
  }

  get commands(): readonly RegisteredCommand[] {
    return commandsOf(this.#hub.model, this.#guild.id);
  }

  get resumes(): number {
    return this.#gateway.counts.resumes;
  }

  get identifies(): number {
    return this.#hub.identifies;
  }

  /** Number of logins (IDENTIFY) that came too soon and were rejected. Should stay zero. */
  get refusedIdentifies(): number {
    return this.#gateway.counts.refusedIdentifies;
  }

  get selfDeafened(): boolean {
    return this.#voice?.selfDeaf ?? false;
  }

  /** True if nobody hears the bot in voice: it is in a stage's audience, or lacks the permission Speak. */
  get suppressed(): boolean {
    return this.#voice?.suppress ?? false;
  }

  get requestsToSpeak(): boolean {
    return (this.#voice?.requestToSpeakAt ?? null) !== null;
  }

  get #voice() {
    return this.#guild.voiceStates.get(this.userId);
  }
}

function fillFull(hub: Hub, { guild }: NewServer): void {
  const full = [...guild.channels.values()].find(({ name }) => name === 'Full');
  const frank = [...hub.model.users.values()].find(({ username }) => username === 'frank');
  if (full && frank) personJoins(hub, guild, full, frank.id);
}

/**
 * Starts a Discord on loopback with one server. Channels: `general` (text), `General` and `Lounge`, `Full` (a single
 * place, taken by frank), `Locked` (the bot cannot connect), `Quiet` (the bot cannot speak) and `Stage`. Members:
 * `alice`, `bob` and the owner `olga`.
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const clock = options.clock ?? systemClock;
  const newId = options.sameIds ? createNamedIdSource(clock) : createIdSource(clock);
  const flags = applicationFlags(options.privilegedIntents ?? []);
  const { model, ...first } = createStartingModel(clock, newId, flags);
  const voice = await startVoiceServer();
  const sessionStarts = createSessionStarts(clock, options.sessionStarts);
  const hub = new Hub({ model, clock, voice, newId, recommendedShards: options.shards ?? 1, sessionStarts });
  const interactions = new Interactions(hub);
  const rest = new RestServer(hub, interactions);
  await rest.listen();
  hub.origin = `http://127.0.0.1:${rest.port}`;
  const { heartbeatIntervalMs = HEARTBEAT_INTERVAL_MS, strictIdentify = false } = options;
  const gateway = new GatewayServer(rest.http, hub, heartbeatIntervalMs, strictIdentify);
  const folder = await mkdtemp(join(tmpdir(), 'crier-world-'));
  const certificateFile = join(folder, 'voice-ca.pem');
  await writeFile(certificateFile, voice.caCertificatePem);
  fillFull(hub, first);
  return new World({ hub, interactions, rest, gateway, folder, certificateFile }, first);
}
