import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RawFile } from 'discord.js';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDiscordClient } from '../../../src/discord/client/client.ts';

/** Tells what it got, as Discord would read it. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = { 'content-type': String(request.headers['content-type']) };
  const form = await new Response(Buffer.concat(chunks), { headers }).formData();
  const file = form.get('files[0]') as File;
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      payload: JSON.parse(String(form.get('payload_json'))),
      file: [file.name, file.type, await file.text()],
    }),
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

async function sent(file: RawFile): Promise<unknown> {
  const { port } = server.address() as AddressInfo;
  const { client } = createDiscordClient({
    token: 'x',
    readsMessages: false,
    apiUrl: new URL(`http://127.0.0.1:${port}`),
  });
  try {
    return await client.rest.post('/webhooks/1/2', { body: { content: 'Here it is' }, files: [file], auth: false });
  } finally {
    await client.destroy();
  }
}

test('a file reaches Discord, whichever undici has come to serve the whole process', async () => {
  const agent = new Agent();
  // As it is with Node 22, whose own undici knows nothing of this newer one.
  setGlobalDispatcher(agent);
  const answer = await sent({ name: 'words.txt', data: Buffer.from('Hello'), contentType: 'text/plain' });
  expect(answer).toEqual({ payload: { content: 'Here it is' }, file: ['words.txt', 'text/plain', 'Hello'] });
  await agent.close();
});

test('a sound in an Ogg container says that it is audio, or Discord takes no voice message from it', async () => {
  const answer = await sent({ name: 'voice-message.ogg', data: Buffer.from('OggS and so on') });
  expect(answer).toMatchObject({ file: ['voice-message.ogg', 'audio/ogg', 'OggS and so on'] });
});
