import type { RequestListener } from 'node:http';
import { type RawFile, REST } from 'discord.js';
import { Headers } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import {
  countCallbackAttempts,
  isOverByThen,
  reportRateLimits,
  waitOutRefusals,
} from '../../../src/discord/client/rest.ts';
import { serverThat } from '../../loopback-server.ts';
import { writtenLog } from '../../silent-log.ts';

test('a request that Discord refuses for its rate is logged with its route, without ids and tokens, and repeated', async () => {
  const { log, lines } = writtenLog('trace');
  let answered = 0;
  const origin = await serverThat((request, response) => {
    request.resume();
    answered += 1;
    if (answered > 1) return response.setHeader('content-type', 'application/json').end('{"id":"1"}');
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '0.05', 'x-ratelimit-scope': 'shared' })
      .end('{"message":"You are being rate limited.","retry_after":0.05,"global":false}');
  });
  const rest = new REST({ api: `${origin}/api`, offset: 0 });
  rest.setToken('a.b.c');
  reportRateLimits(rest, log);
  await rest.post('/webhooks/123456789012345671/a-secret-token', { body: {}, auth: false });
  expect(lines).toMatchObject([
    {
      level: 40,
      msg: "Discord's rate limit reached (429): retrying after a pause",
      method: 'POST',
      route: '/webhooks/:id/:token',
      scope: 'shared',
      retryAfterMs: 50,
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('a-secret-token');
  expect(answered).toBe(2);
});

test('a refusal that does not say for how long lasts a minute (discord.js repeats it at once); others stay as they are', async () => {
  const paused = async (status: number, headers: Record<string, string>) => {
    const { makeRequest } = waitOutRefusals((async () => ({ status, headers: new Headers(headers) })) as never);
    return (await makeRequest('https://discord.com/api/v10/gateway/bot', {})).headers.get('retry-after');
  };
  expect(await paused(429, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' })).toBe('60');
  expect(await paused(429, { 'retry-after': '0.25' })).toBe('0.25');
  expect(await paused(503, {})).toBeNull();
});

test.each([
  ['/interactions/:id/:token/callback', 60_000, true],
  ['/webhooks/:id/:token', 60_000, false],
  ['/webhooks/:id/:token', 3_600_000, true],
])('a request to %s that may be sent in %i ms is given up: %s', (route, retryAfter, isGivenUp) => {
  expect(isOverByThen({ route, retryAfter })).toBe(isGivenUp);
});

const request = async () => new Response() as never;
const callback = (id: string) => `https://discord.com/api/v10/interactions/${id}/token/callback?with_response=false`;

test('tells a callback that was sent again from one that was sent once', async () => {
  const attempts = countCallbackAttempts(request);
  await attempts.makeRequest(callback('1'), {});
  await attempts.makeRequest(callback('2'), {});
  await attempts.makeRequest(callback('2'), {});
  await attempts.makeRequest('https://discord.com/api/v10/webhooks/2/token/messages/@original', {});
  expect(['1', '2', '3'].map(attempts.repeated)).toEqual([false, true, false]);
});

/** Tells what it got, as Discord would read it. */
const reader: RequestListener = async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = { 'content-type': String(request.headers['content-type']) };
  const form = await new Response(Buffer.concat(chunks), { headers }).formData();
  const file = form.get('files[0]') as File;
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      payload: JSON.parse(String(form.get('payload_json'))),
      file: [file.name, file.type, await file.text()],
    }),
  );
};

async function sent(file: RawFile): Promise<unknown> {
  const apiUrl = new URL(await serverThat(reader));
  const { client } = createDiscordClient({ token: 'x', readsMessages: false, apiUrl });
  onTestFinished(() => client.destroy());
  return client.rest.post('/webhooks/1/2', { body: { content: 'Here it is' }, files: [file], auth: false });
}

test('a file reaches Discord as it is; Ogg says that it is audio, or Discord takes no voice message from it', async () => {
  const answer = await sent({ name: 'words.txt', data: Buffer.from('Hello'), contentType: 'text/plain' });
  expect(answer).toEqual({ payload: { content: 'Here it is' }, file: ['words.txt', 'text/plain', 'Hello'] });
  const sound = await sent({ name: 'voice-message.ogg', data: Buffer.from('OggS and so on') });
  expect(sound).toMatchObject({ file: ['voice-message.ogg', 'audio/ogg', 'OggS and so on'] });
});
