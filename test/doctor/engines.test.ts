import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkEngine, checkEngines, checkPrice, checkPrices } from '../../src/doctor/engines.ts';
import { describeFindings } from '../../src/doctor/finding.ts';
import { parseEngines } from '../../src/speech/engines/engines-file.ts';

const signal = AbortSignal.timeout(60_000);

/** A server on loopback that answers every request with this status. */
async function server(status: number): Promise<string> {
  const listening = createServer((_, response) => void response.writeHead(status).end());
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listening.close());
  return `127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

function engines(toml: string) {
  const read = parseEngines(toml);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.engines;
}

const openAi = (name: string, host: string, more = 'credits_per_character = 0\n') =>
  `[[engines]]\nname = "${name}"\nkind = "openai"\nurl = "http://me:secret@${host}/v1"\nkey = "k-secret"\n${more}`;

test('each engine of the file is examined, and the bot can run while one of them can speak', async () => {
  const [up, wrongKey, busy] = [await server(200), await server(401), await server(503)];
  const file = engines(
    [
      openAi('up', up),
      `[[engines]]\nname = "piper"\nkind = "wyoming"\nurl = "tcp://${up}"\n`,
      openAi('gone', '127.0.0.1:1', 'credits_per_character = 0\nfallback = "up"\n'),
      openAi('locked', wrongKey),
      openAi('busy', busy),
      '[[engines]]\nname = "local"\nkind = "embedded"\n',
    ].join(''),
  );
  const findings = await checkEngines(file, { espeakVersion: null, signal });
  expect(findings).toMatchObject([
    { verdict: 'good', found: `engine up at ${up}, which answers` },
    { verdict: 'good', found: `engine piper at ${up}, which takes connections` },
    { verdict: 'attention', means: 'up speaks in the place of its voices meanwhile.' },
    { verdict: 'attention', found: expect.stringContaining('status 401: it does not accept this key') },
    { verdict: 'attention', means: 'Its voices are not listed meanwhile; members choose another voice.' },
    { verdict: 'attention', found: 'engine local, the embedded synthesiser, which is not installed (espeak-ng)' },
  ]);
  expect(describeFindings(findings)).toContain('Crier can run here');
  expect(JSON.stringify(findings)).not.toContain('secret');
});

test('an address without /v1 is told where the server speaks with it', async () => {
  const listening = createServer((request, response) => {
    response.writeHead(request.url === '/speech/v1/audio/speech' ? 422 : 404).end();
  });
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listening.close());
  const host = `127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const at = (name: string, path: string) => openAi(name, host).replace(`${host}/v1`, `${host}${path}`);
  const file = engines(at('right', '/speech/v1') + at('short', '/speech/') + at('whole', '/speech/audio/speech'));
  const trouble = {
    verdict: 'attention',
    found: expect.stringMatching(/which speaks below \/v1 and not where its address says \(404\)$/),
    remedy: 'Write /v1 at the end of its url in the file of engines.',
  };
  expect(await checkEngines(file, { espeakVersion: null, signal })).toMatchObject([
    { verdict: 'good' },
    trouble,
    { ...trouble, remedy: 'Write /v1 before /audio/speech in its url in the file of engines.' },
  ]);
  const [, short] = file;
  const alone = await checkEngine(short?.kind === 'openai' ? short.url : '', undefined, signal, 10_000);
  expect(alone).toMatchObject({ verdict: 'blocking', remedy: 'Write /v1 at the end of SPEECH_ENGINE_URL.' });
});

test.each([
  ['whose key may do nothing but speak', (response: ServerResponse) => response.writeHead(422).end(), 401],
  [
    'that answers 404 to an order without a model',
    (response: ServerResponse) => response.writeHead(404).end('{"error":{"message":"The model `` does not exist."}}'),
    404,
  ],
  ['that breaks at an order without a text', (response: ServerResponse) => response.destroy(), 404],
])('a server %s is one that answers', async (_, speech, ofModels) => {
  const listening = createServer((request, response) => {
    if (request.method === 'POST') speech(response);
    else response.writeHead(ofModels).end();
  });
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listening.close());
  const file = engines(openAi('cloud', `127.0.0.1:${(listening.address() as AddressInfo).port}`));
  expect(await checkEngines(file, { espeakVersion: null, signal })).toMatchObject([{ verdict: 'good' }]);
});

