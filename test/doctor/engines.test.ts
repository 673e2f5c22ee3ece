import { chmodSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeFindings } from '../../src/doctor/finding.ts';
import { checkEngineKeys, checkEngines } from '../../src/doctor/speech.ts';
import { parseEngines } from '../../src/speech/engines/engines-file.ts';
import { serverThat } from '../loopback-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** The host of a server on loopback; one that has no listener answers every request with this status. */
async function server(answer: RequestListener | number): Promise<string> {
  const listener: RequestListener =
    typeof answer === 'number' ? (_, response) => void response.writeHead(answer).end() : answer;
  return new URL(await serverThat(listener)).host;
}

function engines(toml: string) {
  const read = parseEngines(toml);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.engines;
}

const check = (toml: string, espeakVersion?: string) =>
  checkEngines(engines(toml), espeakVersion, AbortSignal.timeout(60_000));

const openAi = (name: string, host: string, more = '', path = '/v1') =>
  `[[engines]]\nname = "${name}"\nkind = "openai"\nurl = "http://me:secret@${host}${path}"\nkey = "k-secret"\ncredits_per_character = 0\n${more}`;
const EMBEDDED = '[[engines]]\nname = "local"\nkind = "embedded"\n';
const GONE = '127.0.0.1:1';

describe('each engine', () => {
  test('is examined, and the bot can run while one of them can speak', async () => {
    const [up, wrongKey, busy] = [await server(200), await server(401), await server(503)];
    const findings = await check(
      [
        openAi('up', up),
        `[[engines]]\nname = "piper"\nkind = "wyoming"\nurl = "tcp://${up}"\n`,
        openAi('gone', GONE, 'fallback = "up"\n'),
        openAi('locked', wrongKey),
        openAi('busy', busy),
        EMBEDDED,
      ].join(''),
    );
    expect(findings).toMatchObject([
      { verdict: 'good', found: `engine up at ${up} is there` },
      { verdict: 'good', found: `engine piper at ${up} is there` },
      { verdict: 'attention', means: 'up speaks meanwhile, if it is there.' },
      { verdict: 'attention', found: `engine locked at ${wrongKey} does not accept its key (401)` },
      { verdict: 'attention', found: `engine busy at ${busy} answers with status 503` },
      { verdict: 'attention', found: 'engine local, the built-in synthesizer, is not installed (espeak-ng)' },
    ]);
    expect(describeFindings(findings)).toContain('Crier can run here');
    expect(JSON.stringify(findings)).not.toContain('secret');
  });

  test('that cannot speak is blocking where no other one can', async () => {
    const findings = await check(openAi('gone', GONE) + EMBEDDED);
    expect(findings.map(({ verdict }) => verdict)).toEqual(['blocking', 'blocking']);
    expect(await check(EMBEDDED, '1.0.2')).toMatchObject([{ verdict: 'good' }]);
  });

  test.each<[string, RequestListener]>([
    ['whose key may do nothing but speak', ({ method }, response) => response.writeHead(method === 'POST' ? 422 : 401)],
    [
      'that answers 404 to an order without a model',
      (_, response) => response.writeHead(404).write('{"error":{"message":"The model `` does not exist."}}'),
    ],
    [
      'that breaks at an order without a text',
      ({ method }, response) => (method === 'POST' ? response.destroy() : response.writeHead(404)),
    ],
  ])('%s is there', async (_, answer) => {
    const host = await server((request, response) => {
      answer(request, response);
      response.end();
    });
    expect(await check(openAi('cloud', host))).toMatchObject([{ verdict: 'good' }]);
  });

  test.each([
    [404, '', '/v1/audio/speech'],
    [404, '/v3/audio/speech', '/v3/audio/speech'],
  ])('is told where nothing takes a text (%i at "%s")', async (status, path, asked) => {
    const host = await server(status);
    const found = `engine own at ${host} takes no text at http://${host}${asked} (${status})`;
    expect(await check(openAi('own', host, '', path))).toMatchObject([{ verdict: 'blocking', found }]);
  });

  test('is told to speak plain http where its address says https', async () => {
    const toml = openAi('own', await server(200)).replace('http:', 'https:');
    expect(await check(toml)).toMatchObject([{ found: expect.stringMatching(/plain http, write http:\/\/$/) }]);
  });
});

describe('keys of engines', () => {
  test.skipIf(process.platform === 'win32')('in a file that others can read are told', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'engines.toml');
    writeFileSync(path, '', { mode: 0o644 });
    const withKey = engines(openAi('own', GONE));
    expect(checkEngineKeys(path, engines(EMBEDDED))).toEqual([]);
    expect(checkEngineKeys(path, withKey)).toMatchObject([{ verdict: 'attention', remedy: `chmod 600 ${path}` }]);
    chmodSync(path, 0o600);
    expect(checkEngineKeys(path, withKey)).toEqual([]);
  });
});
