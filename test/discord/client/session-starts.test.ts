import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { createSessionStarts, logIn } from '../../../src/discord/client/login.ts';
import { startWorld, type World } from '../../../src/playground/world/world.ts';
import { createIdentifyTurns } from '../../../src/services/cells/identify-turns.ts';
import { createOwnIdentifyTurns } from '../../../src/services/cells/own-identify-turns.ts';
import { prepareDatabase } from '../../../src/services/storage/postgres/connections.ts';
import { openMemoryStore } from '../../services/storage/memory-store.ts';
import { createDatabase, isPostgresMissing } from '../../services/storage/postgres/postgres-server.ts';

const log = pino({ level: 'silent' });
const { signal } = new AbortController();

const discordOf = (world: World) => ({
  token: world.botEnv.DISCORD_TOKEN,
  apiUrl: new URL(world.botEnv.DISCORD_API_URL),
  readsMessages: false,
});

it('no session is begun where too few would be kept back, and the operator is told until when', async () => {
  const world = await startWorld({ sessionStarts: { total: 22 } });
  onTestFinished(() => world.close());
  const begin = async () => {
    const { client } = createDiscordClient(discordOf(world));
    onTestFinished(() => client.destroy());
    return logIn(client, discordOf(world), signal);
  };
  // As in a loop of crashes.
  for (const _ of [1, 2]) await (await begin()).destroy();
  await expect(begin()).rejects.toThrow(
    /^Discord lets this bot begin 20 more sessions until \d{4}-.*, 1 are needed and 20 are kept back: find out why/,
  );
  expect(world.bot.identifies).toBe(2);
});

it('a bot that is started again at once begins its session when Discord takes it', async () => {
  const world = await startWorld({ strictIdentify: true });
  onTestFinished(() => world.close());
  const { store } = openMemoryStore();
  // Killed and started, each time.
  for (const _ of [1, 2]) {
    const { buildThrottler } = createSessionStarts({ turns: createOwnIdentifyTurns(store, log), log });
    const { client } = createDiscordClient(discordOf(world), { buildThrottler });
    onTestFinished(() => client.destroy());
    await logIn(client, discordOf(world), signal);
  }
  expect([world.bot.identifies, world.bot.refusedIdentifies]).toEqual([2, 0]);
});

it('a shard that waits for sessions waits on while Discord does not answer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const figure = (remaining: number) => ({
    session_start_limit: { max_concurrency: 1, remaining, reset_after: 40_000 },
  });
  const fetchGatewayInformation = vi
    .fn()
    .mockResolvedValueOnce(figure(20))
    .mockRejectedValueOnce(new Error('503'))
    .mockResolvedValue(figure(900));
  const turns = { turn: async () => undefined };
  const { buildThrottler, isWaiting } = createSessionStarts({ turns, log });
  const throttler = await buildThrottler({ fetchGatewayInformation } as never);
  const waiting = throttler.waitForIdentify(0, signal);
  // A rejection is seen below.
  waiting.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(41_000);
  expect([fetchGatewayInformation.mock.calls.length, isWaiting()]).toEqual([2, true]);
  await vi.advanceTimersByTimeAsync(41_000);
  await expect(waiting).resolves.toBeUndefined();
});

describe.skipIf(isPostgresMissing)('several processes that begin sessions', () => {
  it('take turns, so that Discord refuses none', { timeout: 120_000 }, async () => {
    const [url, world] = await Promise.all([
      createDatabase(),
      startWorld({ shards: 4, strictIdentify: true, sessionStarts: { maxConcurrency: 2 } }),
    ]);
    onTestFinished(() => world.close());
    await prepareDatabase(url);
    const begin = async (shard: number) => {
      const starts = createSessionStarts({ turns: createIdentifyTurns({ url, log }), log });
      const { client } = createDiscordClient(discordOf(world), {
        shards: { first: shard, last: shard, count: 4 },
        buildThrottler: starts.buildThrottler,
      });
      onTestFinished(() => client.destroy());
      return logIn(client, discordOf(world), signal, starts.isWaiting);
    };
    await Promise.all([0, 1, 2, 3].map(begin));
    expect([world.bot.identifies, world.bot.refusedIdentifies]).toEqual([4, 0]);
  });
});
