import { z } from 'zod';

/** The encryption modes of voice packets that the playground supports. Discord guarantees only the XChaCha20 mode. */
export type EncryptionMode = 'aead_aes256_gcm_rtpsize' | 'aead_xchacha20_poly1305_rtpsize';

/** The version of DAVE, Discord's end-to-end encryption of voice; 0 means no encryption. */
export type ProtocolVersion = 0 | 1;

/** Settings that tests may change at any time. A change takes effect with the next event. */
export class VoiceServerSettings {
  /** Encryption modes offered in op 2 (ready), in order. */
  modes: readonly EncryptionMode[] = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'];
  /** If false, no call that begins is encrypted end to end, as on Discord's stages. */
  dave = true;
  daveHandshakeDelayMs = 0;
  /** Milliseconds between a member's commit (op 28) and its announcement (op 29 and op 30). */
  daveCommitDelayMs = 0;
  /** The heartbeat interval that the voice server requests (op 8, hello). */
  heartbeatIntervalMs = 13_750;
  /** Clients that connect in these channels get no op 25 (external sender), so they join no encryption group. */
  readonly channelsWithoutGroup = new Set<string>();
  /** How long a client may send audio before op 5 (speaking), in ms, because UDP may overtake TCP. */
  speakingGraceMs = 1_000;
  clientsConnectDelayMs = 0;
  resumeDelayMs = 0;
  /** If true, missed messages come before op 9 (resumed). Discord does not document the order. */
  replayBeforeResumed = false;
  /** How long a voice client may resume after a broken connection, in ms. */
  resumeWindowMs = 5_000;
  /** If false, the voice server does not tell clients their address (IP discovery), as behind a firewall. */
  answerIpDiscovery = true;
  isUdpSilent = false;
  /** Number of coming IP discovery datagrams that are lost. */
  discoveriesToLose = 0;
  /** Number of coming connections to the voice gateway that are rejected with HTTP status 521. */
  upgradesToRefuse = 0;
  /** If false, the voice server does not echo keep-alives; some of Discord's servers behave like that. */
  echoKeepAlives = true;
  /** Opcodes of answers that the voice gateway does not send: 2 (ready), 4 (session description) and so on. */
  readonly withheldOps = new Set<number>();
  answerHeartbeats = true;
  /** If set, the voice gateway rejects clients that log in (identify) with this close code. */
  closeOnIdentify: number | undefined;
  /** How many of the next logins `closeOnIdentify` rejects. */
  closeOnIdentifyTimes = Number.POSITIVE_INFINITY;
  /** Changes op 25, 27, 29 or 30 on its way to a client, like a tampering server. Undefined loses the message. */
  alterDaveMessage: ((message: { userId: string; op: number; payload: Buffer }) => Buffer | undefined) | undefined;
  /** Called for each audio packet of a client; true loses the packet, like a bad network. */
  losePacket: ((packet: { sequence: number; userId: string }) => boolean) | undefined;
}

/** A user in a voice channel: either simulated by a listener, or a client that is to connect to the voice server. */
export interface VoiceMember {
  guildId: string;
  channelId: string;
  userId: string;
  /** False if the channel's calls are not encrypted end to end, as on Discord's stages. */
  dave: boolean;
}

export interface ExpectedClient extends VoiceMember {
  sessionId: string;
}

export interface ListenerOptions extends VoiceMember {
  /** If false, packets are only timed and counted, for load measurements. Default true. */
  decode?: boolean;
}

export interface HeardPacket {
  atMs: number;
  userId: string;
  sequence: number;
  timestamp: number;
  ssrc: number;
  bytes: number;
  /** True for Opus' silence frame of three bytes, which ends speech. */
  silence: boolean;
  /** True if the packet is encrypted end to end (DAVE). */
  encrypted: boolean;
  /** True if a person would hear the frame: it could be decrypted and decoded, and is not silent. */
  audible: boolean;
}

/** A span of time by `performance.now()`; both ends belong to the span. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A client connected by a socket, or a member simulated in the playground's process. */
export interface Participant {
  readonly userId: string;
  send(op: number, data: unknown): void;
  sendBinary(op: number, payload: Uint8Array): void;
}

// Opcodes of the voice gateway: https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice

