import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { GatewayEvent, Hub } from '../state/hub.ts';
import { receives } from '../state/intents.ts';
import { botLeaves } from '../state/voice-states.ts';

/** Events kept for a resume. Discord publishes no number; a longer gap than this needs a new session there too. */
const KEPT_EVENTS = 1_000;
/** How long a session without a connection can be resumed. Discord publishes no number. */
const RESUMABLE_MS = 120_000;

export interface GatewaySession {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  sequence: number;
  /** READY and the servers have been sent. */
  ready: boolean;
  socket: WebSocket | undefined;
  readonly sent: { readonly sequence: number; readonly text: string }[];
  cancelExpiry: (() => void) | undefined;
}

export interface Sessions {
  readonly all: ReadonlyMap<string, GatewaySession>;
  open(socket: WebSocket, intents: number, shard: readonly [number, number]): GatewaySession;
  /** Sends an event to one session, now or when it resumes. */
  dispatch(session: GatewaySession, name: string, data: unknown): void;
  /** The data of the last event of this name among those kept; undefined when there is none. */
  lastSent(session: GatewaySession, name: string): unknown;
  /** Resends the events after `sequence`; false when that is unknown or too old. */
  resume(session: GatewaySession, socket: WebSocket, sequence: number): boolean;
  /** The connection is gone; the session stays resumable for a while. */
  detach(session: GatewaySession): void;
  /** The session is over, and with it the bot's voice: a new session cannot take it along. */
  end(session: GatewaySession): void;
  deliver(event: GatewayEvent): void;
  close(): void;
}

export const shardOf = (guildId: string, shards: number) => Number((BigInt(guildId) >> 22n) % BigInt(shards));

export function createSessions(hub: Hub): Sessions {
  const all = new Map<string, GatewaySession>();

  const concerns = (session: GatewaySession, event: GatewayEvent): boolean => {
    const guild = event.guildId === undefined ? undefined : hub.model.guilds.get(event.guildId);
    const isMember = guild?.members.has(hub.model.application.botId);
    // A server in an outage, or without the bot, sends no event but the one that says so; interactions of users of the
    // bot's commands there are the exception.
    if (guild && isMember && !guild.available && event.name !== 'GUILD_DELETE') return false;
    if (guild && !isMember && event.name !== 'GUILD_DELETE' && event.name !== 'INTERACTION_CREATE') return false;
    const [shard, shards] = session.shard;
    // Direct messages go to shard 0: events/gateway#sharding
    const target = event.guildId === undefined ? 0 : shardOf(event.guildId, shards);
    return shard === target && receives(session.intents, event);
  };

  const sessions: Sessions = {
    all,
    open(socket, intents, shard) {
      for (const other of [...all.values()]) {
        if (other.shard[0] === shard[0] && !other.socket) sessions.end(other);
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
    dispatch(session, name, data) {
      session.sequence += 1;
      const text = JSON.stringify({ op: 0, t: name, s: session.sequence, d: data });
      session.sent.push({ sequence: session.sequence, text });
      if (session.sent.length > KEPT_EVENTS) session.sent.shift();
      session.socket?.send(text);
    },
    lastSent({ sent }, name) {
      const kept = sent.findLast(({ text }) => text.startsWith(`{"op":0,"t":${JSON.stringify(name)},`));
      return kept && (JSON.parse(kept.text) as { readonly d: unknown }).d;
    },
    resume(session, socket, sequence) {
      const oldest = session.sent[0]?.sequence ?? session.sequence + 1;
      if (sequence > session.sequence || sequence < oldest - 1) return false;
      session.cancelExpiry?.();
      session.cancelExpiry = undefined;
      session.socket?.terminate();
      session.socket = socket;
      for (const event of session.sent) if (event.sequence > sequence) socket.send(event.text);
      sessions.dispatch(session, 'RESUMED', { _trace: [] });
      return true;
    },
    detach(session) {
      session.socket = undefined;
      session.cancelExpiry = hub.clock.after(RESUMABLE_MS, () => sessions.end(session));
    },
    end(session) {
      session.cancelExpiry?.();
      if (!all.delete(session.id)) return;
      for (const guild of hub.model.guilds.values()) {
        const state = guild.voiceStates.get(hub.model.application.botId);
        if (state?.sessionId === session.id) botLeaves(hub, guild, 'left');
      }
      hub.changed();
    },
    deliver(event) {
      for (const session of all.values()) {
        if (session.ready && concerns(session, event))
          sessions.dispatch(session, event.name, event.render(session.intents));
      }
    },
    close() {
      for (const session of all.values()) session.cancelExpiry?.();
      all.clear();
    },
  };
  return sessions;
}

/** One session in 5 s for each shard id modulo `max_concurrency`: https://discord.com/developers/docs/events/gateway#sharding-max-concurrency */
const IDENTIFY_INTERVAL_MS = 5_000;

/** The newest session of each bucket, and when it was asked for. */
export interface IdentifyLimits {
  isTooSoon(shardId: number): boolean;
  note(session: GatewaySession): void;
}

interface IdentifyLimitsOptions {
  readonly strict: boolean;
  /** For how long at most an IDENTIFY has waited for this process to look at it, since it was asked last. */
  readonly lagMs: () => number;
}

/** Not strictly, a bot started anew may identify at once: a session that has ended takes no place in its bucket. */
export function createIdentifyLimits(hub: Hub, { strict, lagMs }: IdentifyLimitsOptions): IdentifyLimits {
  const newest = new Map<number, { readonly atMs: number; readonly session: GatewaySession }>();
  const bucketOf = (shardId: number) => shardId % hub.sessionStarts.maxConcurrency;
  return {
    isTooSoon(shardId) {
      const last = newest.get(bucketOf(shardId));
      if (!last || hub.clock.now() - last.atMs >= IDENTIFY_INTERVAL_MS) return false;
      return strict || last.session.socket !== undefined;
    },
    note(session) {
      newest.set(bucketOf(session.shard[0]), { atMs: hub.clock.now() - lagMs(), session });
    },
  };
}
