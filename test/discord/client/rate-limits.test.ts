import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REST } from 'discord.js';
import pino from 'pino';
import { Headers } from 'undici';
import { describe, expect, test } from 'vitest';
import { isOverByThen, reportRateLimits, waitOutRefusals } from '../../../src/discord/client/rate-limits.ts';

test('a request that Discord refuses for its rate is logged with its route, without ids and tokens, and repeated', async () => {
  const lines: Record<string, unknown>[] = [];
  let answered = 0;
  const server = createServer((request, response) => {
    request.resume();
    answered += 1;
    if (answered > 1) return response.setHeader('content-type', 'application/json').end('{"id":"1"}');
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '0.05', 'x-ratelimit-scope': 'shared' })
      .end('{"message":"You are being rate limited.","retry_after":0.05,"global":false}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const rest = new REST({ api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, offset: 0 });
  rest.setToken('a.b.c');
  reportRateLimits(rest, pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }));
  await rest.post('/webhooks/123456789012345671/a-secret-token', { body: {}, auth: false });
  server.closeAllConnections();
  server.close();
  expect(lines).toMatchObject([
    {
      level: 40,
      msg: 'Discord answered 429: the request waits and is repeated',
      method: 'POST',
      route: '/webhooks/:id/:token',
      scope: 'shared',
      retryAfterMs: 50,
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('a-secret-token');
  expect(answered).toBe(2);
});

describe('a refusal that does not say for how long, as Cloudflare’s', () => {
  const paused = async (status: number, headers: Record<string, string>) => {
    const { makeRequest } = waitOutRefusals((async () => ({ status, headers: new Headers(headers) })) as never);
    return (await makeRequest('https://discord.com/api/v10/gateway/bot', {})).headers.get('retry-after');
  };

  test('lasts a minute (discord.js repeats it at once, for ever)', async () => {
    expect(await paused(429, { 'content-type': 'text/html' })).toBe('60');
    expect(await paused(429, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' })).toBe('60');
  });

  test('is no other one', async () => {
    expect(await paused(429, { 'retry-after': '0.25' })).toBe('0.25');
    expect(await paused(503, {})).toBeNull();
  });
});

test.each([
  ['/interactions/:id/:token/callback', 2_000, false],
  ['/interactions/:id/:token/callback', 60_000, true],
  ['/webhooks/:id/:token', 60_000, false],
  ['/webhooks/:id/:token', 3_600_000, true],
  ['/applications/:id/commands', 3_600_000, false],
])('a request to %s that may be sent in %i ms is given up: %s', (route, retryAfter, isGivenUp) => {
  expect(isOverByThen({ route, retryAfter })).toBe(isGivenUp);
});
