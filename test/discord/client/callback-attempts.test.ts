import { expect, it } from 'vitest';
import { countCallbackAttempts } from '../../../src/discord/client/callback-attempts.ts';

const request = async () => new Response() as never;
const callback = (id: string) => `https://discord.com/api/v10/interactions/${id}/token/callback?with_response=false`;

it('tells a callback that was sent again from one that was sent once', async () => {
  const attempts = countCallbackAttempts(request);
  await attempts.makeRequest(callback('1'), {});
  await attempts.makeRequest(callback('2'), {});
  await attempts.makeRequest(callback('2'), {});
  await attempts.makeRequest('https://discord.com/api/v10/webhooks/2/token/messages/@original', {});
  expect(['1', '2', '3'].map(attempts.repeated)).toEqual([false, true, false]);
});

it('does not remember for ever', async () => {
  const attempts = countCallbackAttempts(request);
  for (let id = 0; id < 2000; id += 1) {
    await attempts.makeRequest(callback(String(id)), {});
    await attempts.makeRequest(callback(String(id)), {});
  }
  expect(attempts.repeated('1')).toBe(false);
  expect(attempts.repeated('1999')).toBe(true);
});
