import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { allRules } from '../../src/conformance/runner.ts';
import { serverThat } from '../loopback-server.ts';
import { KEY, resultsOf, startEmbeddedSubject } from './embedded-subject.ts';

interface Exchange {
  path: string;
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers is bent here
  body: any;
}

/** How a service fails: its requests are changed, or its answers. */
interface Breakage {
  // biome-ignore lint/suspicious/noExplicitAny: a request body of any shape
  readonly before?: (body: any, headers: Record<string, string>) => unknown;
  readonly after?: (exchange: Exchange) => unknown;
}

const asking = (before: NonNullable<Breakage['before']>): Breakage => ({ before });
const answering = (after: NonNullable<Breakage['after']>): Breakage => ({ after });
const inputs = (change: (input: string) => string) =>
  asking((body) => Object.assign(body, { input: change(String(body.input ?? '')) }));
const results = (change: (body: Exchange['body']) => unknown) =>
  answering((x) => x.path === '/api/v1/speech' && x.status === 200 && change(x.body));
const voices = (change: (list: Record<string, unknown>[]) => Record<string, unknown>[]) =>
  answering(
    (x) => x.path.endsWith('/voices') && x.status === 200 && Object.assign(x.body, { data: change(x.body.data) }),
  );

const only = (names: RegExp, headers: NodeJS.Dict<string | string[]>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.test(name))) as Record<string, string>;

/** Stands in front of the service and breaks it. */
const breakerOf = (target: string, { before, after }: Breakage): Promise<string> =>
  serverThat(async (incoming, outgoing) => {
    const headers = only(/^(?:authorization|content-type|request-id)$/, incoming.headers);
    const asked = await text(incoming);
    const sent = parsed(asked);
    before?.(sent ?? {}, headers);
    const answer = await request(target + incoming.url, {
      method: incoming.method as 'GET',
      headers,
      ...(asked !== '' && { body: sent === undefined ? asked : JSON.stringify(sent) }),
    }).catch(() => undefined);
    // The service gave no answer, and neither does this.
    if (answer === undefined) return outgoing.destroy();
    const body = await answer.body.text();
    const exchange: Exchange = {
      path: incoming.url ?? '',
      status: answer.statusCode,
      headers: only(/^(?:request-id|content-type|x-ratelimit)/, answer.headers),
      body: parsed(body) ?? body,
    };
    after?.(exchange);
    outgoing.writeHead(exchange.status, exchange.headers);
    outgoing.end(typeof exchange.body === 'string' ? exchange.body : JSON.stringify(exchange.body));
  });

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

it.for<[string, Breakage, string[]]>([
  [
    'sends no request-id with errors',
    answering((x) => x.status >= 400 && delete x.headers['request-id']),
    ['endpoints/request-id', 'errors/request-id/format'],
  ],
  [
    'takes the request-id from the client',
    answering((x) => Object.assign(x.headers, { 'request-id': `req_mine_${'0'.repeat(32)}` })),
    ['errors/request-id/server', 'errors/request-id/format'],
  ],
  [
    'lets anyone in',
    asking((_, headers) => Object.assign(headers, { authorization: `Bearer ${KEY}` })),
    ['authentication/required/api/v1/voices', 'authentication/error'],
  ],
  [
    'takes any temperature',
    asking((body) => body.temperature > 2 && delete body.temperature),
    ['request/temperature/range'],
  ],
  ['ignores speed', asking((body) => delete body.speed), ['request/speed/effect']],
  [
    'ignores the format',
    asking((body) => delete body.response_format),
    ['models/ext/format/wav', 'request/response_format/values'],
  ],
  ['reads tags out', inputs((input) => input.replace(/<\/?([a-z-]+)>/g, ' $1 ')), ['tags/not-spoken']],
  ['has no limit on input', inputs((input) => input.slice(0, 400)), ['limits/input', 'limits/tags-count']],
  [
    'falls back to the 2.5 model',
    results((body) => Object.assign(body.usage, { model: 'tts-2.5' })),
    ['result/usage.model/gpro38'],
  ],
  [
    'bills fewer characters than it spoke',
    results((body) => Object.assign(body.usage, { input_characters: body.usage.input_characters - 1 })),
    ['tags/[pause]', 'limits/billing-unit', 'result/usage.input_characters'],
  ],
  ['answers errors without a type', answering((x) => x.body?.error && delete x.body.error.type), ['errors/shape']],
  ['lists voices without formats', voices((list) => list.map(({ formats: _, ...rest }) => rest)), ['voice/formats']],
  [
    'has no balance',
    answering((x) => x.path.endsWith('/billing') && delete x.body.creditsLeft),
    ['billing/creditsLeft', 'billing/client'],
  ],
])('a service that breaks a rule is found out when it %s', async ([, breakage, broken]) => {
  await using embedded = await startEmbeddedSubject({ through: (url) => breakerOf(url, breakage) });
  const looked = allRules.filter((rule) => broken.includes(rule.id));
  const results = await resultsOf(looked, embedded.subject, ['credits']);
  expect(results.map(({ rule, outcome }) => [rule.id, ['fail', 'differs'].includes(outcome)])).toEqual(
    looked.map((rule) => [rule.id, true]),
  );
  expect(looked).toHaveLength(broken.length);
});
