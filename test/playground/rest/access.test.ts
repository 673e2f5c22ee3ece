import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../src/playground/world/world.ts';
import { openWorld } from '../../discord/logged-in.ts';
import { rawRequest } from '../../loopback-server.ts';
import { createManualClock } from '../../pace/manual-clock.ts';
import { call, refusals } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeEach(async () => {
  world = await openWorld({ clock });
});

const post = (content: string) => call(world, 'POST', `/channels/${world.channel('general').id}/messages`, { content });

// https://discord.com/developers/docs/reference and …/topics/opcodes-and-status-codes
describe('REST refuses', () => {
  it('a token that is wrong, without the prefix Bot, or not there', async () => {
    const me = (options: object) => call(world, 'GET', '/users/@me', undefined, { token: null, ...options });
    const bare = { authorization: world.botEnv.DISCORD_TOKEN };
    for (const options of [{ token: 'wrong' }, { headers: bare }, {}]) {
      expect(await me(options)).toMatchObject({ status: 401, body: { message: '401: Unauthorized', code: 0 } });
    }
  });

  it.each([
    ['/api', {}, 404, 0],
    ['/api/v3/gateway', {}, 400, 50041],
    ['/api/v10/nothing', {}, 404, 0],
    ['/api/v10/gateway', { method: 'DELETE' }, 405, 0],
    ['/api/v10/users/@me/channels', { method: 'POST', body: '{' }, 400, 50109],
  ])('%s %o with %i', async (path, init, status, code) => {
    const { DISCORD_API_URL, DISCORD_TOKEN } = world.botEnv;
    const headers = { authorization: `Bot ${DISCORD_TOKEN}`, 'user-agent': 'x', 'content-type': 'application/json' };
    const response = await fetch(new URL(DISCORD_API_URL).origin + path, { headers, ...init });
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });

  // https://discord.com/developers/docs/reference#uploading-files
  it('a form that is none with 50035, and more than 25 MiB in all with 40005', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await call(world, 'POST', '/users/@me/channels', {}, { headers });
    expect(refusals(answer)).toEqual([' FORM_INVALID']);
    const body = { content: 'x'.repeat(25 * 1_024 * 1_024) };
    const large = await call(world, 'POST', '/users/@me/channels', body);
    expect(large).toMatchObject({ status: 413, body: { code: 40005 } });
  });

  // https://discord.com/developers/docs/reference#user-agent
  it('a client without a User-Agent', async () => {
    const { status, text } = await rawRequest(world.botEnv.DISCORD_API_URL, 'GET', '/api/v10/gateway');
    expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 403, body: { code: 40333 } });
  });
});

// https://discord.com/developers/docs/topics/rate-limits
describe('rate limits', () => {
  it('are in the headers of every answer, and refuse the sixth message of a channel in five seconds', async () => {
    const { headers } = await post('one');
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '4',
      'x-ratelimit-reset-after': '5.000',
      'x-ratelimit-bucket': expect.stringMatching(/^[0-9a-f]+$/),
      'x-ratelimit-reset': (clock.now() / 1000 + 5).toFixed(3),
    });
    for (let sent = 1; sent < 5; sent += 1) expect((await post('x')).status).toBe(200);
    await clock.advance(1_500);
    const refused = await post('x');
    const body = { message: 'You are being rate limited.', retry_after: 3.5, global: false };
    expect(refused).toMatchObject({ status: 429, body });
    expect(Object.fromEntries(refused.headers)).toMatchObject({ 'retry-after': '4', 'x-ratelimit-scope': 'user' });
    const other = world.newChannel('other', 'text');
    expect((await call(world, 'POST', `/channels/${other.id}/messages`, { content: 'x' })).status).toBe(200);
    await clock.advance(3_500);
    expect((await post('x')).status).toBe(200);
    expect(world.rateLimitHits).toMatchObject([{ method: 'POST', status: 429 }]);
  });

  it('refuse the 51st request in a second, whatever its route', async () => {
    for (let sent = 0; sent < 49; sent += 1) await call(world, 'GET', '/users/@me');
    await call(world, 'GET', '/gateway/bot');
    const refused = await call(world, 'GET', '/gateway/bot');
    expect(refused).toMatchObject({ status: 429, body: { global: true } });
    expect(refused.headers.get('x-ratelimit-global')).toBe('true');
  });
});
