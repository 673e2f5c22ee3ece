import { EventEmitter } from 'node:events';
import { type Client, DiscordjsError, DiscordjsErrorCodes, Events, REST } from 'discord.js';
import pino from 'pino';
import { Headers } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { logIn } from '../../../src/discord/client/login.ts';
import { reportRateLimits, waitOutRefusals } from '../../../src/discord/client/rest.ts';
import { OperatorError } from '../../../src/errors/operator-error.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const config: Config['discord'] = { token: 'a.b.c', apiUrl: undefined, readsMessages: false };

/** What discord.js tells while it logs in. */
function loggingIn(login: () => Promise<unknown> = async () => config.token, isWaiting?: () => boolean) {
  const client = Object.assign(new EventEmitter(), { login }) as unknown as Client;
  const stopping = new AbortController();
  let outcome: unknown;
  logIn(client, config, stopping.signal, isWaiting).then(
    (ready) => {
      outcome = ready;
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  return { client, stopping, outcome: () => outcome };
}

describe('logging in', () => {
  it('waits for a bot with many shards as long as one after the other becomes ready', async () => {
    const { client, outcome } = loggingIn();
    // The pace of one shard in 5 s and a bit, and 15 s for servers with an outage.
    for (let shardId = 0; shardId < 40; shardId += 1) {
      await vi.advanceTimersByTimeAsync(21_500);
      client.emit(Events.ShardReady, shardId, undefined);
    }
    expect(outcome()).toBeUndefined();
    client.emit(Events.ClientReady, client as Client<true>);
    await vi.advanceTimersByTimeAsync(0);
    expect(outcome()).toBe(client);
    expect(vi.getTimerCount()).toBe(0);
    expect(client.listenerCount(Events.ShardReady)).toBe(0);
  });

  it('gives up when no other shard becomes ready, however often the same one comes back', async () => {
    const { client, outcome } = loggingIn();
    for (const elapsedMs of [30_000, 30_000, 29_999]) {
      await vi.advanceTimersByTimeAsync(elapsedMs);
      client.emit(Events.ShardReady, 0, undefined);
    }
    expect(outcome()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect((outcome() as OperatorError).message).toBe(
      'Logging in to Discord failed: check the network, then start again',
    );
  });

  it.each<[string, Error, RegExp]>([
    [
      'says where to get another token where Discord does not accept it',
      Reflect.construct(DiscordjsError, [DiscordjsErrorCodes.TokenInvalid]),
      /^Discord does not accept DISCORD_TOKEN: copy it again/,
    ],
    [
      'repeats what only Discord knows, such as when the next sessions may be begun',
      new Error(
        'Not enough sessions remaining to spawn 2 shards; only 1 remaining; resets at 2026-01-31T12:00:00.000Z',
      ),
      /^Logging in to Discord failed \(Not enough sessions .* resets at 2026-01-31T12:00:00.000Z\): (?!check the network)/,
    ],
    [
      'asks to check the network when nothing came back',
      Object.assign(new Error('getaddrinfo ENOTFOUND discord.com'), { code: 'ENOTFOUND' }),
      /^Logging in to Discord failed \(ENOTFOUND\): check the network/,
    ],
    [
      'asks to check the network when the answer took too long',
      new DOMException('This operation was aborted', 'AbortError'),
      /^Logging in to Discord failed: check the network/,
    ],
  ])('%s', async (_, error, words) => {
    const { outcome } = loggingIn(() => Promise.reject(error));
    await vi.advanceTimersByTimeAsync(0);
    expect(outcome()).toBeInstanceOf(OperatorError);
    expect((outcome() as Error).message).toMatch(words);
  });

  it.each([
    ['429 page', { status: 429, pauses: [60, 120, 240, 480, 900, 900], stated: false }],
    ['403 page', { status: 403, pauses: [60, 120, 240, 480, 900, 900], stated: false }],
    ['429 that states nearly a minute', { status: 429, pauses: [59.5, 59.5, 59.5], stated: true }],
  ])('is waited for while Cloudflare answers with a %s, which is logged', async (_, { status, pauses, stated }) => {
    const askedAtS: number[] = [];
    const { makeRequest, isRefused } = waitOutRefusals((async () => {
      askedAtS.push(performance.now() / 1_000);
      const pause = stated && pauses[askedAtS.length - 1];
      return askedAtS.length > pauses.length
        ? {
            status: 200,
            ok: true,
            headers: new Headers({ 'content-type': 'application/json' }),
            json: async () => ({}),
          }
        : {
            status,
            headers: new Headers({ 'content-type': 'text/html', ...(pause && { 'retry-after': String(pause) }) }),
            arrayBuffer: async () => new ArrayBuffer(0),
          };
    }) as never);
    const rest = new REST({ makeRequest, offset: 0 });
    const told: Record<string, unknown>[] = [];
    reportRateLimits(rest, pino({ base: null }, { write: (line: string) => void told.push(JSON.parse(line)) }));
    const { client, outcome } = loggingIn(() => rest.get('/gateway/bot', { auth: false }), isRefused);
    for (const pause of pauses) await vi.advanceTimersByTimeAsync(pause * 1_000);
    expect(outcome()).toBeUndefined();
    expect(askedAtS.slice(1).map((atS, index) => atS - (askedAtS[index] ?? 0))).toEqual(pauses);
    expect(told.map(({ msg, retryAfterMs }) => ({ msg, retryAfterMs }))).toEqual(
      pauses.map((pause) => ({
        msg: expect.stringMatching(/^Cloudflare refuses this machine's address/),
        retryAfterMs: pause * 1_000,
      })),
    );
    client.emit(Events.ClientReady, client as Client<true>);
    await vi.advanceTimersByTimeAsync(0);
    expect(outcome()).toBe(client);
  });

  it('stopped meanwhile, gives the reason for that', async () => {
    const { stopping, outcome } = loggingIn();
    const reason = new Error('Crier is being stopped');
    stopping.abort(reason);
    await vi.advanceTimersByTimeAsync(0);
    expect(outcome()).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});