export const Op = {
  identify: 0,
  selectProtocol: 1,
  ready: 2,
  heartbeat: 3,
  sessionDescription: 4,
  speaking: 5,
  heartbeatAck: 6,
  resume: 7,
  hello: 8,
  resumed: 9,
  clientsConnect: 11,
  clientDisconnect: 13,
  davePrepareTransition: 21,
  daveExecuteTransition: 22,
  daveTransitionReady: 23,
  davePrepareEpoch: 24,
  daveExternalSender: 25,
  daveKeyPackage: 26,
  daveProposals: 27,
  daveCommitWelcome: 28,
  daveAnnounceCommit: 29,
  daveWelcome: 30,
  daveInvalidCommitWelcome: 31,
} as const;

export const Close = {
  unknownOpcode: 4001,
  decodeFailed: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  sessionInvalid: 4006,
  sessionTimeout: 4009,
  serverNotFound: 4011,
  unknownProtocol: 4012,
  disconnected: 4014,
  serverCrashed: 4015,
  unknownEncryptionMode: 4016,
  daveRequired: 4017,
  badRequest: 4020,
  callTerminated: 4022,
} as const;

/** The only version of DAVE, Discord's end-to-end encryption of voice. */
export const DAVE_VERSION = 1;

/** A voice client broke the protocol: the voice gateway closes the client's socket with this code. */
export class ClientFault extends Error {
  readonly closeCode: number;
  constructor(closeCode: number, message: string) {
    super(message);
    this.name = 'ClientFault';
    this.closeCode = closeCode;
  }
}

// Schemas of messages from voice clients: https://discord.com/developers/docs/topics/voice-connections

const snowflake = z.string().regex(/^\d{1,20}$/);
const ssrc = z.int().min(0).max(0xffff_ffff);
const sequence = z.int().min(-1).max(0xffff);
const transitionId = z.int().min(0).max(0xffff);

const envelopeSchema = z.object({ op: z.int(), d: z.unknown() });

export const identifySchema = z.object({
  server_id: snowflake,
  user_id: snowflake,
  session_id: z.string().min(1),
  token: z.string().min(1),
  max_dave_protocol_version: z.int().min(0).default(0),
});

export const resumeSchema = z.object({
  server_id: snowflake,
  session_id: z.string().min(1),
  token: z.string().min(1),
  seq_ack: sequence,
});

export const selectProtocolSchema = z.object({
  protocol: z.string(),
  data: z.object({ address: z.ipv4(), port: z.int().min(1).max(0xffff), mode: z.string() }),
});

/** Version 8 of the voice gateway requires `seq_ack` in heartbeats and resumes. */
export const heartbeatSchema = z.object({ t: z.number(), seq_ack: sequence });

/** The speaking flags 1, 2 and 4: https://discord.com/developers/docs/topics/voice-connections#speaking */
export const speakingSchema = z.object({ speaking: z.int().min(0).max(7), delay: z.number().optional(), ssrc });

export const transitionSchema = z.object({ transition_id: transitionId });

/** Throws ClientFault for an invalid message: the voice gateway then closes the socket with `closeCode`. */
export function parse<T>(schema: z.ZodType<T>, value: unknown, closeCode: number = Close.badRequest): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ClientFault(closeCode, `${issue?.path.join('.') || 'payload'}: ${issue?.message}`);
}

export function parseEnvelope(text: string): { op: number; d: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ClientFault(Close.decodeFailed, 'Not JSON');
  }
  return parse(envelopeSchema, value, Close.decodeFailed);
}

const WAIT_MS = 30_000;

export interface Deadline {
  /** How many milliseconds a wait may take before it rejects; 30,000 by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Waits until `begin` calls `resolve` or `reject`. Rejects with `late()` at the deadline. `begin` returns its cleanup. */
export function waitWithin<T>(
  { timeoutMs = WAIT_MS, signal }: Deadline,
  late: (timeoutMs: number) => Error,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(late(timeoutMs)), timeoutMs);
  const aborted = () => reject(signal?.reason);
  signal?.addEventListener('abort', aborted);
  if (signal?.aborted) aborted();
  const stop = begin(resolve, reject);
  return promise.finally(() => {
    stop();
    clearTimeout(timer);
    signal?.removeEventListener('abort', aborted);
  });
}
