import { expect, test } from 'vitest';
import { download } from '../../src/cli/speech/speak-parts.ts';
import { speechLike, wav16 } from '../audio/sounds.ts';
import { serverThat } from '../loopback-server.ts';

/* Where the audio of the command line may come from, and for how long it is asked for. */

const serve = async (...[answers]: Parameters<typeof serverThat>) => new URL('/a.wav', await serverThat(answers));
const WAV = wav16(speechLike(8_000, 0.1), 8_000);
const options = { signal: AbortSignal.timeout(30_000), allowHttp: true, onProgress: () => {}, onRetry: () => {} };

test.each([404, 503])('audio that is late is asked for again: %i for half a second', async (status) => {
  const startedAtMs = performance.now();
  const url = await serve((_, response) => {
    if (performance.now() - startedAtMs < 500) response.writeHead(status).end();
    else response.end(WAV);
  });
  expect(await download(url, options)).toMatchObject({ format: 'wav', seconds: 0.1 });
});

test('audio that moved is followed three times and no more', async () => {
  const url = await serve((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left > 0) response.writeHead(307, { location: `/${left - 1}` }).end();
    else response.end(WAV);
  });
  expect(await download(new URL('/3', url), options)).toMatchObject({ format: 'wav' });
  await expect(download(new URL('/4', url), options)).rejects.toThrow('redirects more than 3 times');
});

test.each([
  ['ftp://example.com/a.wav', 'not https'],
  ['http://someone:secret@example.com/a.wav', 'redirects with a password'],
])('a redirect to %s is refused', async (location, why) => {
  const url = await serve((_, response) => void response.writeHead(302, { location }).end());
  await expect(download(url, options)).rejects.toThrow(why);
});

test.each([403, 410])('an answer that stays as it is is given up at once: %i', async (status) => {
  let requests = 0;
  const url = await serve((_, response) => {
    requests += 1;
    response.writeHead(status).end();
  });
  await expect(download(url, options)).rejects.toThrow(`answered ${status}`);
  expect(requests).toBe(1);
});

test('a download that is cut in the middle is not said to have reached nobody', async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': WAV.byteLength });
    response.write(WAV.subarray(0, 500), () => response.destroy());
  });
  const reasons: string[] = [];
  const onRetry = (_attempt: number, reason: string) => void reasons.push(reason);
  const stop = new AbortController();
  const ended = download(url, { ...options, signal: stop.signal, onRetry });
  await expect.poll(() => reasons).toHaveLength(1);
  stop.abort();
  await expect(ended).rejects.toThrow();
  expect(reasons).toEqual(["the audio's host broke off (UND_ERR_SOCKET)"]);
});
