import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGatewayServer, type GatewayServer } from '../gateway/server.ts';
import { type RestCall, startRestServer } from '../rest/server.ts';
import { publishGuildCreate } from '../state/guilds.ts';
import {
  type Clock,
  createHub,
  createIdSource,
  createNamedIdSource,
  createSessionStarts,
  type Hub,
  type SessionLimits,
  systemClock,
  waitUntil,
} from '../state/hub.ts';
import { applicationFlags, type PrivilegedIntent } from '../state/intents.ts';
import { createInteractions } from '../state/interactions.ts';
import { commandsOf } from '../state/model.ts';
import { createServer, createStartingModel, type NewServer } from '../state/starting-model.ts';
import { personJoins } from '../state/voice-states.ts';
import type { Deadline } from '../voice/protocol.ts';
import { startVoiceServer, type VoiceServer } from '../voice/server.ts';
import { createWorldFaults } from './faults.ts';
import { WorldServer } from './world-server.ts';

export type { Person } from '../people/person.ts';
export type { SentInteraction } from '../people/sent-interaction.ts';
export type { VisibleMessage } from '../people/views.ts';
export type { RestCall, RestFault } from '../rest/server.ts';
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

type WorldParts = Awaited<ReturnType<typeof startParts>>;

export class World extends WorldServer {
  readonly botEnv: Readonly<Record<'DISCORD_TOKEN' | 'DISCORD_API_URL' | 'NODE_EXTRA_CA_CERTS', string>>;
  readonly bot: ReturnType<typeof botSeenIn>;
  readonly clock: Clock;
  readonly voiceServer: VoiceServer;
  readonly faults: ReturnType<typeof createWorldFaults>;
  readonly restCalls: readonly RestCall[];
  /** Requests of the bot that exceeded a rate limit: should stay empty. Rejections by `faults.rest` do not count. */
  readonly rateLimitHits: readonly RestCall[];
  readonly #parts: WorldParts;
  #closing: Promise<void> | undefined;

  constructor(parts: WorldParts) {
    const { hub, interactions, rest, gateway, certificateFile, first } = parts;
    super(hub, interactions, first);
    this.#parts = parts;
    this.botEnv = {
      DISCORD_TOKEN: hub.model.application.token,
      DISCORD_API_URL: `${hub.origin}/api`,
      NODE_EXTRA_CA_CERTS: certificateFile,
    };
    this.bot = botSeenIn(hub, gateway, first);
    this.clock = hub.clock;
    this.voiceServer = hub.voice;
    this.faults = createWorldFaults(hub, rest, gateway);
    this.restCalls = rest.calls;
    this.rateLimitHits = rest.rateLimitHits;
  }

  /** Resolves when the bot is logged in and has registered a command. Rejects at the deadline. */
  async botReady(deadline?: Deadline): Promise<void> {
    // The gateway needs one turn of the event loop to notice the closed connection of a bot that was just killed.
    await nextTurn();
    const isReady = () => this.bot.online && this.bot.commands.length > 0;
    await this.until(isReady, { what: 'the bot to log in and register its commands', ...deadline });
  }

  /**
   * Adds a server with the same people and channels as the first. If `settled`, the bot joined long ago, and nobody is
   * in the channel `Full`: the member frank would need an audio listener, which takes 2 ms to start.
   */
  newServer(name: string, { settled = false } = {}): WorldServer {
    const { hub, interactions } = this.#parts;
    const added = createServer(hub.model, hub.clock, hub.newId, name, { settled });
    publishGuildCreate(hub, added.guild);
    if (!settled) fillFull(hub, added);
    return new WorldServer(hub, interactions, added);
  }

  /** Resolves when `condition` is true, checked now and at each change of the simulated Discord. For audio, use a listener. */
  until(condition: () => boolean, wait: Deadline & { readonly what: string }): Promise<void> {
    return waitUntil(this.hub, condition, wait);
  }

  /** Calls back after each change of the world's state, but not for audio. The returned function ends the calls. */
  onChange(callback: () => void): () => void {
    return this.hub.onChange(callback);
  }

  /** Calls back after each request of the bot; `restCalls` contains only the last 500. */
  onRestCall(callback: (call: RestCall) => void): void {
    this.#parts.rest.onCall(callback);
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

function botSeenIn(hub: Hub, { counts, sessions }: GatewayServer, { guild }: NewServer) {
  const { id: applicationId, botId: userId } = hub.model.application;
  const voice = () => guild.voiceStates.get(userId);
  return {
    userId,
    applicationId,
    get voiceChannel() {
      return guild.channels.get(voice()?.channelId ?? '')?.name;
    },
    get online() {
      return [...sessions.all.values()].some((session) => session.ready && session.socket);
    },
    get commands() {
      return commandsOf(hub.model, guild.id);
    },
    get resumes() {
      return counts.resumes;
    },
    get identifies() {
      return hub.identifies;
    },
    /** Number of logins (IDENTIFY) that came too soon and were rejected. Should stay zero. */
    get refusedIdentifies() {
      return counts.refusedIdentifies;
    },
    get selfDeafened() {
      return voice()?.selfDeaf ?? false;
    },
    /** True if nobody hears the bot in voice: it is in a stage's audience, or lacks the permission Speak. */
    get suppressed() {
      return voice()?.suppress ?? false;
    },
    get requestsToSpeak() {
      return (voice()?.requestToSpeakAt ?? null) !== null;
    },
  };
}

function fillFull(hub: Hub, { guild }: NewServer): void {
  const full = [...guild.channels.values()].find(({ name }) => name === 'Full');
  const frank = [...hub.model.users.values()].find(({ username }) => username === 'frank');
  if (full && frank) personJoins(hub, guild, full, frank.id);
}

/**
 * Starts a simulated Discord on loopback with one server. Its channels are `general` (text), `General`, `Lounge`,
 * `Full` (a single place, taken by frank), `Locked` (the bot cannot connect), `Quiet` (the bot cannot speak) and
 * `Stage`. Its members are `alice`, `bob` and the owner `olga`.
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  return new World(await startParts(options));
}

async function startParts(options: WorldOptions) {
  const clock = options.clock ?? systemClock;
  const newId = options.sameIds ? createNamedIdSource(clock) : createIdSource(clock);
  const flags = applicationFlags(options.privilegedIntents ?? []);
  const { model, ...first } = createStartingModel(clock, newId, flags);
  const voice = await startVoiceServer();
  const sessionStarts = createSessionStarts(clock, options.sessionStarts);
  const hub = createHub({ model, clock, voice, newId, recommendedShards: options.shards ?? 1, sessionStarts });
  const interactions = createInteractions(hub);
  const rest = await startRestServer(hub, interactions);
  hub.origin = `http://127.0.0.1:${rest.port}`;
  const { heartbeatIntervalMs = HEARTBEAT_INTERVAL_MS, strictIdentify = false } = options;
  const gateway = createGatewayServer(rest.http, hub, heartbeatIntervalMs, strictIdentify);
  const folder = await mkdtemp(join(tmpdir(), 'crier-world-'));
  const certificateFile = join(folder, 'voice-ca.pem');
  await writeFile(certificateFile, voice.caCertificatePem);
  fillFull(hub, first);
  return { hub, interactions, rest, gateway, folder, certificateFile, first };
}
