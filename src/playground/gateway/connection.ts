import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { guildCreate } from '../state/guilds.ts';
import type { Hub } from '../state/hub.ts';
import { INTENTS, intentsRefusal } from '../state/intents.ts';
import type { Guild } from '../state/model.ts';
import { memberPayload, userPayload } from '../state/payloads.ts';
import { botUpdatesVoiceState } from '../state/voice-states.ts';
import { type GatewaySession, type IdentifyLimits, type Sessions, shardOf } from './sessions.ts';

/** Sessions resume at an address of their own: https://discord.com/developers/docs/events/gateway#resuming */
export const RESUME_PATH = '/resumes';

/** Fault switches; each takes effect with the next event. */
export interface GatewayFaults {
  answerHeartbeats: boolean;
  /** The next IDENTIFYs that are refused as too soon, whenever they come. */
  identifiesToRefuse: number;
  refuseConnections: boolean;
  /** Those to the address that sessions are told to resume at. */
  refuseResumes: boolean;
  /** Milliseconds each event of a name is held back. */
  readonly delayedEvents: Map<string, number>;
  readonly lostEvents: Set<string>;
  readonly repeatedEvents: Set<string>;
}

export interface GatewayCounts {
  resumes: number;
  /** IDENTIFYs that came too soon after others. */
  refusedIdentifies: number;
}

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
const OP = {
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voiceState: 4,
  resume: 6,
  reconnect: 7,
  requestMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
  requestSoundboardSounds: 31,
} as const;

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const CLOSE_REASONS: Readonly<Record<number, string>> = {
  4001: 'Unknown opcode.',
  4002: 'Error while decoding payload.',
  4003: 'Not authenticated.',
  4004: 'Authentication failed.',
  4005: 'Already authenticated.',
  4007: 'Invalid seq.',
  4008: 'Rate limited.',
  4009: 'Session timed out.',
  4010: 'Invalid shard.',
  4013: 'Invalid intent(s).',
  4014: 'Disallowed intent(s).',
};

const SHOWN_AT_ONCE = 20;

/** 120 events in 60 seconds: https://discord.com/developers/docs/events/gateway#rate-limiting */
const SENDS = { limit: 120, perMs: 60_000 };

interface ConnectionParts {
  readonly hub: Hub;
  readonly sessions: Sessions;
  readonly counts: GatewayCounts;
  readonly identifyLimits: IdentifyLimits;
  readonly faults: GatewayFaults;
  readonly heartbeatIntervalMs: number;
}

export interface Connection {
  readonly session: GatewaySession | undefined;
  receive(text: string): void;
  /** Op 7: the client should come back and resume. */
  askToReconnect(): void;
  invalidate(resumable: boolean): void;
  close(code: number): void;
  /** TCP gone without a word. */
  cut(): void;
  closed(code: number): void;
}

type Payload = { readonly op?: unknown; readonly d?: unknown };
type Data = Record<string, unknown>;

