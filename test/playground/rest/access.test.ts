import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, codesAt } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeEach(async () => {
  world = await startWorld({ clock });
});
afterEach(() => world.close());

const post = (content: string) => call(world, 'POST', `/channels/${world.channel('general').id}/messages`, { content });

// https://discord.com/developers/docs/reference and …/topics/opcodes-and-status-codes
describe('REST refuses', () => {
  it.each([['wrong'], [null]])('a token that is %s with 401', async (token) => {
    expect(await call(world, 'GET', '/users/@me', undefined, { token })).toMatchObject({
      status: 401,
      body: { message: '401: Unauthorized', code: 0 },
    });
  });

  it('a token without the prefix Bot', async () => {
    const headers = { authorization: world.botEnv.DISCORD_TOKEN };
    expect((await call(world, 'GET', '/users/@me', undefined, { token: null, headers })).status).toBe(401);
  });

  it('a path that does not exist with 404 and code 0', async () => {
    expect(await call(world, 'GET', '/nothing')).toMatchObject({
      status: 404,
      body: { message: '404: Not Found', code: 0 },
    });
  });

  it.each(['/api/v10/users/%E0%A4%A', '/api', '/v10/users/@me'])('%s, where there is nothing', async (path) => {
    const response = await fetch(new URL(world.botEnv.DISCORD_API_URL).origin + path);
    expect([response.status, await response.json()]).toMatchObject([404, { code: 0 }]);
  });

  // https://discord.com/developers/docs/reference#uploading-files
  it('a form that is none with 50035', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await call(world, 'POST', '/users/@me/channels', {}, { headers });
    expect([answer.status, codesAt(answer, '')]).toEqual([400, ['FORM_INVALID']]);
  });

  it('more than 25 MiB in all with 40005', async () => {
    const body = { content: 'x'.repeat(25 * 1_024 * 1_024) };
    expect(await call(world, 'POST', '/users/@me/channels', body)).toMatchObject({
      status: 413,
      body: { code: 40005 },
    });
  });

  it('a method that the path does not have with 405', async () => {
    expect(await call(world, 'DELETE', '/gateway')).toMatchObject({
      status: 405,
      body: { message: '405: Method Not Allowed', code: 0 },
    });
  });

  it('another version of the API with 50041', async () => {
    const response = await fetch(`${world.botEnv.DISCORD_API_URL}/v3/gateway`, { headers: { 'user-agent': 'x' } });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 50041 }]);
  });

  it('JSON that is none with 50109', async () => {
    const response = await fetch(`${world.botEnv.DISCORD_API_URL}/v10/users/@me/channels`, {
      method: 'POST',
      headers: { authorization: `Bot ${world.botEnv.DISCORD_TOKEN}`, 'content-type': 'application/json' },
      body: '{',
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 50109 }]);
  });

  // https://discord.com/developers/docs/reference#user-agent
  it('a client without a User-Agent', async () => {
    const answer = await new Promise((resolve, reject) => {
      request(`${world.botEnv.DISCORD_API_URL}/v10/gateway`, (response) => {
        json(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      })
        .on('error', reject)
        .end();
    });
    expect(answer).toMatchObject({ status: 403, body: { code: 40333 } });
  });
});

// https://discord.com/developers/docs/topics/rate-limits
describe('rate limits', () => {
  it('are told in the headers of every answer', async () => {
    const { headers } = await post('one');
    expect(headers.get('x-ratelimit-limit')).toBe('5');
    expect(headers.get('x-ratelimit-remaining')).toBe('4');
    expect(headers.get('x-ratelimit-reset-after')).toBe('5.000');
    expect(headers.get('x-ratelimit-bucket')).toMatch(/^[0-9a-f]+$/);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeCloseTo(clock.now() / 1000 + 5);
  });

  it('refuse the sixth message in five seconds with 429, and take it again after that', async () => {
    for (let sent = 0; sent < 5; sent += 1) expect((await post('x')).status).toBe(200);
    clock.advance(1_500);
    const refused = await post('x');
    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: 3.5, global: false },
    });
    expect(refused.headers.get('retry-after')).toBe('4');
    expect(refused.headers.get('x-ratelimit-scope')).toBe('user');
    clock.advance(3_500);
    expect((await post('x')).status).toBe(200);
    expect(world.rateLimitHits).toMatchObject([{ method: 'POST', status: 429 }]);
  });

  it('are counted for each channel on its own', async () => {
    for (let sent = 0; sent < 5; sent += 1) await post('x');
    const other = world.newChannel('other', 'text');
    expect((await call(world, 'POST', `/channels/${other.id}/messages`, { content: 'x' })).status).toBe(200);
  });

  it('refuse the 51st request in a second, whatever its route', async () => {
    for (let sent = 0; sent < 49; sent += 1) await call(world, 'GET', '/users/@me');
    await call(world, 'GET', '/gateway/bot');
    const refused = await call(world, 'GET', '/gateway/bot');
    expect(refused).toMatchObject({ status: 429, body: { global: true } });
    expect(refused.headers.get('x-ratelimit-global')).toBe('true');
  });
});
