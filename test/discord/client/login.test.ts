import { EventEmitter } from 'node:events';
import { type Client, DiscordjsError, DiscordjsErrorCodes, Events, REST } from 'discord.js';
import { Headers } from 'undici';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { createSessionStarts, logIn } from '../../../src/discord/client/login.ts';
import { reportRateLimits, waitOutRefusals } from '../../../src/discord/client/rest.ts';
import { OperatorError } from '../../../src/errors/operator-error.ts';
import { createIdentifyTurns } from '../../../src/services/cells/identify-turns.ts';
import { ownsAll } from '../../../src/services/cells/ownership.ts';
import { prepareDatabase } from '../../../src/services/storage/postgres/connections.ts';
import { openMemoryStore } from '../../services/storage/memory-store.ts';
import { createDatabase, isPostgresMissing } from '../../services/storage/postgres/postgres-server.ts';
import { silentLog as log, writtenLog } from '../../silent-log.ts';
import { discordOf, openWorld } from '../logged-in.ts';

const config: Config['discord'] = { token: 'a.b.c', apiUrl: undefined, readsMessages: false };

function loggingIn(login: () => Promise<unknown> = async () => config.token, isWaiting?: () => boolean) {
  const client = Object.assign(new EventEmitter(), { login }) as unknown as Client;
  const stopping = new AbortController();
  let outcome: unknown;
  void logIn(client, config, stopping.signal, isWaiting)
    .catch((error: unknown) => error)
    .then((end) => {
      outcome = end;
    });
  return { client, stopping, outcome: () => outcome };
}

describe('logging in', () => {
  beforeEach(() => void vi.useFakeTimers());

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
  ])('%s', async (_, error, words) => {
    const { outcome } = loggingIn(() => Promise.reject(error));
    await vi.advanceTimersByTimeAsync(0);
    expect(outcome()).toBeInstanceOf(OperatorError);
    expect((outcome() as Error).message).toMatch(words);
  });

  it.each([
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
    const told = writtenLog('info');
    reportRateLimits(rest, told.log);
    const { client, outcome } = loggingIn(() => rest.get('/gateway/bot', { auth: false }), isRefused);
    for (const pause of pauses) await vi.advanceTimersByTimeAsync(pause * 1_000);
    expect(outcome()).toBeUndefined();
    expect(askedAtS.slice(1).map((atS, index) => atS - (askedAtS[index] ?? 0))).toEqual(pauses);
    expect(told.lines.map(({ msg, retryAfterMs }) => ({ msg, retryAfterMs }))).toEqual(
      pauses.map((pause) => ({
        msg: expect.stringMatching(/^Discord's Cloudflare refuses this machine's address/),
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

const { signal } = new AbortController();

it('a bot that is started again at once begins its session when Discord takes it', async () => {
  const world = await openWorld({ strictIdentify: true });
  const { store } = openMemoryStore();
  for (const _ of [1, 2]) {
    const { buildThrottler } = createSessionStarts({ takeTurn: ownsAll(store, log).takeIdentifyTurn, log });
    const { client } = createDiscordClient(discordOf(world), { buildThrottler });
    onTestFinished(() => client.destroy());
    await logIn(client, discordOf(world), signal);
  }
  expect([world.bot.identifies, world.bot.refusedIdentifies]).toEqual([2, 0]);
});

it('no session is begun where too few would be kept back: a shard waits, also while Discord does not answer', async () => {
  vi.useFakeTimers();
  const figure = (remaining: number) => ({
    session_start_limit: { max_concurrency: 1, remaining, reset_after: 40_000 },
  });
  const fetchGatewayInformation = vi
    .fn()
    .mockResolvedValueOnce(figure(21))
    .mockRejectedValueOnce(new Error('503'))
    .mockResolvedValue(figure(900));
  const { buildThrottler, isWaiting } = createSessionStarts({ takeTurn: async () => undefined, log });
  const throttler = await buildThrottler({ fetchGatewayInformation } as never);
  await throttler.waitForIdentify(0, signal);
  const waiting = throttler.waitForIdentify(1, signal);
  // A rejection is seen below.
  waiting.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(41_000);
  expect([fetchGatewayInformation.mock.calls.length, isWaiting()]).toEqual([2, true]);
  await vi.advanceTimersByTimeAsync(41_000);
  await expect(waiting).resolves.toBeUndefined();
});

it.skipIf(isPostgresMissing)(
  'several processes that begin sessions take turns, so that Discord refuses none',
  async () => {
    const world = await openWorld({ shards: 4, strictIdentify: true, sessionStarts: { maxConcurrency: 2 } });
    const url = await createDatabase();
    await prepareDatabase(url);
    const begin = async (shard: number) => {
      const starts = createSessionStarts({ takeTurn: createIdentifyTurns({ url, log }), log });
      const { client } = createDiscordClient(discordOf(world), {
        shards: { first: shard, last: shard, count: 4 },
        buildThrottler: starts.buildThrottler,
      });
      onTestFinished(() => client.destroy());
      return logIn(client, discordOf(world), signal, starts.isWaiting);
    };
    await Promise.all([0, 1, 2, 3].map(begin));
    expect([world.bot.identifies, world.bot.refusedIdentifies]).toEqual([4, 0]);
  },
);
