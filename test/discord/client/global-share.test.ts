import { setTimeout as sleep } from 'node:timers/promises';
import type { RESTOptions } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { withinGlobalShare } from '../../../src/discord/client/global-share.ts';

type MakeRequest = RESTOptions['makeRequest'];

const MESSAGES = 'https://discord.com/api/v10/channels/1/messages';

describe('a share of the requests that Discord takes in a second', () => {
  function counted(share: number) {
    const startsMs: number[] = [];
    const request = withinGlobalShare(share, (async () => {
      startsMs.push(performance.now());
    }) as unknown as MakeRequest);
    return { startsMs, send: (url: string, signal?: AbortSignal) => request(url, signal ? { signal } : {}) };
  }

  it('is kept: those beyond it wait for the next second', async () => {
    // A tenth of 50.
    const { startsMs, send } = counted(0.1);
    await Promise.all(Array.from({ length: 11 }, () => send(MESSAGES)));
    const sinceFirst = startsMs.map((atMs) => atMs - (startsMs[0] ?? 0));
    expect(sinceFirst.filter((ms) => ms < 900)).toHaveLength(5);
    expect(sinceFirst.filter((ms) => ms < 1_900)).toHaveLength(10);
    expect(sinceFirst.at(-1)).toBeGreaterThan(1_950);
  });

  it('is not taken by answers to commands, which Discord does not count', async () => {
    const { startsMs, send } = counted(0.02);
    await send(MESSAGES);
    const answers = [
      'https://discord.com/api/v10/interactions/1/token/callback',
      'https://discord.com/api/v10/webhooks/1/token/messages/@original',
    ];
    const waiting = send(MESSAGES);
    await Promise.all(answers.map((url) => send(url)));
    expect(startsMs).toHaveLength(3);
    await waiting;
    expect(startsMs).toHaveLength(4);
  });

  it('is waited for no longer than the request is wanted', async () => {
    const { startsMs, send } = counted(0.02);
    await send(MESSAGES);
    const controller = new AbortController();
    const waiting = send(MESSAGES, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow();
    await sleep(1_100);
    expect(startsMs).toHaveLength(1);
  });
});
