import * as z from 'zod';
import {
  MODEL_IDS,
  modelRules,
  PARAMETERS,
  type Parameter,
  RESPONSE_FORMATS,
  SEED_RANGE,
} from '../../speech/interface/models.ts';
import { speechRequestSchema } from '../../speech/interface/schemas.ts';
import { API_ERRORS } from './api-error.ts';

/* Answers have stricter schemas here than in Crier's client, which tolerates the answers of any service. */

/** A model id may be any string, because engines add models of their own. */
const modelId = z.string().describe('One of those of GET /api/v1/models.');
const credits = z.int().min(0);
const formats = z.array(z.enum(RESPONSE_FORMATS)).min(1).meta({ uniqueItems: true });

const SpeechResult = z.strictObject({
  url: z.url().describe('Public, expires, needs no key, and is not on the port of the API.'),
  credits_used: credits,
  credits_remaining: credits,
  usage: z.strictObject({ input_characters: z.int().min(1), model: z.string().describe('Opaque: the one that ran.') }),
  spoken_by: z.uuid().optional().describe('The voice that spoke in place of the one whose engine is down.'),
});
const Voice = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  model: modelId,
  language: z.string(),
  formats,
  supports_style: z.boolean(),
  languages: z.array(z.string()).optional().describe('BCP 47.'),
  takes_language: z.boolean().optional().describe('Whether a request may name the language of its input.'),
  gender: z.enum(['female', 'male']).optional(),
  accent: z.string().optional().describe('An English word, such as Scottish.'),
});
const Model = z.strictObject({
  id: modelId,
  name: z.string(),
  max_input_length: z.int().min(1),
  supported_formats: formats,
});
const Transaction = z.strictObject({
  id: z.string(),
  type: z.enum(['purchase', 'topup']),
  amount: z.int().min(1),
  description: z.string(),
  created_at: z.iso.datetime(),
  reference_id: z.string().nullable(),
  subscription_id: z.string().nullable(),
});
const Billing = z.strictObject({
  creditsLeft: credits,
  lastUpdated: z.iso.datetime().nullable(),
  userId: z.string(),
  lastBillingTransaction: Transaction.nullable(),
});
const Failure = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.enum([...new Set(Object.values(API_ERRORS).map(([, type]) => type))]),
    param: z.string().nullable(),
    code: z.enum(Object.keys(API_ERRORS)).nullable(),
  }),
});

function jsonSchema(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}

const list = (element: z.ZodType) => jsonSchema(z.strictObject({ data: z.array(element) }));

const heardBy = (field: Parameter) =>
  `Heard by ${MODEL_IDS.filter((id) => modelRules(id)[field]).join(', ')}; ignored by the others.`;
const limits = MODEL_IDS.map((id) => `${id} ${modelRules(id).maxInputLength}`).join(', ');
const request = {
  ...jsonSchema(speechRequestSchema),
  description: [
    `input: up to a limit in UTF-16 units (${limits}).`,
    'voice: the exact name, together with model; voiceId: instead of both.',
    ...PARAMETERS.map((field) => `${field}: ${heardBy(field)}`),
    `seed: ${SEED_RANGE.min} to ${SEED_RANGE.max}.`,
    'language: ISO 639-1, of the input; heard by voices with takes_language, and found where it is left out.',
  ].join('\n'),
  oneOf: [
    { required: ['voiceId'], not: { anyOf: [{ required: ['voice'] }, { required: ['model'] }] } },
    { required: ['voice', 'model'], not: { required: ['voiceId'] } },
  ],
};

const headers = {
  'request-id': {
    required: true,
    description: 'Made by the server for every response; quote it when asking for help.',
    schema: { type: 'string', pattern: '^req_crier_[0-9a-f]{32}$' },
  },
};
const REQUEST_ID = { 'request-id': { $ref: '#/components/headers/request-id' } };
const json = (schema: object) => ({ 'application/json': { schema } });

const operation = (operationId: string, summary: string, schema: object) => ({
  operationId,
  summary,
  responses: {
    '200': { description: summary, headers: REQUEST_ID, content: json(schema) },
    default: {
      description:
        'An error. Without a code (502), an engine was sent the text and may have billed it: it is not to be sent again.',
      headers: REQUEST_ID,
      content: json({ $ref: '#/components/schemas/Error' }),
    },
  },
});

export const OPENAPI_DOCUMENT = {
  openapi: '3.1.1',
  info: {
    title: 'Speech generation',
    version: '1.0.0',
    description:
      'Text in, the address of spoken audio out. X-RateLimit-Limit-Requests is how many requests a minute one key may make, X-RateLimit-Remaining-Requests how many at once, X-RateLimit-Reset-Requests when one more becomes possible.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/' }],
  security: [{ BearerAuth: [] }],
  paths: {
    '/api/v1/speech': {
      post: {
        ...operation('createSpeech', 'Speak a text', jsonSchema(SpeechResult)),
        requestBody: { required: true, content: json({ $ref: '#/components/schemas/SpeechRequest' }) },
      },
    },
    '/api/v1/voices': { get: operation('listVoices', 'List the voices', list(Voice)) },
    '/api/v1/models': { get: operation('listModels', 'List the models', list(Model)) },
    '/api/v1/billing': { get: operation('readBilling', 'Read the balance', jsonSchema(Billing)) },
    '/api/v1/openapi': { get: operation('readDescription', 'Read this description', { type: 'object' }) },
  },
  components: {
    securitySchemes: { BearerAuth: { type: 'http', scheme: 'bearer' } },
    schemas: { SpeechRequest: request, Error: jsonSchema(Failure) },
    headers,
  },
};