test.each([404, 405, 501])('an address where nothing takes a text is told (%i)', async (status) => {
  const listening = createServer((request, response) => {
    response
      .writeHead(request.url?.startsWith('/half/models') ? 200 : request.method === 'GET' ? 404 : status)
      .end('<p>No model');
  });
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listening.close());
  const host = `127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const found = (path: string) =>
    expect.stringContaining(`, which takes no text at http://${host}${path}/audio/speech (${status})`);
  const alone = (path: string) => checkEngine(`http://me:secret@${host}${path}?k=secret`, undefined, signal, 10_000);
  const remedy = expect.stringMatching(/^Check SPEECH_ENGINE_URL: the \/v1 address/);
  expect(await alone('/')).toMatchObject({
    verdict: 'blocking',
    found: found('/v1'),
    means: 'Nothing can be spoken.',
    remedy,
  });
  expect(await alone('/half')).toMatchObject({ verdict: 'attention', found: found('/half'), remedy });

  const at = (path: string) => openAi(path, host).replace(`${host}/v1`, `${host}/${path}`);
  const remedyInFile = expect.stringMatching(/^Check its url in the file of engines: /);
  expect(await checkEngines(engines(at('v2')), { espeakVersion: null, signal })).toMatchObject([
    { verdict: 'blocking', found: found('/v2'), remedy: remedyInFile },
  ]);
  const both = await checkEngines(engines(at('v2') + at('half')), { espeakVersion: null, signal });
  expect(both).toMatchObject([
    { verdict: 'attention', means: 'Its voices are listed, but texts for them fail.' },
    // It may speak all the same: so the bot can run.
    { verdict: 'attention', means: 'Its voices are listed, but texts for them may fail.' },
  ]);
  expect(JSON.stringify(both)).not.toContain('secret');
});

test('a fallback that cannot speak either is not said to speak', async () => {
  const file = engines(
    '[[engines]]\nname = "local"\nkind = "embedded"\n' +
      openAi('kokoro', '127.0.0.1:1') +
      openAi('piper', '127.0.0.1:1', 'credits_per_character = 0\nfallback = "kokoro"\n'),
  );
  expect((await checkEngines(file, { espeakVersion: '1.0.2', signal })).at(-1)).toMatchObject({
    verdict: 'attention',
    means:
      'kokoro, its fallback, cannot speak either: its voices are not listed meanwhile; members choose another voice.',
  });
});

test('the bot cannot run where none of them can speak', async () => {
  const file = engines(openAi('gone', '127.0.0.1:1') + openAi('also-gone', '127.0.0.1:1'));
  const findings = await checkEngines(file, { espeakVersion: '1.0.2', signal });
  expect(findings.map(({ verdict }) => verdict)).toEqual(['blocking', 'blocking']);
  expect(
    await checkEngines(engines('[[engines]]\nname = "local"\nkind = "embedded"\n'), { espeakVersion: '1.0.2', signal }),
  ).toMatchObject([{ verdict: 'good', found: 'engine local, the embedded synthesiser (espeak-ng 1.0.2)' }]);
});

test('a price at which no text is long enough for a second credit is told, with what to do', () => {
  const priced = (name: string, price: string) => openAi(name, 'e.io', `credits_per_character = ${price}\n`);
  const findings = checkPrices(
    engines(priced('low', '0.00001') + priced('free', '0') + priced('right', '0.001') + openAi('none', 'e.io')),
  );
  expect(findings).toMatchObject([
    {
      verdict: 'attention',
      found: 'engine low costs 0.00001 credits a character',
      remedy: expect.stringContaining('multiply all prices of the file'),
    },
  ]);
  expect(checkPrice(0.0000001)).toMatchObject([{ found: 'is 0.0000001 credits a character' }]);
});

test('https at a port without TLS is told as that', async () => {
  const host = await server(200);
  const found = expect.stringMatching(
    /which does not answer: that port does not speak TLS: if its server speaks plain http, write http:\/\/$/,
  );
  expect(await checkEngine(`https://${host}/v1`, undefined, signal, 10_000)).toMatchObject({ found });
});
