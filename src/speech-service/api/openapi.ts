import * as z from 'zod';
import { MODEL_IDS, modelRules, SEED_RANGE } from '../../speech/interface/models.ts';
import { RESPONSE_FORMATS, speechRequestSchema, type WireSpeechRequest } from '../../speech/interface/schemas.ts';
import { API_ERRORS } from './api-error.ts';

/*
 * The machine-readable description of the interface. What the code knows is taken from the code; a test checks every
 * answer of a run against the result.
 */

/** Engines beside the embedded synthesizer add models of their own. */
const modelId = z.string().describe('One of those of GET /api/v1/models.');
const credits = z.int().min(0);
const formats = z.array(z.enum(RESPONSE_FORMATS)).min(1).meta({ uniqueItems: true });

/** Said of the fields of a request besides what the schema that judges them says. */
const REQUEST_NOTES: Partial<Record<keyof WireSpeechRequest, object>> = {
  input: {
    description: `Text to speak. Limits in UTF-16 units: ${MODEL_IDS.map((id) => `${id} ${modelRules(id).maxInputLength}`).join(', ')}.`,
  },
  model: { description: `Together with voice. ${modelId.description}` },
  voice: { description: 'Exact name, together with model.' },
  voiceId: { description: 'Instead of voice and model.' },
  style: { description: `Heard by ${modelsWith('style')}; ignored by the others.` },
  seed: { description: `Heard by ${modelsWith('seed')}; keep to ${SEED_RANGE.min}–${SEED_RANGE.max}.` },
  temperature: { description: `Heard by ${modelsWith('temperature')}.` },
  response_format: { description: 'Must be one that the model makes.' },
  speed: { default: 1, description: `Heard by ${modelsWith('speed')}.` },
  language: {
    description: 'ISO 639-1, of the input; found where it is left out. Heard by voices with takes_language.',
  },
};

function requestSchema() {
  const { properties = {}, ...rest } = jsonSchema(speechRequestSchema);
  const described = Object.entries(properties).map(([name, field]) => {
    return [name, { ...(field as object), ...REQUEST_NOTES[name as keyof WireSpeechRequest] }];
  });
  const oneOf = [
    { required: ['voiceId'], not: { anyOf: [{ required: ['voice'] }, { required: ['model'] }] } },
    { required: ['voice', 'model'], not: { required: ['voiceId'] } },
  ];
  return { ...rest, properties: Object.fromEntries(described), oneOf };
}

function jsonSchema(schema: z.ZodType) {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}

/*
 * Answers are described here: the shared schemas read those of any service, tolerantly, and promise less than this one
 * keeps to.
 */
const SpeechResult = z.strictObject({
  url: z.url().describe('Public, expires, needs no key, and is not on the port of the API.'),
  credits_used: credits,
  credits_remaining: credits,
  usage: z.strictObject({
    input_characters: z.int().min(1),
    model: z.string().describe('The model that ran: opaque text.'),
  }),
  spoken_by: z
    .uuid()
    .optional()
    .describe('The voice that spoke, where it is not the one that was asked for, whose engine is down.'),
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
});

const Model = z.strictObject({
  id: modelId,
  name: z.string(),
  max_input_length: z.int().min(1),
  supported_formats: formats,
});

const Billing = z.strictObject({
  creditsLeft: credits,
  lastUpdated: z.iso.datetime().nullable(),
  userId: z.string(),
  lastBillingTransaction: z
    .strictObject({
      id: z.string(),
      type: z.enum(['purchase', 'topup']),
      amount: z.int().min(1),
      description: z.string(),
      created_at: z.iso.datetime(),
      reference_id: z.string().nullable(),
      subscription_id: z.string().nullable(),
    })
    .nullable(),
});

const Failure = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.enum([...new Set(Object.values(API_ERRORS).map(([, type]) => type))]),
    param: z.string().nullable(),
    code: z.enum(Object.keys(API_ERRORS)).nullable(),
  }),
});

const headers = {
  'request-id': {
    required: true,
    description: 'Made by the server for every response; quote it when asking for help.',
    schema: { type: 'string', pattern: '^req_crier_[0-9a-f]{32}$' },
  },
  'X-RateLimit-Limit-Requests': {
    required: true,
    description: 'Requests a minute with one key, all endpoints together.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining-Requests': {
    required: true,
    description: 'Requests that are possible at once.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset-Requests': {
    required: true,
    description: 'When one more request becomes possible.',
    schema: { type: 'string', format: 'date-time' },
  },
};

const json = (schema: object) => ({ 'application/json': { schema } });
const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const allHeaders = Object.fromEntries(Object.keys(headers).map((name) => [name, header(name)]));

const operation = (operationId: string, summary: string, schema: object) => ({
  operationId,
  summary,
  responses: {
    '200': { description: summary, headers: allHeaders, content: json(schema) },
    default: {
      description:
        'An error. Without a code (502), an engine was sent the text and may have billed it: it is not to be sent again.',
      headers: { 'request-id': header('request-id') },
      content: json({ $ref: '#/components/schemas/Error' }),
    },
  },
});

const list = (element: z.ZodType) => jsonSchema(z.strictObject({ data: z.array(element) }));

/** OpenAPI 3.1. */
export const OPENAPI_DOCUMENT = {
  openapi: '3.1.1',
  info: {
    title: 'Speech generation',
    version: '1.0.0',
    description: "Crier's embedded speech service: text in, the address of spoken audio out.",
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
    schemas: { SpeechRequest: requestSchema(), Error: jsonSchema(Failure) },
    headers,
  },
};

function modelsWith(parameter: 'style' | 'seed' | 'temperature' | 'speed'): string {
  return MODEL_IDS.filter((id) => modelRules(id)[parameter]).join(', ');
}
