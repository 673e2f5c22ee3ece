import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { INTENTS, intentsRefusal } from '../state/intents.ts';
import type { Guild } from '../state/model.ts';
import { botPayload, guildCreatePayload } from '../state/payloads.ts';
import { botUpdatesVoiceState } from '../state/voice-states.ts';
import { type GatewaySession, type GatewayState, shardOf } from './sessions.ts';

/** Each session has its own address for resuming: https://discord.com/developers/docs/events/gateway#resuming */
export const RESUME_PATH = '/resumes';

/** Opcodes: https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
const OP = {
  heartbeat: 1,
  identify: 2,
  presence: 3,
  voiceState: 4,
  resume: 6,
  reconnect: 7,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
  requestSoundboardSounds: 31,
} as const;

/** Gateway close codes: https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
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

/** A bot may send 120 gateway events in 60 seconds: https://discord.com/developers/docs/events/gateway#rate-limiting */
const SENDS = { limit: 120, perMs: 60_000 };

type Data = Record<string, unknown>;

export class Connection {
  readonly #ws: WebSocket;
  readonly #gateway: GatewayState;
  #session: GatewaySession | undefined;
  #sends: number[] = [];
  #heartbeatDue: NodeJS.Timeout;

  constructor(ws: WebSocket, gateway: GatewayState) {
    this.#ws = ws;
    this.#gateway = gateway;
    this.#send(OP.hello, { heartbeat_interval: gateway.heartbeatIntervalMs, _trace: [] });
    // A bot that sends no heartbeat for two intervals is considered gone: the gateway closes its connection.
    this.#heartbeatDue = setTimeout(() => this.close(4009), gateway.heartbeatIntervalMs * 2);
    this.#heartbeatDue.unref();
  }

