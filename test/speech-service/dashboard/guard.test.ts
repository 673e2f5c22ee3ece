import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SpeechServiceOptions } from '../../../src/speech-service/server.ts';
import { rawRequest } from '../../loopback-server.ts';
import { dashboardSession, instantEngine, type RunningService, runningService } from '../running-service.ts';

const silent = (options: Partial<SpeechServiceOptions> = {}) => runningService({ engine: instantEngine(), ...options });

const hostOf = (service: RunningService) => new URL(service.dashboardUrl).host;

/** The dashboard's answer to its own name, unless the headers have another one. */
const ask = (service: RunningService, method: string, path: string, headers = {}, body?: unknown) =>
  rawRequest(service.dashboardUrl, method, path, { host: hostOf(service), ...headers }, body);

/** The headers of the page, in a browser that it was opened in. */
async function page(service: RunningService) {
  const host = hostOf(service);
  return {
    host,
    origin: `http://${host}`,
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
    'x-crier-session': await dashboardSession(service.dashboardUrl),
  };
}

describe('the dashboard and other web sites', () => {
  test('a key is made from the page, and from nowhere else', async () => {
    const service = await silent();
    const own = await page(service);
    const creates = async (headers: object) =>
      (await ask(service, 'POST', '/api/keys', headers, { name: 'mine' })).status;
    const without = (name: string) => Object.fromEntries(Object.entries(own).filter(([header]) => header !== name));
    const before = JSON.stringify(service.keys.list());
    const attempts = [
      without('x-crier-session'),
      { ...own, 'x-crier-session': 'guess' },
      without('origin'),
      { ...own, origin: 'https://evil.example' },
      { ...own, origin: own.origin.replace('http:', 'https:') },
      // Another name that was pointed at this machine (DNS rebinding): the browser takes it for the same origin.
      { ...own, host: 'evil.example', origin: 'http://evil.example' },
      // Another service on this machine.
      { ...own, origin: 'http://127.0.0.1:1' },
      { ...own, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of attempts) expect(await creates(headers), JSON.stringify(headers)).toBe(403);
    // A form of another site can only send types like this one.
    expect(await creates({ ...own, 'content-type': 'text/plain' })).toBe(400);
    expect(JSON.stringify(service.keys.list())).toBe(before);
    expect(await creates(own)).toBe(200);
    expect(JSON.stringify(service.keys.list())).not.toBe(before);
  });

  test('every answer forbids framing, foreign scripts and reading by others', async () => {
    const service = await silent();
    for (const path of ['/dashboard', '/', '/dashboard.js', '/dashboard.css', '/icon.svg', '/nowhere', '/api/state']) {
      const { headers } = await ask(service, 'GET', path);
      const policy = String(headers['content-security-policy']);
      expect(policy, path).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('never tells a key again, nor its hash', async () => {
    const service = await silent();
    const session = await dashboardSession(service.dashboardUrl);
    const { status, text } = await ask(service, 'GET', '/api/state', { 'x-crier-session': session });
    expect(status).toBe(200);
    expect(text).not.toContain(service.key);
    expect(text).not.toMatch(/[0-9a-f]{64}/);
  });

  test.each([
    ['/api/keys', { name: 'x'.repeat(61) }, 400, 'invalid_request'],
    ['/api/keys/revoke', { id: 'none' }, 404, 'not_found'],
    // The next start would make it valid again.
    ['/api/keys/revoke', 'given', 400, 'invalid_request'],
  ])('POST %s with %j is refused with a reason', async (path, body, status, code) => {
    const service = await silent({ apiKey: 'given-by-the-environment' });
    const { id } = service.keys.find('given-by-the-environment') ?? {};
    const answer = await ask(service, 'POST', path, await page(service), body === 'given' ? { id } : body);
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([status, code]);
    expect(service.keys.find('given-by-the-environment')).toBeDefined();
  });
});

describe('the dashboard and other accounts of this machine', () => {
  const paths = ['/', '/dashboard.js', '/session.js', '/cli-login', '/cli-login.js', '/api/state', '/none'];

  test('nothing that it hands out opens it', async () => {
    const service = await silent();
    const { hash } = new URL(service.dashboardUrl);
    const handedOut = await Promise.all(paths.map(async (path) => (await ask(service, 'GET', path)).text));
    const told = await service.call('GET', '/dashboard', { key: null });
    const all = [...handedOut, JSON.stringify(told.headers)].join('\n');
    expect(all).not.toContain(hash.replace('#token=', ''));
    // What looks like a secret is none.
    for (const guess of new Set(all.match(/[\w-]{20,}/gu))) {
      expect((await ask(service, 'GET', '/api/state', { 'x-crier-session': guess })).status, guess).toBe(403);
    }
  });

  test('its address opens it once, for one browser; the next one is in a file that only this account can read', async () => {
    const service = await silent();
    const file = join(service.dataDir, 'dashboard-address');
    const first = service.dashboardUrl;
    expect(readFileSync(file, 'utf8').trim()).toBe(first);
    const session = await dashboardSession(first);
    expect(await dashboardSession(first)).toBeUndefined();
    const next = readFileSync(file, 'utf8').trim();
    expect(next).not.toBe(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // A further browser does not sign out the first one.
    for (const one of [session, await dashboardSession(next)])
      expect((await ask(service, 'GET', '/api/state', { 'x-crier-session': one })).status).toBe(200);
  });

  test('it can be off', async () => {
    const service = await silent({ dashboardPort: 'off' });
    expect(service.dashboardUrl).toBe('');
    expect((await service.call('GET', '/dashboard')).status).toBe(404);
    expect(existsSync(join(service.dataDir, 'dashboard-address'))).toBe(false);
  });
});

describe('fault switches over HTTP', () => {
  const put = async (service: RunningService, body: unknown, more = {}) =>
    (await ask(service, 'PUT', '/faults', { 'content-type': 'application/json', ...more }, body)).status;

  test('do not exist unless asked for', async () => {
    const service = await silent();
    expect(await put(service, { unavailable: 1 })).toBe(404);
    expect(service.faults.unavailable).toBe(0);
  });

  test('can be set, with some left as they are, but not by a page of another site', async () => {
    const service = await silent({ faultsOverHttp: true });
    await put(service, { unavailable: 2, billedLatencyMs: 10 });
    await put(service, { html: 'always' });
    expect(service.faults).toMatchObject({ unavailable: 2, billedLatencyMs: 10, html: Infinity, latencyMs: 0 });
    expect((await service.call('GET', '/api/v1/models')).status).toBe(502);
    expect(await put(service, { html: 0 })).toBe(200);
    expect((await service.call('GET', '/api/v1/models')).status).toBe(200);
    for (const wrong of [{ unavailable: -1 }, { unknown: 1 }, { html: 'sometimes' }, []])
      expect(await put(service, wrong)).toBe(400);
    const foreign = [{ origin: 'https://evil.example' }, { host: 'evil.example' }, { 'sec-fetch-site': 'cross-site' }];
    for (const headers of foreign) expect(await put(service, { html: 'always' }, headers)).toBe(403);
    expect(service.faults.html).toBe(0);
  });
});

test('on all addresses of a container it is opened by a name of this machine alone', async () => {
  const service = await silent({ dashboardHost: '0.0.0.0' });
  const host = hostOf(service);
  expect(host).toMatch(/^127\.0\.0\.1:/);
  const answerTo = async (name: string) =>
    (await ask(service, 'GET', '/dashboard', { host: host.replace('127.0.0.1', name) })).status;
  expect([await answerTo('localhost'), await answerTo('172.17.0.2'), await answerTo('crier')]).toEqual([200, 403, 403]);
});
