import { setTimeout as sleep } from 'node:timers/promises';
import type { RESTOptions } from 'discord.js';

type MakeRequest = RESTOptions['makeRequest'];

/** Of the whole bot: https://discord.com/developers/docs/topics/rate-limits#global-rate-limit */
const REQUESTS = 50;
const PER_MS = 1_000;
/** "Interaction endpoints are not bound to the bot's Global Rate Limit": answers to commands wait for nothing. */
const IS_UNCOUNTED = /\/(interactions|webhooks)\//;

/** Keeps this process within its share, above 0 to 1, of the requests that Discord takes from all processes of the bot together. */
export function withinGlobalShare(share: number, makeRequest: MakeRequest): MakeRequest {
  const most = Math.max(1, Math.floor(REQUESTS * share));
  /** When the last ones began, or will; the oldest first. */
  const starts: number[] = [];
  return async (url, init) => {
    if (!IS_UNCOUNTED.test(String(url))) {
      const nowMs = performance.now();
      const oldest = starts.length < most ? undefined : starts.shift();
      const startMs = Math.max(nowMs, (oldest ?? Number.NEGATIVE_INFINITY) + PER_MS);
      starts.push(startMs);
      if (startMs > nowMs) await sleep(startMs - nowMs, undefined, init.signal ? { signal: init.signal } : {});
    }
    return makeRequest(url, init);
  };
}
