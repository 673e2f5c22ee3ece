import { z } from 'zod';

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
  rateLimited: 4021,
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

/** The flags 1, 2 and 4: https://discord.com/developers/docs/topics/voice-connections#speaking */
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
