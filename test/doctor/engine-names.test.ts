import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { checkNames, checkNamesInFile } from '../../src/doctor/engine-names.ts';
import { parseEngines } from '../../src/speech/engines/engines-file.ts';

const signal = AbortSignal.timeout(60_000);

/** A server on loopback with these answers to GET; 404 for the others, and without the key. */
async function server(answers: Readonly<Record<string, string>>): Promise<string> {
  const listening = createServer(({ url = '', headers }, response) => {
    const answer = headers.authorization === 'Bearer k-secret' ? answers[url] : undefined;
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  });
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listening.close());
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

const KOKORO = {
  '/v1/models': '{"object":"list","data":[{"id":"tts-1"},{"id":"kokoro"}]}',
  '/v1/audio/voices': '{"voices":["af_heart",{"id":"af_sky","name":"Sky"},"bm_george"]}',
};

const only = (url: string, model: string | undefined, voices?: string) =>
  checkNames(
    {
      ...{ SPEECH_ENGINE_URL: url, SPEECH_ENGINE_KEY: 'k-secret' },
      ...(model !== undefined && { SPEECH_ENGINE_MODEL: model }),
      ...(voices !== undefined && { SPEECH_ENGINE_VOICES: voices }),
    },
    signal,
  );

test('a model and voices that the only server does not list are told, with the nearest and the setting', async () => {
  const url = await server(KOKORO);
  expect(await only(`${url}/v1`, 'kokoroo', 'aria=af_hart, basil = bm_george,clover=xyzzy,dorian=AF_SKY')).toEqual([
    {
      subject: 'SPEECH_ENGINE_MODEL',
      verdict: 'attention',
      found: 'is kokoroo (did you mean kokoro?), which its server does not list',
      means: expect.stringMatching(/^Its texts may fail/),
      remedy: 'If they fail, set it to one of that server’s models: it lists tts-1, kokoro.',
    },
    {
      subject: 'SPEECH_ENGINE_VOICES',
      verdict: 'attention',
      found:
        'names af_hart (did you mean af_heart?), xyzzy, AF_SKY (did you mean af_sky?), which its server does not list',
      means: expect.stringMatching(/^Texts for such a voice may fail/),
      remedy: 'If they fail, name one of that server’s voices: it lists af_heart, af_sky, bm_george.',
    },
  ]);
});

test('what the server lists is right, as are combined voices of it, at each form of its address', async () => {
  const url = await server(KOKORO);
  for (const path of ['', '/v1/', '/v1/audio/speech']) {
    expect(await only(url + path, 'kokoro', 'aria=af_sky+af_heart,basil=af_sky( 2 )-bm_george(0.5),ivy=nova')).toEqual(
      [],
    );
  }
  expect(await only(url, undefined, 'aria=af_sky(2)+af_bella')).toMatchObject([
    { found: 'names af_bella, which its server does not list' },
  ]);
});

test('a name with a hyphen that is not listed is told whole', async () => {
  const url = await server({ '/v1/audio/voices': '["en_US-amy-low"]' });
  expect(await only(url, undefined, 'aria=en_US-amy-low,basil=en_US-ami-low')).toMatchObject([
    { found: 'names en_US-ami-low (did you mean en_US-amy-low?), which its server does not list' },
  ]);
  expect(await only(url, undefined, 'aria=nova-hd,basil=af_bela+af_ski')).toMatchObject([
    { found: 'names nova-hd, af_bela, af_ski, which its server does not list' },
  ]);
});

test('the model that is asked for without one is compared too', async () => {
  const url = await server({ '/v1/models': '{"data":[{"id":"kokoro"}]}' });
  expect(await only(url, undefined)).toMatchObject([
    { subject: 'SPEECH_ENGINE_MODEL', found: 'is not set, and stands for tts-1, which its server does not list' },
  ]);
});

test.each([
  ['lists nothing', {}],
  ['lists in a form that is not known', { '/v1/models': '<p>Models', '/v1/audio/voices': '{"voices":{"af":1}}' }],
  ['has empty lists', { '/v1/models': '{"data":[]}', '/v1/audio/voices': '[]' }],
])('a server that %s gives no finding', async (_, answers) => {
  expect(await only(await server(answers), 'kokoro', 'aria=af_hart')).toEqual([]);
});

test('a server that is down, or speaks Wyoming, gives no finding of names', async () => {
  expect(await only('http://127.0.0.1:1/v1', 'kokoro', 'aria=af_hart')).toEqual([]);
  expect(await only('tcp://127.0.0.1:1', 'kokoro', 'aria=af_hart')).toEqual([]);
});

test('what a server lists reaches no terminal as control characters, and a long list is cut', async () => {
  const names = ['\u001b[2J', ...Array.from({ length: 9 }, (_, index) => `voice-${index}`)];
  const url = await server({ '/v1/audio/voices': JSON.stringify(names) });
  expect(await only(url, undefined, 'aria=xyzzy')).toMatchObject([
    { remedy: expect.stringMatching(/ it lists voice-0, .*, voice-5 … \(10 in all\)\.$/) },
  ]);
});

test('voices and models of a file of engines are compared with the lists of their servers', async () => {
  const url = await server(KOKORO);
  const read = parseEngines(`[[engines]]
name = "kokoro"
kind = "openai"
url = "${url}/v1"
key = "k-secret"
credits_per_character = 0
model = "kokor"
voices = [{ name = "Heart", server_name = "af_hart" }, { name = "af_sky" }, { name = "af_ski" }]

[[engines]]
name = "local"
kind = "embedded"
`);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  expect(await checkNamesInFile(read.engines, signal)).toMatchObject([
    {
      subject: 'SPEECH_ENGINES',
      found: 'engine kokoro has the model kokor (did you mean kokoro?), which its server does not list',
      remedy: 'If they fail, set its model to one of that server’s: it lists tts-1, kokoro.',
    },
    {
      subject: 'SPEECH_ENGINES',
      found:
        'engine kokoro names af_hart (did you mean af_heart?), af_ski (did you mean af_sky?), which its server does not list',
      remedy: expect.stringMatching(/^If they fail, set server_name \(without one, name\) to one/),
    },
  ]);
});

test.each([
  { path: '/v1/audio/voices', list: '{"voices":["af_heart",{"voice":"anna"}]}', found: 'lists 2 voices' },
  { path: '/v1/voices', list: '[{"voice_id":"anna","locale":"de-DE"}]', found: 'lists 1 voice' },
  {
    path: '/v1/audio/voices',
    list: '{"voices":["anna",{"label":"Otto"},7]}',
    found: 'lists 1 voice that can be understood, of 3',
  },
  { path: '/v1/audio/voices', list: '[]', found: 'lists 0 voices that can be understood, of 0' },
  { path: '/v1/audio', list: '[]', found: 'lists no voices: OpenAI’s are offered' },
])('where nobody names any, it is told how many voices were understood: $found', async ({ path, list, found }) => {
  const url = await server({ [path]: list });
  const read = parseEngines(
    `[[engines]]\nname = "own"\nkind = "openai"\nurl = "${url}/v1"\nkey = "k-secret"\ncredits_per_character = 0\n`,
  );
  if (!read.ok) throw new Error(read.problems.join('\n'));
  expect(await checkNamesInFile(read.engines, signal)).toMatchObject([{ found: `engine own ${found}` }]);
});
