import { readFileSync } from 'node:fs';
import { parse, TomlError } from 'smol-toml';
import * as z from 'zod';
import { isKnownLanguage } from '../interface/languages.ts';
import { MODEL_IDS } from '../interface/models.ts';

/* The speech service reads the engines file. The bot and `npm run doctor` read it too, to report mistakes before the service starts. */

/** Hosts of well-known services that use neither the speech API nor OpenAI's protocol. */
const SERVICES: readonly (readonly [hosts: RegExp, service: string])[] = [
  [/(^|\.)elevenlabs\.io$/, 'ElevenLabs'],
  [/\.(speech|cognitive)\.microsoft\.com$/, 'Azure Speech'],
  [/(^|-)texttospeech\.googleapis\.com$/, 'Google Cloud Text-to-Speech'],
  [/^polly(-fips)?\.[\w-]+\.amazonaws\.com(\.cn)?$/, 'Amazon Polly'],
];

/** The reason why no speech can come from an address, as the end of a sentence; undefined if it can. */
export function otherProtocol(address: URL | string): string | undefined {
  const { hostname = '' } = URL.parse(String(address)) ?? {};
  const [, service] = SERVICES.find(([hosts]) => hosts.test(hostname)) ?? [];
  if (service === undefined) return undefined;
  return `is an address of ${service}, which speaks a protocol of its own that Crier does not (docs/guides/paid-service.md lists services that work)`;
}

/** Rejects addresses of unsupported services: the bot would otherwise start, and every text would fail with a 404. */
export function refuseOtherProtocols(address: URL | string, context: z.RefinementCtx): void {
  const issue = otherProtocol(address);
  if (issue !== undefined) context.addIssue(issue);
}

const MAX_CREDITS = 100_000;

export const plainName = z
  .string('must be text')
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be up to 32 small letters, digits and hyphens');
export const languages = z
  .array(
    z.string('must be text').refine((tag) => isKnownLanguage(tag), 'must be a language code such as en or pt-BR'),
    'must be a list such as ["en", "pt-BR"]',
  )
  .min(1, 'must name at least one language');
const word = z.string('must be text').regex(/^[\x21-\x7e]+$/, 'must be one word without spaces');

const voice = z.strictObject({
  name: z.string('must be text').regex(/^\S(.{0,98}\S)?$/, 'must be a name of up to 100 characters'),
  /** The voice's name at the engine's server, if it differs from `name`. */
  server_name: z.string('must be text').min(1, 'must not be empty').optional(),
  languages: languages.optional(),
});

const common = {
  name: plainName,
  /** The engine's price in credits per character. If any is above 0, replies show credits and spending limits apply. */
  credits_per_character: z
    .number('must be a number')
    .min(0, 'must be at least 0')
    .max(MAX_CREDITS, `must be at most ${MAX_CREDITS}`)
    .optional(),
  /** The engine that speaks during this engine's outage. A fallback must not cost more per character. */
  fallback: z.string('must be text').optional(),
};
const served = {
  /** The engine's voices. If the engines file lists none, the server's own voices are offered. */
  voices: z
    .array(voice, 'must be a list: each voice begins with [[engines.voices]]')
    .min(1, 'must name at least one voice')
    .optional(),
  /** The languages of the engine's voices that have no `languages` of their own. */
  languages: languages.optional(),
};

const isWebAddress = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');
const isTcpAddress = (value: string): boolean => /^tcp:\/\/[^/]+:\d+\/?$/.test(value) && URL.canParse(value);
const embedded = z.strictObject({ kind: z.literal('embedded'), ...common });
const openAi = z.strictObject({
  kind: z.literal('openai'),
  url: z.string('must be text').refine(isWebAddress, 'must be a web address').superRefine(refuseOtherProtocols),
  key: word.optional(),
  model: word.optional(),
  /** True if the engine's model takes style instructions; most OpenAI-compatible servers ignore them. */
  style: z.boolean('must be true or false').default(false),
  ...common,
  ...served,
});
const wyoming = z.strictObject({
  kind: z.literal('wyoming'),
  url: z.string('must be text').refine(isTcpAddress, 'must be tcp://HOST:PORT'),
  ...common,
  ...served,
});
const engine = z.discriminatedUnion('kind', [embedded, openAi, wyoming], 'must be embedded, openai or wyoming');
const file = z.strictObject({
  engines: z
    .array(engine, 'must be a list: each engine begins with [[engines]]')
    .min(1, 'must name at least one engine'),
});

export type EngineSettings = z.infer<typeof engine>;

