import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { WebSocket } from 'ws';
import type { GatewayEvent, Hub } from '../state/hub.ts';
import { receives } from '../state/intents.ts';
import { botLeaves } from '../state/voice-states.ts';

/** Number of gateway events kept for a bot that resumes. Discord publishes no number. */
const KEPT_EVENTS = 1_000;
/** How long a disconnected bot can resume its gateway session. Discord publishes no number. */
const RESUMABLE_MS = 120_000;

export interface GatewaySession {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  sequence: number;
  ready: boolean;
  socket: WebSocket | undefined;
  readonly sent: { readonly sequence: number; readonly text: string }[];
  cancelExpiry: (() => void) | undefined;
}

export const shardOf = (guildId: string, shards: number) => Number((BigInt(guildId) >> 22n) % BigInt(shards));

/**
 * Discord accepts one login (IDENTIFY) in this time from each bucket of shards:
 * https://discord.com/developers/docs/events/gateway#sharding-max-concurrency
 */
const IDENTIFY_INTERVAL_MS = 5_000;

const LAG_RESOLUTION_MS = 20;

export type GatewayState = ReturnType<typeof createGatewayState>;

export function createGatewayState(hub: Hub, heartbeatIntervalMs: number, strictIdentify: boolean) {
  /** Each shard bucket's last login: its time and its gateway session. */
  const newest = new Map<number, { readonly atMs: number; readonly session: GatewaySession }>();
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();
  const sessions = createSessions(hub);
  const bucketOf = (shardId: number) => shardId % hub.sessionStarts.maxConcurrency;

  return {
    hub,
    heartbeatIntervalMs,
    sessions,
    counts: { resumes: 0, refusedIdentifies: 0 },
    /** The gateway's fault switches, which tests set. A change affects the next event or connection. */
    faults: {
      answerHeartbeats: true,
      refuseConnections: false,
      delayedEvents: new Map<string, number>(),
      lostEvents: new Set<string>(),
      repeatedEvents: new Set<string>(),
    },
    /** Without `strictIdentify`, a bot may log in at once after its last connection has closed, so that restarts are fast. */
    isTooSoon(shardId: number): boolean {
      const last = newest.get(bucketOf(shardId));
      if (!last || hub.clock.now() - last.atMs >= IDENTIFY_INTERVAL_MS) return false;
      return strictIdentify || last.session.socket !== undefined;
    },
    noteIdentify(session: GatewaySession): void {
      // The event loop may have read the login late, so its longest delay since the last login is deducted from the login's time.
      const lagMs = Math.max(0, lag.max / 1e6 - LAG_RESOLUTION_MS);
      lag.reset();
      newest.set(bucketOf(session.shard[0]), { atMs: hub.clock.now() - lagMs, session });
    },
    close(): void {
      sessions.close();
      lag.disable();
    },
  };
}

function createSessions(hub: Hub) {
  const all = new Map<string, GatewaySession>();

  /** Ends a gateway session. The bot's voice connection ends too, because a new session cannot take it over. */
  function end(session: GatewaySession): void {
    session.cancelExpiry?.();
    if (!all.delete(session.id)) return;
    const { model } = hub;
    for (const guild of model.guilds.values()) {
      const state = guild.voiceStates.get(model.application.botId);
      if (state?.sessionId === session.id) botLeaves(hub, guild, 'left');
    }
    hub.changed();
  }

  /** Sends an event to a gateway session. A disconnected session gets the event when the session resumes. */
  function dispatch(session: GatewaySession, name: string, data: unknown): void {
    session.sequence += 1;
    const text = JSON.stringify({ op: 0, t: name, s: session.sequence, d: data });
    session.sent.push({ sequence: session.sequence, text });
    if (session.sent.length > KEPT_EVENTS) session.sent.shift();
    session.socket?.send(text);
  }

  function concerns(session: GatewaySession, event: GatewayEvent): boolean {
    const { model } = hub;
    const guild = event.guildId === undefined ? undefined : model.guilds.get(event.guildId);
    const isMember = guild?.members.has(model.application.botId);
    // A user who installed the bot can use its commands in any server: the bot gets INTERACTION_CREATE without being a member.
    if (guild && isMember && !guild.available && event.name !== 'GUILD_DELETE') return false;
    if (guild && !isMember && event.name !== 'GUILD_DELETE' && event.name !== 'INTERACTION_CREATE') return false;
    const [shard, shards] = session.shard;
    // Discord sends events of direct messages to shard 0: events/gateway#sharding
    const target = event.guildId === undefined ? 0 : shardOf(event.guildId, shards);
    return shard === target && receives(session.intents, event);
  }

  return {
    all,
    end,
    dispatch,
    open(socket: WebSocket, intents: number, shard: readonly [number, number]): GatewaySession {
      for (const other of [...all.values()]) {
        if (other.shard[0] === shard[0] && !other.socket) end(other);
      }
      const session: GatewaySession = {
        id: randomBytes(16).toString('hex'),
        intents,
        shard,
        sequence: 0,
        ready: false,
        socket,
        sent: [],
        cancelExpiry: undefined,
      };
      all.set(session.id, session);
      return session;
    },
    lastSent({ sent }: GatewaySession, name: string): unknown {
      const kept = sent.findLast(({ text }) => text.startsWith(`{"op":0,"t":${JSON.stringify(name)},`));
      return kept && (JSON.parse(kept.text) as { readonly d: unknown }).d;
    },
    /** Sends the gateway events after `sequence` again. Returns false if that sequence number is unknown or too old. */
    resume(session: GatewaySession, socket: WebSocket, sequence: number): boolean {
      const oldest = session.sent[0]?.sequence ?? session.sequence + 1;
      if (sequence > session.sequence || sequence < oldest - 1) return false;
      session.cancelExpiry?.();
      session.cancelExpiry = undefined;
      session.socket?.terminate();
      session.socket = socket;
      for (const event of session.sent) if (event.sequence > sequence) socket.send(event.text);
      dispatch(session, 'RESUMED', { _trace: [] });
      return true;
    },
    detach(session: GatewaySession): void {
      session.socket = undefined;
      session.cancelExpiry = hub.clock.after(RESUMABLE_MS, () => end(session));
    },
    deliver(event: GatewayEvent): void {
      for (const session of all.values()) {
        if (session.ready && concerns(session, event)) dispatch(session, event.name, event.render(session.intents));
      }
    },
    close(): void {
      for (const session of all.values()) session.cancelExpiry?.();
      all.clear();
    },
  };
}
