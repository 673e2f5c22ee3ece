import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { reason } from '../../src/doctor/finding.ts';
import { checkSpeechService } from '../../src/doctor/speech.ts';
import { createSpeechClient } from '../../src/speech/client/client.ts';
import { voiceProgram } from '../cli/voice-program.ts';
import { silentLog } from '../silent-log.ts';

const HINT =
  /SELF_SIGNED_CERT: Node does not know the authority of its certificate; .*NODE_EXTRA_CA_CERTS=AUTHORITY\.pem/;
const { signal } = new AbortController();

test('a certificate of an unknown authority is named with its remedy in the bot’s log, by the doctor and by voice', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const server = createServer({ key, cert }, (_, response) => void response.end('{"data":[]}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const service = { authHeaderPrefix: 'Bearer', key: 'k' };
  const client = createSpeechClient({ baseUrl: url.href, ...service, apiKey: 'k', log: silentLog });
  onTestFinished(() => client.close());
  const hinted = expect.stringMatching(HINT);
  await expect(client.models({ signal })).rejects.toMatchObject({ kind: 'network', message: hinted });
  const finding = await checkSpeechService({ url, ...service }, signal);
  expect(finding).toMatchObject({ verdict: 'blocking', found: hinted });
  const unfetched = await fetch(url).catch((error: unknown) => error);
  expect(reason(unfetched)).toMatch(HINT);
  const voice = voiceProgram({ VOICE_API_URL: url.href, VOICE_API_KEY: 'k' });
  expect(await voice.run(['models'])).toMatchObject({ code: 5, stderr: hinted });
  expect((await voice.run(['login'])).stderr).toMatch(HINT);
});