export const havePrices = (engines: readonly EngineSettings[]): boolean =>
  engines.some((one) => (one.credits_per_character ?? 0) > 0);

/** Credits per character. If no engine has a price, this is 1, but replies show no credits, and no spending limits apply. */
export const priceOf = (engine: EngineSettings, engines: readonly EngineSettings[]): number =>
  havePrices(engines) ? (engine.credits_per_character ?? 0) : 1;

export const statedPrices = (engines: readonly EngineSettings[]): ReadonlyMap<string, number> =>
  new Map(
    (havePrices(engines) ? engines : []).flatMap((one) =>
      (one.kind === 'embedded' ? MODEL_IDS : [one.name]).map((model) => [model, priceOf(one, engines)] as const),
    ),
  );

type EnginesResult =
  | { readonly ok: true; readonly engines: readonly EngineSettings[] }
  /** All problems of the engines file, one line each, without the file's values: a value may be an API key. */
  | { readonly ok: false; readonly problems: readonly string[] };

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES:
    'this account may not read it: give it to the account that the bot runs as (docs/reference/engines-file.md, Who may read the file)',
};

const MIN_ENGINE_DEADLINE_MS = 60_000;

/** How long to wait for an engine's next audio: half of a text's deadline leaves time for a second attempt. */
export const engineDeadlineMs = (speechTimeoutMs: number) =>
  Math.max(MIN_ENGINE_DEADLINE_MS, Math.ceil(speechTimeoutMs / 2));

export function readEnginesFile(path: string): EnginesResult {
  try {
    return parseEngines(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    return { ok: false, problems: [UNREADABLE[code ?? ''] ?? `it cannot be read (${code})`] };
  }
}

export function parseEngines(text: string): EnginesResult {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Only the first line of a TOML error is shown: the other lines quote the engines file, perhaps with an API key.
    const what = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '');
    return { ok: false, problems: [`line ${error.line}: ${what}`] };
  }
  const parsed = file.safeParse(content);
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.map(lineOf) };
  const { engines } = parsed.data;
  const problems = conflicts(engines);
  return problems.length === 0 ? { ok: true, engines } : { ok: false, problems };
}

const lineOf = ({ path, message }: z.core.$ZodIssue): string =>
  path.length > 0 ? `${z.core.toDotPath(path)} ${message}` : message;

/** The engine that SPEECH_ENGINE_URL sets: a free server without a key. */
export function engineOfUrl(url: string): EnginesResult {
  const kind = URL.parse(url)?.protocol === 'tcp:' ? 'wyoming' : 'openai';
  const { data, error } = engine.safeParse({ name: 'server', kind, url });
  return data ? { ok: true, engines: [data] } : { ok: false, problems: error.issues.map(({ message }) => message) };
}

/** An engine without a price counts as free: its spending is not limited, and a text whose answer was lost is sent again. */
const PRICE_OF_A_KEY =
  'a server that wants a key may bill what it speaks. Say what a character costs in credits; 0 if it is free';

/** Finds contradictions between settings of the engines file that are valid on their own. */
function conflicts(engines: readonly EngineSettings[]): string[] {
  const names = engines.map(({ name }) => name);
  return engines.flatMap((engine, index) => {
    const { name, kind, fallback, credits_per_character: price } = engine;
    const other = engines.find((one) => one.name === fallback);
    const voices = kind === 'embedded' ? [] : (engine.voices ?? []).map((voice) => voice.name);
    const isFirstOfKind = engines.findIndex((one) => one.kind === kind) === index;
    return [
      names.indexOf(name) !== index && 'name is another engine’s too',
      kind === 'embedded' && !isFirstOfKind && 'kind embedded is another engine’s too: one is enough',
      kind !== 'embedded' && [...MODEL_IDS, 'grok'].includes(name) && 'name is one of the service’s models',
      kind === 'openai' &&
        engine.key !== undefined &&
        price === undefined &&
        `credits_per_character is missing: ${PRICE_OF_A_KEY}`,
      fallback === name && 'fallback is the engine itself',
      fallback !== undefined && other === undefined && 'fallback is not one of the engines',
      (other?.credits_per_character ?? 0) > (price ?? 0) &&
        'fallback costs more than the engine itself: choose one with the same credits_per_character or fewer',
      ...voices.map((one, at) => voices.indexOf(one) !== at && `voices[${at + 1}].name is another voice’s too`),
    ].flatMap((problem) => (problem === false ? [] : [`engine ${name}: ${problem}`]));
  });
}
