import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDiscordClient } from '../../src/discord/client.ts';

/** Tells what it got, as Discord would read it. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = { 'content-type': String(request.headers['content-type']) };
  const form = await new Response(Buffer.concat(chunks), { headers }).formData();
  const file = form.get('files[0]') as File;
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({ payload: JSON.parse(String(form.get('payload_json'))), file: [file.name, await file.text()] }),
  );
});

const before = getGlobalDispatcher();
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  setGlobalDispatcher(before);
  await new Promise((resolve) => server.close(resolve));
});

test('a file reaches Discord, whichever undici has come to serve the whole process', async () => {
  const agent = new Agent();
  // As it is with Node 22, whose own undici knows nothing of this newer one.
  setGlobalDispatcher(agent);
  const { port } = server.address() as AddressInfo;
  const { client } = createDiscordClient({
    token: 'x',
    readsMessages: false,
    apiUrl: new URL(`http://127.0.0.1:${port}`),
  } as never);
  const answer = await client.rest.post('/webhooks/1/2', {
    body: { content: 'Here it is' },
    files: [{ name: 'speech.wav', data: Buffer.from('RIFF') }],
    auth: false,
  });
  expect(answer).toEqual({ payload: { content: 'Here it is' }, file: ['speech.wav', 'RIFF'] });
  await client.destroy();
  await agent.close();
});
