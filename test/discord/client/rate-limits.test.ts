import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REST } from 'discord.js';
import pino from 'pino';
import { expect, test } from 'vitest';
import { reportRateLimits } from '../../../src/discord/client/rate-limits.ts';

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
