import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createCliLogins, TOKEN_LIFETIME_MS } from '../../../src/speech-service/dashboard/dashboard-server.ts';
import { dashboardSession, instantEngine, runningService, send } from '../running-service.ts';

const VERIFIER = 'a-secret-that-only-the-command-line-knows';
const STATE = 'the-state-of-this-login-0123';
const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
const confirmation = { port: 4321, state: STATE, challenge, choice: { kind: 'create', name: 'laptop' } as const };

const tokenOf = ({ redirect }: { redirect: string }) => new URL(redirect).searchParams.get('token') ?? '';
const given = 'given-by-the-environment';

/** A service with a first key, and the logins of its dashboard. */
async function setUp({ now, dataDir }: { now?: () => number; dataDir?: string } = {}) {
  const service = await runningService({ engine: instantEngine(), dataDir });
  const { keys, key: first } = service;
  const logins = createCliLogins(keys, now);
  const rotate = (id = keys.find(first)?.id ?? '') =>
    logins.confirm({ ...confirmation, choice: { kind: 'rotate', id } });
  return { keys, first, logins, rotate, redeem: (token: string) => logins.redeem({ token, verifier: VERIFIER }) };
}

describe('a login of the command line', () => {
  test('makes the key only when its token is redeemed, once', async () => {
    const { keys, logins, redeem } = await setUp();
    const before = keys.list().length;
    const confirmed = logins.confirm(confirmation);
    expect(confirmed.redirect).toMatch(
      /^http:\/\/127\.0\.0\.1:4321\/callback\?token=[\w-]{43}&state=the-state-of-this-login-0123$/,
    );
    expect(keys.list()).toHaveLength(before);
    const { key, name } = redeem(tokenOf(confirmed));
    expect([name, keys.find(key)?.name]).toEqual(['laptop', 'laptop']);
    expect(() => redeem(tokenOf(confirmed))).toThrow('wrong, used, or older');
    expect(keys.list()).toHaveLength(before + 1);
  });

  test('makes no second key of a name, also where both logins were confirmed before, unless that key is revoked', async () => {
    const { keys, logins, redeem } = await setUp();
    const [first = '', second = ''] = [1, 2].map(() => tokenOf(logins.confirm(confirmation)));
    const { key } = redeem(first);
    const taken = 'There is a key named “laptop” already: choose another name.';
    expect(() => redeem(second)).toThrow(taken);
    expect(() => logins.confirm(confirmation)).toThrow(taken);
    keys.revoke(keys.find(key)?.id ?? '');
    expect(logins.confirm(confirmation)).toHaveProperty('redirect');
  });

  test('a leaked token is worth nothing without the secret, and is used up by the attempt', async () => {
    const { logins, redeem } = await setUp();
    const token = tokenOf(logins.confirm(confirmation));
    expect(() => logins.redeem({ token, verifier: 'a-guess' })).toThrow('wrong, used, or older');
    expect(() => redeem(token)).toThrow('wrong, used, or older');
  });

  test('a token lives for five minutes', async () => {
    let time = 0;
    const { logins, redeem } = await setUp({ now: () => time });
    const [early = '', late = ''] = [1, 2].map(() => tokenOf(logins.confirm(confirmation)));
    time = TOKEN_LIFETIME_MS - 1;
    expect(redeem(early).name).toBe('laptop');
    time = TOKEN_LIFETIME_MS;
    expect(() => redeem(late)).toThrow('older than five minutes');
  });

  test('a replaced key stops at the moment its replacement is given out, not before', async () => {
    const { keys, first, rotate, redeem } = await setUp();
    const { id } = keys.find(first) ?? {};
    const token = tokenOf(rotate());
    expect(keys.find(first)).toBeDefined();
    const { key } = redeem(token);
    expect([keys.find(first), keys.find(key)?.id]).toEqual([undefined, id]);
    keys.revoke(id ?? '');
    expect(() => rotate(id)).toThrow('no such key');
  });

  test('a key that the environment gives is not replaced: its user would be refused, and the next start take it back', async () => {
    const { keys, rotate } = await setUp();
    keys.adopt(given);
    expect(() => rotate(keys.find(given)?.id)).toThrow('SPEECH_SERVICE_KEY');
    expect(keys.find(given)).toBeDefined();
  });
});

test('a key that the environment gave once, and no longer gives, is replaced like any other', async () => {
  const before = await runningService({ engine: instantEngine(), apiKey: given });
  await before.close();
  const { keys, rotate, redeem } = await setUp({ dataDir: before.dataDir });
  const { id, origin } = keys.find(given) ?? {};
  expect(origin).toBe('earlier');
  const { key } = redeem(tokenOf(rotate(id)));
  expect(keys.find(given)).toBeUndefined();
  // A later key from the environment does not shut out the holder of this one.
  keys.adopt('another-one');
  expect(keys.find(key)?.id).toBe(id);
});

describe('over HTTP', () => {
  test('only the page can confirm, and no other site can redeem', async () => {
    const service = await runningService({ engine: instantEngine() });
    const origin = new URL(service.dashboardUrl).origin;
    const session = await dashboardSession(service.dashboardUrl);
    const own = { origin, 'content-type': 'application/json', 'x-crier-session': session };
    const confirm = (headers: Record<string, string>, body: unknown = confirmation) =>
      send('POST', `${origin}/api/cli-login/confirm`, headers, body);
    expect((await confirm({ 'content-type': 'application/json' })).status).toBe(403);
    expect((await confirm({ ...own, 'x-crier-session': 'guess' })).status).toBe(403);
    expect((await confirm({ ...own, origin: 'https://evil.example' })).status).toBe(403);
    expect((await confirm(own, { ...confirmation, port: 70_000 })).status).toBe(400);
    expect((await confirm(own, { ...confirmation, state: 'short' })).status).toBe(400);
    // What the page sends after the browser's Back.
    expect((await confirm(own, { ...confirmation, port: 0, state: '', challenge: '' })).body.error).toMatchObject({
      message: expect.stringContaining('run voice login again'),
    });
    const { status, body } = await confirm(own);
    expect(status).toBe(200);

    const redeem = (headers: Record<string, string>) =>
      send('POST', `${origin}/cli-login/redeem`, headers, { token: tokenOf(body), verifier: VERIFIER });
    expect((await redeem({ 'content-type': 'application/json', origin: 'https://evil.example' })).status).toBe(403);
    expect((await redeem({ 'content-type': 'text/plain' })).status).toBe(400);
    const redeemed = await redeem({ 'content-type': 'application/json' });
    expect(redeemed.status).toBe(200);
    expect((await service.call('GET', '/api/v1/models', { key: redeemed.body.key })).status).toBe(200);
  });

  test('another site cannot lead the browser to the page', async () => {
    const service = await runningService({ engine: instantEngine() });
    const page = `${new URL(service.dashboardUrl).origin}/cli-login`;
    const led = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await send('GET', page, led)).status).toBe(403);
  });

  test('the service leads programs and people on this machine to its dashboard', async () => {
    const service = await runningService({ engine: instantEngine() });
    for (const path of ['/dashboard', '/']) {
      const { status, headers } = await service.call('GET', path, { key: null });
      expect([status, headers.location]).toEqual([302, service.dashboardUrl.replace(/#.*/u, '')]);
    }
  });
});
