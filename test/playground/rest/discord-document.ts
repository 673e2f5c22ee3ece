import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { RestCall } from '../../../src/playground/rest/server.ts';

/** Discord's own description of its HTTP API (github.com/discord/discord-api-spec), laid beside the project. */
const DOCUMENT =
  process.env.DISCORD_OPENAPI ?? join(import.meta.dirname, '../../../../shared/discord-openapi/openapi.json');

interface Answer {
  readonly $ref?: string;
  readonly content?: unknown;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Answer> }>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: { readonly ChannelTypes: { readonly oneOf: unknown[] } };
  };
}

const read = existsSync(DOCUMENT) ? (JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Document) : undefined;
if (!read) console.error("Discord's OpenAPI document is not there: answers are not checked against it.");
/** Undefined where the document is not there. */
export const discordDocument = read && open(read);

function open(document: Document) {
  // The document's list of channel types ends at 15; media channels are 16.
  document.components.schemas.ChannelTypes.oneOf.push({ const: 16 });
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'discord');
  const routes = Object.entries(document.paths).map(([pattern, operations]) => ({
    pattern,
    operations,
    expression: new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    parameters: pattern.split('{').length - 1,
  }));
  routes.sort((one, other) => one.parameters - other.parameters);
  const validators = new Map<string, ValidateFunction>();

  function validator(pointer: string): ValidateFunction {
    const made = validators.get(pointer) ?? ajv.compile({ $ref: `discord#${pointer}` });
    validators.set(pointer, made);
    return made;
  }

  return {
    /** The differences between an answer of the loopback Discord and the document, in words; none where it fits. */
    problemsOf({ method, path, status, answer }: RestCall): readonly string[] {
      // The document describes no failure of Discord's own, nor a refusal of Cloudflare's.
      if (status >= 500 || (status === 429 && typeof answer === 'string')) return [];
      const plain = decodeURIComponent(path.split('?')[0] ?? '');
      const route = routes.find(
        ({ expression, operations }) => expression.test(plain) && method.toLowerCase() in operations,
      );
      if (!route) return [`${method} ${plain}: the document has no such route`];
      const schema = schemaOf(document, route.pattern, method.toLowerCase(), status);
      const name = `${method} ${route.pattern} ${status}`;
      if (schema === undefined) return [`${name}: the document has no such status`];
      if (schema === 'none') return answer === undefined ? [] : [`${name}: has a body`];
      const validate = validator(schema);
      // As it is sent: without the properties that are undefined.
      if (validate(JSON.parse(JSON.stringify(answer ?? null)))) return [];
      return (validate.errors ?? [])
        .filter(isTelling)
        .map((error) => `${name}: ${error.instancePath} ${error.message}`);
    },
  };
}

/** Where the schema of an answer stands in the document; 'none' where the answer has no body. */
function schemaOf(document: Document, pattern: string, method: string, status: number): string | 'none' | undefined {
  const responses = document.paths[pattern]?.[method]?.responses ?? {};
  const key = [String(status), `${Math.floor(status / 100)}XX`].find((candidate) => candidate in responses);
  const response = key === undefined ? undefined : responses[key];
  if (key === undefined || !response) return undefined;
  const shared = response.$ref?.slice(1);
  const { content } = shared ? (document.components.responses[basename(shared)] ?? {}) : response;
  if (!content) return 'none';
  const at =
    shared ??
    `/paths/${encodeURIComponent(pattern.replaceAll('~', '~0').replaceAll('/', '~1'))}/${method}/responses/${key}`;
  return `${at}/content/application~1json/schema`;
}

/** Of a union that fits nowhere, every branch reports; the document has mistakes of its own in `errors` (see its README). */
function isTelling({ instancePath }: ErrorObject): boolean {
  return !instancePath.startsWith('/errors');
}
