import * as z from 'zod';
import { MODEL_IDS, modelRules, SEED_RANGE } from '../../speech/interface/models.ts';
import { RESPONSE_FORMATS, speechRequestSchema, type WireSpeechRequest } from '../../speech/interface/schemas.ts';
import { API_ERRORS } from './api-error.ts';

/*
 * The machine-readable description of the interface. What the code knows is taken from the code; a test checks every
 * answer of a run against the result.
 */

const ref = (kind: 'schemas' | 'headers', name: string) => ({ $ref: `#/components/${kind}/${name}` });
const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const withOptional = (optional: Record<string, unknown>, required: Record<string, unknown>) => ({
  ...object(required),
  properties: { ...required, ...optional },
});
const dateTime = { type: 'string', format: 'date-time' };
const credits = { type: 'integer', minimum: 0 };
/** Engines beside the embedded synthesiser add models of their own. */
const modelId = { type: 'string', description: 'One of those of GET /api/v1/models.' };
const format = { type: 'string', enum: [...RESPONSE_FORMATS] };

/** Said of the fields of a request besides what the schema that judges them says. */
const REQUEST_NOTES: Partial<Record<keyof WireSpeechRequest, object>> = {
  input: {
    description: `Text to speak. Limits in UTF-16 units: ${MODEL_IDS.map((id) => `${id} ${modelRules(id).maxInputLength}`).join(', ')}.`,
  },
  model: { ...modelId, description: `Together with voice. ${modelId.description}` },
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
  const { $schema: _, properties = {}, ...rest } = z.toJSONSchema(speechRequestSchema);
  const described = Object.entries(properties).map(([name, field]) => {
    return [name, { ...(field as object), ...REQUEST_NOTES[name as keyof WireSpeechRequest] }];
  });
  return { ...rest, properties: Object.fromEntries(described) };
}

/*
 * Answers are described here: the shared schemas read those of any service, tolerantly, and promise less than this one
 * keeps to.
 */
const schemas = {
  SpeechRequest: {
    ...requestSchema(),
    oneOf: [
      { required: ['voiceId'], not: { anyOf: [{ required: ['voice'] }, { required: ['model'] }] } },
      { required: ['voice', 'model'], not: { required: ['voiceId'] } },
    ],
  },
  SpeechResult: withOptional(
    {
      spoken_by: {
        type: 'string',
        format: 'uuid',
        description: 'The voice that spoke, where it is not the one that was asked for, whose engine is down.',
      },
    },
    {
      url: {
        type: 'string',
        format: 'uri',
        description: 'Public, expires, needs no key, and is not on the port of the API.',
      },
      credits_used: credits,
      credits_remaining: credits,
      usage: object({
        input_characters: { type: 'integer', minimum: 1 },
        model: { type: 'string', description: 'The model that ran: opaque text.' },
      }),
    },
  ),
  Voice: withOptional(
    {
      languages: { type: 'array', items: { type: 'string' }, description: 'BCP 47.' },
      takes_language: { type: 'boolean', description: 'Whether a request may name the language of its input.' },
    },
    {
      id: { type: 'string', format: 'uuid' },
      name: { type: 'string' },
      model: modelId,
      language: { type: 'string' },
      formats: { type: 'array', items: format, minItems: 1, uniqueItems: true },
      supports_style: { type: 'boolean' },
    },
  ),
  VoiceList: object({ data: { type: 'array', items: ref('schemas', 'Voice') } }),
  Model: object({
    id: modelId,
    name: { type: 'string' },
    max_input_length: { type: 'integer', minimum: 1 },
    supported_formats: { type: 'array', items: format, minItems: 1, uniqueItems: true },
  }),
  ModelList: object({ data: { type: 'array', items: ref('schemas', 'Model') } }),
  Billing: object({
    creditsLeft: credits,
    lastUpdated: { anyOf: [dateTime, { type: 'null' }] },
    userId: { type: 'string' },
    lastBillingTransaction: { anyOf: [ref('schemas', 'BillingTransaction'), { type: 'null' }] },
  }),
  BillingTransaction: object({
    id: { type: 'string' },
    type: { type: 'string', enum: ['purchase', 'topup'] },
    amount: { type: 'integer', minimum: 1 },
    description: { type: 'string' },
    created_at: dateTime,
    reference_id: { type: ['string', 'null'] },
    subscription_id: { type: ['string', 'null'] },
  }),
  Error: object({
    error: object({
      message: { type: 'string' },
      type: { type: 'string', enum: [...new Set(Object.values(API_ERRORS).map(([, type]) => type))] },
      param: { type: ['string', 'null'] },
      code: { type: ['string', 'null'], enum: [...Object.keys(API_ERRORS), null] },
    }),
  }),
};

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
    schema: dateTime,
  },
};

const json = (schema: unknown) => ({ 'application/json': { schema } });
const allHeaders = Object.fromEntries(Object.keys(headers).map((name) => [name, ref('headers', name)]));

const operation = (operationId: string, summary: string, schema: unknown) => ({
  operationId,
  summary,
  responses: {
    '200': { description: summary, headers: allHeaders, content: json(schema) },
    default: {
      description:
        'An error. Without a code (502), an engine was sent the text and may have billed it: it is not to be sent again.',
      headers: { 'request-id': ref('headers', 'request-id') },
      content: json(ref('schemas', 'Error')),
    },
  },
});

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
        ...operation('createSpeech', 'Speak a text', ref('schemas', 'SpeechResult')),
        requestBody: { required: true, content: json(ref('schemas', 'SpeechRequest')) },
      },
    },
    '/api/v1/voices': { get: operation('listVoices', 'List the voices', ref('schemas', 'VoiceList')) },
    '/api/v1/models': { get: operation('listModels', 'List the models', ref('schemas', 'ModelList')) },
    '/api/v1/billing': { get: operation('readBilling', 'Read the balance', ref('schemas', 'Billing')) },
    '/api/v1/openapi': { get: operation('readDescription', 'Read this description', { type: 'object' }) },
  },
  components: {
    securitySchemes: { BearerAuth: { type: 'http', scheme: 'bearer' } },
    schemas,
    headers,
  },
};

function modelsWith(parameter: 'style' | 'seed' | 'temperature' | 'speed'): string {
  return MODEL_IDS.filter((id) => modelRules(id)[parameter]).join(', ');
}
