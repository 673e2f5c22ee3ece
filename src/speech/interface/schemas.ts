import * as z from 'zod';
import { RESPONSE_FORMATS, SPEED_RANGE, TEMPERATURE_RANGE } from './models.ts';

/* Answers are parsed tolerantly. The request body is strict, because the service rejects unknown fields and null. */

/** Returns undefined for a text that is not JSON, such as a proxy's page. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const voiceSchema = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  model: z.string().min(1),
  language: z.string().default('multiple'),
  formats: z.array(z.string()).default([]),
  /** True if the voice takes a style. If a voice list omits the field, the model's rules decide. */
  supports_style: z.boolean().optional(),
  languages: z.array(z.string()).optional().catch(undefined),
  /** An extension of the API document: true if requests for the voice may contain `language`. */
  takes_language: z.boolean().optional().catch(undefined),
  /** Extensions of the API document that describe the voice. The accent is an English word, such as 'Scottish'. */
  gender: z.enum(['female', 'male']).optional().catch(undefined),
  accent: z.string().min(1).optional().catch(undefined),
});
export type Voice = z.infer<typeof voiceSchema> & {
  /** Set by the bot if a voice before this one has the same name: replies then show the model beside the name. */
  readonly isVariant?: boolean;
};

export const modelInfoSchema = z.object({
  id: z.string().min(1),
  name: z.string().optional(),
  max_input_length: z.number().positive().optional(),
  supported_formats: z.array(z.string()).optional(),
});
export type ModelInfo = z.infer<typeof modelInfoSchema>;

/** The `metadata` of a billing transaction is not parsed: it may contain payment ids, which must never be shown. */
const billingTransactionSchema = z.object({
  id: z.string().optional(),
  type: z.string().optional(),
  amount: z.number().optional(),
  description: z.string().nullish(),
  created_at: z.string().optional(),
  reference_id: z.string().nullish(),
  subscription_id: z.string().nullish(),
});

export const billingSchema = z.object({
  creditsLeft: z.number(),
  lastUpdated: z.string().nullable().catch(null),
  userId: z.string().nullable().catch(null),
  lastBillingTransaction: billingTransactionSchema.nullable().catch(null),
});
export type Billing = z.infer<typeof billingSchema>;

const billedSchema = z.number().transform((credits) => Math.max(0, credits));

export const speechResultSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  credits_used: billedSchema,
  credits_remaining: z.number(),
  usage: z
    .object({ input_characters: z.number().optional(), model: z.string().optional() })
    .optional()
    .catch(undefined),
  /** An extension of the API document: the id of the voice that spoke instead of the requested voice. */
  spoken_by: z.string().optional().catch(undefined),
});

const errorSchema = z.object({
  message: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  param: z.string().nullish().catch(undefined),
  code: z.string().optional().catch(undefined),
});
/** A proxy in front of the speech API may send `error` as a plain string. */
export const errorBodySchema = z.object({ error: z.union([errorSchema, z.string()]) });
export type WireError = z.infer<typeof errorSchema>;

/** Models have rules of their own. A number out of range is rejected even for a model that ignores the parameter. */
export const speechRequestSchema = z
  .strictObject({
    input: z.string().min(1, 'input must not be empty'),
    model: z.string().min(1).optional(),
    voice: z.string().min(1).optional(),
    voiceId: z.guid('voiceId must be a UUID').optional(),
    style: z.string().optional(),
    seed: z.int('seed must be an integer').optional(),
    temperature: z.number().min(TEMPERATURE_RANGE.min).max(TEMPERATURE_RANGE.max).optional(),
    response_format: z.enum(RESPONSE_FORMATS).optional(),
    speed: z.number().min(SPEED_RANGE.min).max(SPEED_RANGE.max).optional(),
    /** An extension of the API document: the input's language (ISO 639-1), for voices with `takes_language`. */
    language: z
      .string()
      .regex(/^[a-z]{2}$/, 'language must be an ISO 639-1 code')
      .optional(),
  })
  .superRefine((body, context) => {
    const refuse = (param: string, message: string) => context.addIssue({ code: 'custom', path: [param], message });
    if (body.voiceId !== undefined) {
      if (body.voice !== undefined) refuse('voice', 'voice must not be sent together with voiceId');
      if (body.model !== undefined) refuse('model', 'model must not be sent together with voiceId');
    } else if (body.voice === undefined && body.model === undefined) {
      refuse('voice', 'send voiceId, or voice together with model');
    } else if (body.voice === undefined) {
      refuse('voice', 'voice is required together with model');
    } else if (body.model === undefined) {
      refuse('model', 'model is required together with voice');
    }
  });
export type WireSpeechRequest = z.infer<typeof speechRequestSchema>;
