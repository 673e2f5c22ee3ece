import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createCliLogins, TOKEN_LIFETIME_MS } from '../../../src/speech-service/dashboard/dashboard-server.ts';
import { dashboardSession, instantEngine, runningService, send } from '../running-service.ts';

const VERIFIER = 'a-secret-that-only-the-command-line-knows';
const STATE = 'the-state-of-this-login-0123';
const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
const confirmation = { port: 4321, state: STATE, challenge, choice: { kind: 'create', name: 'laptop' } as const };

const tokenOf = (redirect: string) => new URL(redirect).searchParams.get('token') ?? '';

describe('a login of the command line', () => {
  test('makes the key only when its token is redeemed, once', async () => {
    const { keys } = await runningService({ engine: instantEngine() });
    const logins = createCliLogins(keys);
    const before = keys.list().length;
    const { redirect } = logins.confirm(confirmation);
    expect(redirect).toMatch(
      /^http:\/\/127\.0\.0\.1:4321\/callback\?token=[\w-]{43}&state=the-state-of-this-login-0123$/,
    );
    expect(keys.list()).toHaveLength(before);
    const exchange = { token: tokenOf(redirect), verifier: VERIFIER };
    const { key, name } = logins.redeem(exchange);
    expect(name).toBe('laptop');
    expect(keys.find(key)?.name).toBe('laptop');
    expect(() => logins.redeem(exchange)).toThrow('wrong, used, or older');
    expect(keys.list()).toHaveLength(before + 1);
  });

  test('makes no key with the name of another one, unless that is revoked', async () => {
    const { keys } = await runningService({ engine: instantEngine() });
    const logins = createCliLogins(keys);
    const { key } = keys.create('laptop');
    expect(() => logins.confirm(confirmation)).toThrow('There is a key named “laptop” already: choose another name.');
    keys.revoke(key.id);
    expect(logins.confirm(confirmation)).toHaveProperty('redirect');
  });

  test('makes no two keys of one name where both logins were confirmed before either was redeemed', async () => {
    const { keys } = await runningService({ engine: instantEngine() });
    const logins = createCliLogins(keys);
    const [first = '', second = ''] = [1, 2].map(() => tokenOf(logins.confirm(confirmation).redirect));
    logins.redeem({ token: first, verifier: VERIFIER });
    expect(() => logins.redeem({ token: second, verifier: VERIFIER })).toThrow('There is a key named “laptop” already');
    expect(keys.list().filter(({ name }) => name === 'laptop')).toHaveLength(1);
  });

  test('a leaked token is worth nothing without the secret, and is used up by the attempt', async () => {
    const { keys } = await runningService({ engine: instantEngine() });
    const logins = createCliLogins(keys);
    const token = tokenOf(logins.confirm(confirmation).redirect);
    expect(() => logins.redeem({ token, verifier: 'a-guess' })).toThrow('wrong, used, or older');
    expect(() => logins.redeem({ token, verifier: VERIFIER })).toThrow('wrong, used, or older');
  });

  test('a token lives for five minutes', async () => {
    const { keys } = await runningService({ engine: instantEngine() });
    let time = 0;
    const logins = createCliLogins(keys, () => time);
    const [early, late] = [
      tokenOf(logins.confirm(confirmation).redirect),
      tokenOf(logins.confirm(confirmation).redirect),
    ];
    time = TOKEN_LIFETIME_MS - 1;
    expect(logins.redeem({ token: early, verifier: VERIFIER }).name).toBe('laptop');
    time = TOKEN_LIFETIME_MS;
    expect(() => logins.redeem({ token: late, verifier: VERIFIER })).toThrow('older than five minutes');
  });

  test('a replaced key stops at the moment its replacement is given out, not before', async () => {
    const { keys, key: old } = await runningService({ engine: instantEngine() });
    const logins = createCliLogins(keys);
    const id = keys.list()[0]?.id ?? '';
    const token = tokenOf(logins.confirm({ ...confirmation, choice: { kind: 'rotate', id } }).redirect);
    expect(keys.find(old)).toBeDefined();
    const { key } = logins.redeem({ token, verifier: VERIFIER });
    expect([keys.find(old), keys.find(key)?.id]).toEqual([undefined, id]);
    keys.revoke(id);
    expect(() => logins.confirm({ ...confirmation, choice: { kind: 'rotate', id } })).toThrow('no such key');
  });
});

test('a key that the environment gives is not replaced: its user would be refused, and the next start take it back', async () => {
  const { keys } = await runningService({ engine: instantEngine(), apiKey: 'given-by-the-environment' });
  const logins = createCliLogins(keys);
  const { id = '' } = keys.find('given-by-the-environment') ?? {};
  expect(() => logins.confirm({ ...confirmation, choice: { kind: 'rotate', id } })).toThrow('SPEECH_SERVICE_KEY');
  expect(keys.find('given-by-the-environment')).toBeDefined();
});

test('a key that the environment gave once, and no longer gives, is replaced like any other', async () => {
  const before = await runningService({ engine: instantEngine() });
  const { dataDir, key: old } = before;
  await before.close();
  await (await runningService({ engine: instantEngine(), dataDir, apiKey: old })).close();
  const { keys } = await runningService({ engine: instantEngine(), dataDir });
  const logins = createCliLogins(keys);
  const { id = '', origin } = keys.find(old) ?? {};
  expect(origin).toBe('earlier');
  const { redirect } = logins.confirm({ ...confirmation, choice: { kind: 'rotate', id } });
  const { key } = logins.redeem({ token: tokenOf(redirect), verifier: VERIFIER });
  expect(keys.find(old)).toBeUndefined();
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
      send('POST', `${origin}/cli-login/redeem`, headers, { token: tokenOf(body.redirect), verifier: VERIFIER });
    expect((await redeem({ 'content-type': 'application/json', origin: 'https://evil.example' })).status).toBe(403);
    expect((await redeem({ 'content-type': 'text/plain' })).status).toBe(400);
    const redeemed = await redeem({ 'content-type': 'application/json' });
    expect(redeemed.status).toBe(200);
    expect((await service.call('GET', '/api/v1/models', { key: redeemed.body.key })).status).toBe(200);
  });

  test('another site cannot lead the browser to the page', async () => {
    const service = await runningService({ engine: instantEngine() });
    const page = `${new URL(service.dashboardUrl).origin}/cli-login`;
    expect((await send('GET', page, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).toBe(
      403,
    );
  });

  test('the service tells programs on this machine where its dashboard is', async () => {
    const service = await runningService({ engine: instantEngine() });
    const { status, headers } = await service.call('GET', '/dashboard', { key: null });
    expect([status, headers.location]).toEqual([302, service.dashboardUrl.replace(/#.*/u, '')]);
  });
});
