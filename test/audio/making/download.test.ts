import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer as read } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDownloader, type DownloaderOptions } from '../../../src/audio/making/download.ts';
import { serverThat } from '../../loopback-server.ts';

const serve = async (handler: RequestListener): Promise<URL> => new URL(`${await serverThat(handler)}/a.wav`);

/** Never ends by itself. */
function dribble(response: ServerResponse, bytes: number, everyMs: number): void {
  const timer = setInterval(() => response.write(Buffer.alloc(bytes)), everyMs);
  response.on('close', () => clearInterval(timer));
}

/** The same, and how often it was asked. */
async function counted(handler: RequestListener) {
  const asked = { times: 0 };
  const url = await serve((request, response) => {
    asked.times += 1;
    handler(request, response);
  });
  return { url, asked };
}

const LIMITS = {
  maxBytes: 10_000,
  headersTimeoutMs: 2_000,
  retryMs: 1_200,
  downloadTimeoutMs: 3_000,
  idleTimeoutMs: 2_000,
};

function downloader(options: Partial<DownloaderOptions> = {}) {
  const made = createDownloader({ allowLoopback: true, allowedHosts: undefined, limits: LIMITS, ...options });
  onTestFinished(() => made.close());
  return made;
}

type Lookup = NonNullable<DownloaderOptions['lookup']>;

