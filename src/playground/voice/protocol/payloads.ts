import { z } from 'zod';
import { ClientFault, Close } from './opcodes.ts';

// Payloads from clients: https://discord.com/developers/docs/topics/voice-connections

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

/** `seq_ack` is due since version 8, here and in a resume. */
export const heartbeatSchema = z.object({ t: z.number(), seq_ack: sequence });

/** Flags 1, 2 and 4: https://discord.com/developers/docs/topics/voice-connections#speaking. */
export const speakingSchema = z.object({ speaking: z.int().min(0).max(7), delay: z.number().optional(), ssrc });

export const transitionSchema = z.object({ transition_id: transitionId });

/** Reads `value` by `schema`; an invalid one closes the socket with `closeCode`. */
export function parse<T>(schema: z.ZodType<T>, value: unknown, closeCode: number = Close.badRequest): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ClientFault(closeCode, `${issue?.path.join('.') || 'payload'}: ${issue?.message}`);
}

/** Reads a text message's envelope. */
export function parseEnvelope(text: string): { op: number; d?: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ClientFault(Close.decodeFailed, 'Not JSON');
  }
  return parse(envelopeSchema, value, Close.decodeFailed);
}
