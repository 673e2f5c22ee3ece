import type { REST, RESTOptions } from 'discord.js';
import type { Logger } from 'pino';

type MakeRequest = RESTOptions['makeRequest'];
type RateLimit = Parameters<Extract<RESTOptions['rejectOnRateLimit'], (...data: never[]) => unknown>>[0];

/** https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/error-1015/ */
const UNSTATED_PAUSE_S = 60;

/**
 * Cloudflare in front of Discord refuses an address without saying for how long. discord.js would repeat the request at once,
 * for ever, and each repetition prolongs the refusal.
 */
export function withStatedPause(makeRequest: MakeRequest): MakeRequest {
  return async (...request) => {
    const response = await makeRequest(...request);
    const pauseS = Number(response.headers.get('retry-after') ?? Number.NaN);
    if (response.status === 429 && !(pauseS >= 0)) response.headers.set('retry-after', String(UNSTATED_PAUSE_S));
    return response;
  };
}

/** Discord takes the first answer to an interaction for so long, and the others for so long. */
const FIRST_ANSWER_MS = 3_000;
const LATER_ANSWER_MS = 15 * 60_000;

/** Whether Discord would take the request no more once it may be sent: for an answer to an interaction that is known. */
export function isOverByThen({ route, retryAfter }: Pick<RateLimit, 'route' | 'retryAfter'>): boolean {
  if (route.startsWith('/interactions/')) return retryAfter > FIRST_ANSWER_MS;
  return route.startsWith('/webhooks/') && retryAfter > LATER_ANSWER_MS;
}

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