/** A resolver under our control: names to addresses. */
const resolving = (names: Record<string, string[]>): Lookup =>
  ((hostname: string, _: object, callback: (error: null, all: object[]) => void) => {
    callback(
      null,
      (names[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as Lookup;

describe('a download', () => {
  test('sends a user agent and no secrets', async () => {
    let headers: IncomingMessage['headers'] = {};
    const url = await serve((request, response) => {
      headers = request.headers;
      response.end('ok');
    });
    await read(await downloader().open(url));
    expect(headers['user-agent']).toBe('Crier');
    for (const secret of ['authorization', 'cookie']) expect(headers).not.toHaveProperty(secret);
  });

  test.each([301, 302, 303, 307, 308])('follows three redirects (%i) in a row and no fourth', async (status) => {
    const { url, asked } = await counted((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(status, { location: `/${left - 1}` }).end();
      else response.end('arrived');
    });
    expect((await read(await downloader().open(new URL('/3', url)))).toString()).toBe('arrived');
    asked.times = 0;
    await expect(downloader().open(new URL('/4', url))).rejects.toMatchObject({ kind: 'refused-redirect', status });
    expect(asked.times).toBe(4);
  });

  test.each([301, 304, 307])('takes no redirect without an address (%i)', async (status) => {
    const url = await serve((_, response) => void response.writeHead(status).end());
    await expect(downloader().open(url)).rejects.toMatchObject({ kind: 'refused-redirect', status });
  });

  test.each(['https://169.254.169.254/', 'file:///etc/passwd'])('follows no redirect to %s', async (location) => {
    const url = await serve((_, response) => void response.writeHead(302, { location }).end());
    await expect(downloader().open(url)).rejects.toMatchObject({ kind: 'refused-address' });
  });

  // 404 is final for audio that arrived before.
  test.each([403, 410, 206, 204, 404])('takes no answer but 200 (%i), and does not repeat it', async (status) => {
    const { url, asked } = await counted((_, response) => response.writeHead(status).end());
    const opening = downloader().open(url, undefined, status !== 404);
    await expect(opening).rejects.toMatchObject({ kind: 'http-status', status });
    expect(asked.times).toBe(1);
  });

  test.each([404, 408, 425, 429, 500, 503])('is repeated while its audio is late (%i)', async (status) => {
    const startedAtMs = performance.now();
    const url = await serve((_, response) => {
      if (performance.now() - startedAtMs < 500) response.writeHead(status).end();
      else response.end('late');
    });
    const own = downloader({ limits: { ...LIMITS, headersTimeoutMs: 20_000, retryMs: 20_000 } });
    expect((await read(await own.open(url))).toString()).toBe('late');
  });

  test('waits as long as the host asks, and not at all where that is too long', async () => {
    const startedAtMs = performance.now();
    let retryAfter = '1';
    const { url, asked } = await counted((_, response) => {
      if (asked.times === 1) response.writeHead(429, { 'retry-after': retryAfter }).end();
      else response.end('ok');
    });
    await read(await downloader().open(url));
    expect(performance.now() - startedAtMs).toBeGreaterThan(990);
    expect(asked.times).toBe(2);
    retryAfter = '60';
    asked.times = 0;
    await expect(downloader().open(url)).rejects.toMatchObject({ kind: 'http-status', status: 429 });
    expect(asked.times).toBe(1);
  });

  test('that announces too much is refused before anything is read', async () => {
    const url = await serve((_, response) => void response.writeHead(200, { 'content-length': '10001' }).write('x'));
    await expect(downloader().open(url)).rejects.toMatchObject({ kind: 'too-large' });
  });

  test('that does not announce its size ends where it becomes too much', async () => {
    const url = await serve((_, response) => dribble(response, 3_000, 1));
    let received = 0;
    const reading = (async () => {
      for await (const chunk of await downloader().open(url)) received += chunk.length;
    })();
    await expect(reading).rejects.toMatchObject({ kind: 'too-large' });
    expect(received).toBeLessThanOrEqual(10_000);
  });

  test('gives up after some time, with the last answer', async () => {
    const { url, asked } = await counted((_, response) => response.writeHead(500).end());
    await expect(downloader().open(url)).rejects.toMatchObject({ kind: 'http-status', status: 500 });
    expect(asked.times).toBeGreaterThan(2);
    expect(asked.times).toBeLessThan(10);
  });

  test.each([
    ['whose answer does not come', { headersTimeoutMs: 200 }, () => undefined],
    ['that falls silent', { idleTimeoutMs: 200 }, (response: ServerResponse) => response.write('and then nothing')],
    ['that dribbles on for ever', { downloadTimeoutMs: 300 }, (response: ServerResponse) => dribble(response, 1, 20)],
  ])('%s ends at its deadline', async (_, limit, answer) => {
    const url = await serve((_, response) => void answer(response));
    const own = downloader({ limits: { ...LIMITS, ...limit } });
    await expect(own.open(url).then(read)).rejects.toMatchObject({ kind: 'timeout' });
  });

  test('that breaks off is an error, not an end', async () => {
    const url = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => request.socket.destroy());
    });
    await expect(read(await downloader().open(url))).rejects.toMatchObject({ kind: 'network' });
  });

  test('that is complete is no error when the host hangs up behind it, however slowly it is read', async () => {
    const body = Buffer.alloc(2_880_000, 1);
    const url = await serve((_, response) => {
      response.setHeader('content-length', body.length);
      response.write(body, () => setTimeout(() => response.socket?.end(), 10));
    });
    for (const pauseAt of [0.01, 0.5, 0.9, 0.95, 0.97, 0.98, 0.99, 1]) {
      let total = 0;
      for await (const part of await downloader({ limits: { ...LIMITS, maxBytes: 1e7 } }).open(url)) {
        const isAt = total < pauseAt * body.length && total + part.length >= pauseAt * body.length;
        total += part.length;
        if (isAt) await sleep(40);
      }
      expect(total).toBe(body.length);
    }
  });

  test('ends at once when its caller has had enough, before and after the answer', async () => {
    let asked = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      if (request.url === '/a.wav') response.write('x');
      asked.resolve();
    });
    const reason = new Error('enough');
    for (const path of ['/a.wav', '/silent.wav']) {
      const controller = new AbortController();
      const opening = downloader().open(new URL(path, url), controller.signal).then(read);
      await asked.promise;
      asked = Promise.withResolvers();
      controller.abort(reason);
      await expect(opening).rejects.toBe(reason);
    }
    await expect(downloader().open(url, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test('closes the connection when the reader leaves early', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const url = await serve((_, response) => {
      response.on('close', () => resolve());
      response.write(Buffer.alloc(100));
    });
    for await (const _ of await downloader().open(url)) break;
    await closed;
  });
});

describe('what may be fetched', () => {
  const refused = { kind: 'refused-address' };

  test.each([
    ...['http://example.com/a.wav', 'ftp://example.com/a.wav', 'file:///etc/passwd', 'data:audio/wav;base64,AAAA'],
    'https://user:secret@example.com/a.wav',
    // Private addresses, however they are written.
    ...['https://10.0.0.1/', 'https://169.254.169.254/latest/meta-data/', 'https://[fd00:ec2::254]/'],
    ...['https://[::ffff:169.254.169.254]/', 'https://0x0a000001/', 'https://167772161/', 'https://0.0.0.0/'],
    ...['https://[::]/', 'http://192.168.0.1/'],
  ])('not %s', async (url) => {
    await expect(downloader().open(new URL(url))).rejects.toMatchObject(refused);
  });

  test.each([
    ...['https://127.0.0.1/', 'http://127.0.0.1/', 'http://localhost/', 'https://[::1]/', 'https://2130706433/'],
    'https://127.1/',
  ])('not this machine unless the API is on it: %s', async (url) => {
    await expect(downloader({ allowLoopback: false }).open(new URL(url))).rejects.toMatchObject(refused);
  });

  test('no name that resolves to private addresses only', async () => {
    const lookup = resolving({
      'internal.example.com': ['10.0.0.5'],
      'metadata.example.com': ['169.254.169.254', 'fd00:ec2::254'],
      'mapped.example.com': ['::ffff:10.0.0.5'],
      'local.example.com': ['127.0.0.1'],
    });
    const own = downloader({ allowLoopback: false, lookup });
    for (const name of ['internal', 'metadata', 'mapped', 'local']) {
      await expect(own.open(new URL(`https://${name}.example.com/`))).rejects.toMatchObject(refused);
    }
  });

  test('over http, no name that resolves to anything but this machine', async () => {
    const own = downloader({ lookup: resolving({ 'rebound.localhost': ['93.184.216.34'] }) });
    await expect(own.open(new URL('http://rebound.localhost/'))).rejects.toMatchObject(refused);
  });

  test('a name is judged again for each connection: an address changed in between is refused', async () => {
    const url = await serve((_, response) => void response.writeHead(200, { connection: 'close' }).end('ok'));
    const addresses = { 'rebinding.localhost': ['127.0.0.1'] };
    const own = downloader({ lookup: resolving(addresses) });
    const named = new URL(`http://rebinding.localhost:${url.port}/`);
    expect((await read(await own.open(named))).toString()).toBe('ok');
    addresses['rebinding.localhost'] = ['10.0.0.1'];
    await expect(own.open(named)).rejects.toMatchObject(refused);
  });

  test('a redirect by another machine never leads to this one', async () => {
    const local = await serve((_, response) => void response.end('secret'));
    // Its name does not say that it is this machine.
    const name = 'elsewhere.example.com';
    const lookup = resolving({ [name]: ['127.0.0.1'] });
    const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
      ],
    });
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, cert]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    const server = createServer({ cert, key }, (_, response) => {
      response.writeHead(302, { location: local.href }).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const own = downloader({ lookup });
    await expect(own.open(new URL(`https://${name}:${port}/`))).rejects.toMatchObject(refused);
  });

  test('only hosts of the list, when there is one', async () => {
    const url = await serve((_, response) => void response.end('ok'));
    await expect(downloader({ allowedHosts: ['audio.example.com'] }).open(url)).rejects.toMatchObject(refused);
    const named = downloader({ allowedHosts: ['127.0.0.1'] });
    expect((await read(await named.open(url))).toString()).toBe('ok');
    // The list narrows; it opens nothing.
    const own = downloader({ allowedHosts: ['10.0.0.1'] });
    await expect(own.open(new URL('https://10.0.0.1/'))).rejects.toMatchObject(refused);
  });
});