export function createConnection(ws: WebSocket, parts: ConnectionParts): Connection {
  const { hub, sessions, counts, faults, identifyLimits } = parts;
  let session: GatewaySession | undefined;
  let sends: number[] = [];
  let cancelTimeout = () => {};

  const send = (op: number, data: unknown) => ws.send(JSON.stringify({ op, d: data, s: null, t: null }));
  const close = (code: number) => ws.close(code, CLOSE_REASONS[code] ?? '');
  // Two intervals without a heartbeat: the client is gone.
  const expectHeartbeat = () => {
    cancelTimeout();
    const timer = setTimeout(() => close(4009), parts.heartbeatIntervalMs * 2);
    timer.unref();
    cancelTimeout = () => clearTimeout(timer);
  };

  const heartbeat = () => {
    expectHeartbeat();
    if (faults.answerHeartbeats) send(OP.heartbeatAck, null);
  };

  const identify = (data: Data) => {
    if (session) return close(4005);
    if (data.token !== hub.model.application.token) return close(4004);
    if (typeof data.properties !== 'object' || data.properties === null) return close(4002);
    const shard = readShard(data.shard);
    if (!shard) return close(4010);
    const refusal = intentsRefusal(data.intents, hub.model.application.flags);
    if (refusal) return close(refusal);
    if (!hub.sessionStarts.take()) return resetToken();
    const isRefused = faults.identifiesToRefuse > 0;
    if (isRefused) faults.identifiesToRefuse -= 1;
    if (isRefused || identifyLimits.isTooSoon(shard[0])) {
      counts.refusedIdentifies += 1;
      return send(OP.invalidSession, false);
    }
    hub.identifies += 1;
    session = sessions.open(ws, data.intents as number, shard);
    identifyLimits.note(session);
    greet(session);
  };

  /** "All active sessions for the app will be terminated, and the bot token will be reset": events/gateway#identifying */
  const resetToken = () => {
    hub.model.application.token = randomBytes(24).toString('base64url');
    for (const opened of [...sessions.all.values()]) {
      opened.socket?.close(4004, CLOSE_REASONS[4004]);
      sessions.end(opened);
    }
    close(4004);
  };

  const greet = (opened: GatewaySession) => {
    const { model } = hub;
    const bot = model.users.get(model.application.botId);
    const guilds = [...model.guilds.values()].filter(
      (guild) => guild.members.has(model.application.botId) && shardOf(guild.id, opened.shard[1]) === opened.shard[0],
    );
    sessions.dispatch(opened, 'READY', {
      v: 10,
      user: bot ? { ...userPayload(bot), verified: true, email: null, mfa_enabled: true, flags: 0 } : null,
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: opened.id,
      resume_gateway_url: hub.origin.replace('http:', 'ws:') + RESUME_PATH,
      shard: opened.shard,
      application: { id: model.application.id, flags: model.application.flags },
      user_settings: {},
      relationships: [],
      private_channels: [],
      presences: [],
      _trace: [],
    });
    opened.ready = true;
    if (opened.intents & INTENTS.Guilds) showServers(opened, guilds);
    hub.changed();
  };

  const show = (opened: GatewaySession, guild: Guild) => {
    const delayMs = faults.delayedEvents.get('GUILD_CREATE');
    const tell = () => {
      if (sessions.all.get(opened.id) === opened)
        sessions.dispatch(opened, 'GUILD_CREATE', guildCreate(hub, guild, opened.intents));
    };
    if (delayMs === undefined) tell();
    else setTimeout(tell, delayMs).unref();
  };

  /** A few at a time: thousands would keep other sessions waiting. */
  const showServers = (opened: GatewaySession, guilds: readonly Guild[]) => {
    if (sessions.all.get(opened.id) !== opened) return;
    for (const guild of guilds.slice(0, SHOWN_AT_ONCE)) {
      if (guild.available) show(opened, guild);
    }
    if (guilds.length > SHOWN_AT_ONCE) setImmediate(showServers, opened, guilds.slice(SHOWN_AT_ONCE));
  };

  const resume = (data: Data) => {
    if (session) return close(4005);
    if (data.token !== hub.model.application.token) return close(4004);
    const found = sessions.all.get(String(data.session_id));
    if (!found) return send(OP.invalidSession, false);
    if (typeof data.seq !== 'number') return close(4002);
    if (data.seq > found.sequence) return close(4007);
    if (!sessions.resume(found, ws, data.seq)) {
      sessions.end(found);
      return send(OP.invalidSession, false);
    }
    session = found;
    counts.resumes += 1;
    hub.changed();
  };

  const updateVoiceState = (current: GatewaySession, data: Data) => {
    const { guild_id: guildId, channel_id: channelId } = data;
    if (typeof guildId !== 'string' || (typeof channelId !== 'string' && channelId !== null)) return close(4002);
    botUpdatesVoiceState(hub, current.id, {
      guildId,
      channelId,
      selfMute: data.self_mute === true,
      selfDeaf: data.self_deaf === true,
    });
  };

  /** https://discord.com/developers/docs/events/gateway-events#request-guild-members */
  const requestMembers = (current: GatewaySession, data: Data) => {
    const guild = hub.model.guilds.get(String(data.guild_id));
    if (!guild) return;
    const wantsAll = data.query === '' && !data.limit;
    if (wantsAll && !(current.intents & INTENTS.GuildMembers)) return close(4002);
    const ids = data.user_ids === undefined ? undefined : [data.user_ids].flat().map(String);
    const query = String(data.query ?? '').toLowerCase();
    const found = [...guild.members.values()].filter((member) =>
      ids ? ids.includes(member.userId) : hub.model.users.get(member.userId)?.username.toLowerCase().startsWith(query),
    );
    const limit = Number(data.limit ?? 0);
    sessions.dispatch(current, 'GUILD_MEMBERS_CHUNK', {
      guild_id: guild.id,
      members: (limit > 0 ? found.slice(0, limit) : found).map((member) => memberPayload(hub.model, member)),
      chunk_index: 0,
      chunk_count: 1,
      not_found: ids?.filter((id) => !guild.members.has(id)),
      nonce: data.nonce,
    });
  };

  const handle = (op: unknown, data: unknown) => {
    if (op === OP.heartbeat) return heartbeat();
    if (typeof op !== 'number' || !Object.values<number>(OP).includes(op)) return close(4001);
    if (typeof data !== 'object' || data === null) return close(4002);
    if (op === OP.identify) return identify(data as Data);
    if (op === OP.resume) return resume(data as Data);
    if (!session) return close(4003);
    if (op === OP.voiceState) return updateVoiceState(session, data as Data);
    if (op === OP.requestMembers) return requestMembers(session, data as Data);
    // Presence and soundboard requests have no visible effect; opcodes that only Discord sends are refused as unknown.
    if (op !== OP.presence && op !== OP.requestSoundboardSounds) close(4001);
  };

  send(OP.hello, { heartbeat_interval: parts.heartbeatIntervalMs, _trace: [] });
  expectHeartbeat();

  return {
    get session() {
      return session;
    },
    receive(text) {
      const nowMs = hub.clock.now();
      sends = [...sends.filter((atMs) => nowMs - atMs < SENDS.perMs), nowMs];
      if (sends.length > SENDS.limit) return close(4008);
      const payload = parse(text);
      if (!payload) return close(4002);
      handle(payload.op, payload.d);
    },
    askToReconnect: () => send(OP.reconnect, null),
    invalidate(resumable) {
      send(OP.invalidSession, resumable);
      if (!resumable && session) {
        const ended = session;
        session = undefined;
        ended.socket = undefined;
        sessions.end(ended);
      }
    },
    close,
    cut: () => ws.terminate(),
    closed(code) {
      cancelTimeout();
      if (session?.socket !== ws) return;
      // Closed by the client with 1000 or 1001: the session is over (events/gateway#initiating-a-disconnect).
      if (code === 1000 || code === 1001) {
        session.socket = undefined;
        sessions.end(session);
      } else sessions.detach(session);
      hub.changed();
    },
  };
}

function parse(text: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Payload) : undefined;
  } catch {
    return undefined;
  }
}

/** `[id, count]`, default one shard. */
function readShard(value: unknown): readonly [number, number] | undefined {
  if (value === undefined) return [0, 1];
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [id, count] = value as unknown[];
  if (!Number.isInteger(id) || !Number.isInteger(count)) return undefined;
  return (id as number) >= 0 && (id as number) < (count as number) ? [id as number, count as number] : undefined;
}
