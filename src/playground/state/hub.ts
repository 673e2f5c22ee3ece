import { createHash } from 'node:crypto';
import type { Listener } from '../voice/listening/listener.ts';
import { type Deadline, waitWithin } from '../voice/protocol.ts';
import type { VoiceServer } from '../voice/server.ts';
import type { Model } from './model.ts';

/** Deadlines of interactions and tokens, and rate limits, follow this clock, so that tests can control the time. */
export interface Clock {
  now(): number;
  /** Runs `callback` after `delayMs`, unless the returned function is called before. The timer does not keep the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Limits on logins: https://discord.com/developers/docs/events/gateway#session-start-limit-object */
type SessionStarts = ReturnType<typeof createSessionStarts>;

/** Discord's daily limit of logins: https://discord.com/developers/docs/events/gateway#identifying */
const USUAL_TOTAL = 1_000;
const PERIOD_MS = 86_400_000;

export interface SessionLimits {
  /** The maximum number of gateway sessions a day. Default: 1000, as on Discord. */
  readonly total?: number;
  /** Number of sessions that may start within 5 s, one for each bucket. A shard's bucket is its id modulo this number. */
  readonly maxConcurrency: number;
}

export function createSessionStarts(
  clock: Clock,
  { total = USUAL_TOTAL, maxConcurrency }: SessionLimits = { maxConcurrency: 1 },
) {
  let used = 0;
  let endsAtMs = 0;
  const usedNow = () => (clock.now() < endsAtMs ? used : 0);
  return {
    total,
    maxConcurrency,
    get remaining() {
      return total - usedNow();
    },
    get resetAfterMs() {
      return Math.max(0, endsAtMs - clock.now());
    },
    take() {
      if (clock.now() >= endsAtMs) {
        used = 0;
        endsAtMs = clock.now() + PERIOD_MS;
      }
      if (used >= total) return false;
      used += 1;
      return true;
    },
  };
}

export interface GatewayEvent {
  readonly name: string;
  /** The event's server; undefined for events without a server, such as direct messages. */
  readonly guildId: string | undefined;
  readonly render: (intents: number) => unknown;
  readonly always: boolean;
}

/** For each member, the member's latest listener. For each channel, the listener that joined last. Both stay after members leave. */
interface ServerListeners {
  readonly byUser: Map<string, Listener>;
  readonly lastByChannel: Map<string, Listener>;
}

/** The epoch of Discord's ids, 1 January 2015: https://discord.com/developers/docs/reference#snowflakes */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

export type NewId = (name?: string) => string;

export function createIdSource(clock: Clock): NewId {
  let lastMs = 0;
  let increment = 0;
  return () => {
    const nowMs = Math.max(clock.now(), lastMs);
    increment = nowMs === lastMs ? increment + 1 : 0;
    lastMs = nowMs;
    if (increment > 0xfff) {
      lastMs += 1;
      increment = 0;
    }
    return ((BigInt(lastMs - DISCORD_EPOCH_MS) << 22n) | BigInt(increment)).toString();
  };
}

/** An id made from a name consists of a fixed bit and this many bits of a hash: 18 digits, like a real server's id. */
const NAMED_ID_BITS = 57;

/** A named id is the same in each run, so that the bot can use another run's data. Other ids come from the clock. */
export function createNamedIdSource(clock: Clock): NewId {
  const byTime = createIdSource(clock);
  const given = new Map<string, number>();
  return (name) => {
    if (name === undefined) return byTime();
    const number = (given.get(name) ?? 0) + 1;
    given.set(name, number);
    const hash = createHash('sha256').update(`${name}\n${number}`).digest();
    return ((1n << BigInt(NAMED_ID_BITS)) | BigInt.asUintN(NAMED_ID_BITS, hash.readBigUInt64BE())).toString();
  };
}

interface HubParts {
  readonly model: Model;
  readonly clock: Clock;
  readonly voice: VoiceServer;
  readonly recommendedShards: number;
  readonly sessionStarts: SessionStarts;
  readonly newId: NewId;
}

export type Hub = ReturnType<typeof createHub>;

export function createHub(parts: HubParts) {
  const watchers = new Set<() => void>();
  const listeners = new Map<string, ServerListeners>();
  const hub = {
    ...parts,
    /** Where the bot reaches this Discord: `http://127.0.0.1:PORT`. Empty before the HTTP server listens. */
    origin: '',
    identifies: 0,
    /** If true, the bot gets VOICE_SERVER_UPDATE before VOICE_STATE_UPDATE when it joins a voice channel. */
    swapVoiceEvents: false,
    /** If false, a changed permission to speak takes effect when the bot joins or moves. */
    speakAppliesAtOnce: false,
    deliver: (_event: GatewayEvent): void => undefined,
    changed(): void {
      for (const watcher of [...watchers]) watcher();
    },
    publish(event: GatewayEvent): void {
      hub.deliver(event);
      hub.changed();
    },
    announce(guildId: string | undefined, name: string, payload: unknown): void {
      hub.publish({ name, guildId, always: false, render: () => payload });
    },
    listenersIn(guildId: string): ServerListeners {
      const found = listeners.get(guildId) ?? { byUser: new Map(), lastByChannel: new Map() };
      listeners.set(guildId, found);
      return found;
    },
    onChange(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
  return hub;
}

/** Rejects at the deadline with an error that names `what`. */
export function waitUntil(
  hub: Hub,
  condition: () => boolean,
  { what, ...deadline }: Deadline & { readonly what: string },
): Promise<void> {
  return waitWithin(
    deadline,
    (timeoutMs) => new Error(`Waited ${timeoutMs} ms for ${what}, which did not come`),
    (resolve, reject) => {
      const check = () => {
        try {
          if (condition()) resolve();
        } catch (error) {
          reject(error);
        }
      };
      check();
      return hub.onChange(check);
    },
  );
}
