import type { REST } from 'discord.js';
import type { Logger } from 'pino';

/**
 * Logs each request that Discord refused for its rate, which discord.js repeats by itself: the answer is late, and no other line
 * says why. The route has neither ids nor tokens in it.
 */
export function reportRateLimits(rest: REST, log: Logger): void {
  rest.on('response', ({ method, route }, { status, headers }) => {
    if (status !== 429) return;
    const retryAfterMs = Number(headers.get('retry-after')) * 1_000;
    log.warn(
      { method, route, scope: headers.get('x-ratelimit-scope') ?? undefined, retryAfterMs },
      'Discord answered 429: the request waits and is repeated',
    );
  });
  // https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
  rest.on('invalidRequestWarning', ({ count, remainingTime }) =>
    log.error(
      { count, endsInMs: remainingTime },
      'Discord will block this address at 10,000 refused requests in 10 minutes',
    ),
  );
}