  receive(text: string) {
    const nowMs = this.#gateway.hub.clock.now();
    this.#sends = [...this.#sends.filter((atMs) => nowMs - atMs < SENDS.perMs), nowMs];
    if (this.#sends.length > SENDS.limit) return this.close(4008);
    const payload = parse(text);
    if (!payload) return this.close(4002);
    this.#handle(payload.op, payload.d);
  }

  askToReconnect() {
    this.#send(OP.reconnect, null);
  }

  invalidate(resumable: boolean) {
    this.#send(OP.invalidSession, resumable);
    if (resumable || !this.#session) return;
    const ended = this.#session;
    this.#session = undefined;
    ended.socket = undefined;
    this.#gateway.sessions.end(ended);
  }

  close(code: number) {
    this.#ws.close(code, CLOSE_REASONS[code] ?? '');
  }

  cut() {
    this.#ws.terminate();
  }

  closed(code: number) {
    clearTimeout(this.#heartbeatDue);
    const { sessions, hub } = this.#gateway;
    if (this.#session?.socket !== this.#ws) return;
    // A bot ends its gateway session only with the close codes 1000 and 1001: events/gateway#initiating-a-disconnect
    if (code === 1000 || code === 1001) {
      this.#session.socket = undefined;
      sessions.end(this.#session);
    } else sessions.detach(this.#session);
    hub.changed();
  }

  #send(op: number, data: unknown) {
    this.#ws.send(JSON.stringify({ op, d: data, s: null, t: null }));
  }

  #handle(op: unknown, data: unknown) {
    if (op === OP.heartbeat) return this.#heartbeat();
    if (typeof op !== 'number' || !Object.values<number>(OP).includes(op)) return this.close(4001);
    if (typeof data !== 'object' || data === null) return this.close(4002);
    if (op === OP.identify) return this.#identify(data as Data);
    if (op === OP.resume) return this.#resume(data as Data);
    if (!this.#session) return this.close(4003);
    if (op === OP.voiceState) return this.#updateVoiceState(this.#session, data as Data);
    // Presence updates and soundboard requests are ignored. Other opcodes, which Crier never sends, close the connection.
    if (op !== OP.presence && op !== OP.requestSoundboardSounds) this.close(4001);
  }

  #heartbeat() {
    this.#heartbeatDue.refresh();
    if (this.#gateway.faults.answerHeartbeats) this.#send(OP.heartbeatAck, null);
  }

  #identify(data: Data) {
    const { hub, counts, sessions } = this.#gateway;
    const { application } = hub.model;
    if (this.#session) return this.close(4005);
    if (data.token !== application.token) return this.close(4004);
    if (typeof data.properties !== 'object' || data.properties === null) return this.close(4002);
    const shard = readShard(data.shard);
    if (!shard) return this.close(4010);
    const refusal = intentsRefusal(data.intents, application.flags);
    if (refusal) return this.close(refusal);
    if (!hub.sessionStarts.take()) return this.#resetToken();
    if (this.#gateway.isTooSoon(shard[0])) {
      counts.refusedIdentifies += 1;
      return this.#send(OP.invalidSession, false);
    }
    hub.identifies += 1;
    this.#session = sessions.open(this.#ws, data.intents as number, shard);
    this.#gateway.noteIdentify(this.#session);
    this.#greet(this.#session);
  }

  /**
   * Gives the bot a new token and ends all its gateway sessions, as Discord does if a bot starts too many sessions:
   * https://discord.com/developers/docs/events/gateway#identifying
   */
  #resetToken() {
    const { hub, sessions } = this.#gateway;
    hub.model.application.token = randomBytes(24).toString('base64url');
    for (const opened of [...sessions.all.values()]) {
      opened.socket?.close(4004, CLOSE_REASONS[4004]);
      sessions.end(opened);
    }
    this.close(4004);
  }

  #greet(opened: GatewaySession) {
    const { hub, sessions } = this.#gateway;
    const { guilds, application } = hub.model;
    const servers = [...guilds.values()].filter(
      (guild) => guild.members.has(application.botId) && shardOf(guild.id, opened.shard[1]) === opened.shard[0],
    );
    sessions.dispatch(opened, 'READY', {
      v: 10,
      user: botPayload(hub.model),
      guilds: servers.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: opened.id,
      resume_gateway_url: hub.origin.replace('http:', 'ws:') + RESUME_PATH,
      shard: opened.shard,
      application: { id: application.id, flags: application.flags },
      user_settings: {},
      relationships: [],
      private_channels: [],
      presences: [],
      _trace: [],
    });
    opened.ready = true;
    if (opened.intents & INTENTS.Guilds) this.#showServers(opened, servers);
    hub.changed();
  }

  /** Sends the bot its servers in small groups: thousands at once would delay other gateway sessions. */
  #showServers(opened: GatewaySession, guilds: readonly Guild[]) {
    if (this.#gateway.sessions.all.get(opened.id) !== opened) return;
    for (const guild of guilds.slice(0, SHOWN_AT_ONCE)) {
      if (guild.available) this.#show(opened, guild);
    }
    if (guilds.length > SHOWN_AT_ONCE) setImmediate(() => this.#showServers(opened, guilds.slice(SHOWN_AT_ONCE)));
  }

  #show(opened: GatewaySession, guild: Guild) {
    const { hub, sessions, faults } = this.#gateway;
    const delayMs = faults.delayedEvents.get('GUILD_CREATE');
    const tell = () => {
      if (sessions.all.get(opened.id) === opened)
        sessions.dispatch(opened, 'GUILD_CREATE', guildCreatePayload(hub.model, guild, opened.intents));
    };
    if (delayMs === undefined) tell();
    else setTimeout(tell, delayMs).unref();
  }

  #resume(data: Data) {
    const { hub, sessions, counts } = this.#gateway;
    if (this.#session) return this.close(4005);
    if (data.token !== hub.model.application.token) return this.close(4004);
    const found = sessions.all.get(String(data.session_id));
    if (!found) return this.#send(OP.invalidSession, false);
    if (typeof data.seq !== 'number') return this.close(4002);
    if (data.seq > found.sequence) return this.close(4007);
    if (!sessions.resume(found, this.#ws, data.seq)) {
      sessions.end(found);
      return this.#send(OP.invalidSession, false);
    }
    this.#session = found;
    counts.resumes += 1;
    hub.changed();
  }

  #updateVoiceState(current: GatewaySession, data: Data) {
    const { guild_id: guildId, channel_id: channelId } = data;
    if (typeof guildId !== 'string' || (typeof channelId !== 'string' && channelId !== null)) return this.close(4002);
    const [selfMute, selfDeaf] = [data.self_mute === true, data.self_deaf === true];
    botUpdatesVoiceState(this.#gateway.hub, { sessionId: current.id, guildId, channelId, selfMute, selfDeaf });
  }
}

function parse(text: string): Data | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Data) : undefined;
  } catch {
    return undefined;
  }
}

function readShard(value: unknown): readonly [number, number] | undefined {
  if (value === undefined) return [0, 1];
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [id, count] = value as unknown[];
  if (!Number.isInteger(id) || !Number.isInteger(count)) return undefined;
  return (id as number) >= 0 && (id as number) < (count as number) ? [id as number, count as number] : undefined;
}
