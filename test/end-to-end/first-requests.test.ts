import { expect, it, onTestFinished } from 'vitest';
import { json, startScriptedServer } from '../speech/client/scripted-server.ts';
import { startScene } from './scene.ts';

it('the speech service never gets a request without a key: a real one would count a failed login', async () => {
  const service = await startScriptedServer(json(200, { data: [] }));
  onTestFinished(() => service.close());
  const scene = await startScene({ env: { VOICE_API_URL: service.url } });
  await expect.poll(() => service.received.length).toBeGreaterThan(0);
  await scene.bot.stop();
  const kinds = service.received.map(({ headers }) => headers.authorization?.split(' ')[0]);
  expect([...new Set(kinds)]).toEqual(['Bearer']);
});
