import '../../process/fetch-globals.ts';
import { OverwrittenMimeTypes, type REST, type RESTOptions } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

type MakeRequest = RESTOptions['makeRequest'];

/**
 * The first pause if Cloudflare refuses a request without saying how long to wait:
 * https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/error-1015/
 */
const UNSTATED_PAUSE_S = 60;
const MAX_UNSTATED_PAUSE_S = 15 * 60;
/** Time that discord.js needs after a rate limit's pause to repeat the request and to get its answer. */
const ANSWER_MS = 15_000;

/** True if a response comes from Cloudflare, which sends HTML or plain text. Discord sends JSON. */
const isCloudflares = (headers: { get(name: string): string | null }) =>
  !headers.get('content-type')?.startsWith('application/json');

/**
 * Adds `retry-after` to Cloudflare's refusals without this header: discord.js would repeat the request at once, which
 * prolongs the refusal. Cloudflare's 403 page at the bot's start counts as a refusal, too.
 */
export function waitOutRefusals(makeRequest: MakeRequest) {
  let pauseS = 0;
  let refusedUntilMs = 0;

  const waitingOut: MakeRequest = async (...request) => {
    const response = await makeRequest(...request);
    const { headers } = response;
    const isBlock = response.status === 403 && isCloudflares(headers) && request[0].endsWith('/gateway/bot');
    if (response.status !== 429 && !isBlock) {
      pauseS = 0;
      return response;
    }
    const nowMs = performance.now();
    if (!(Number(headers.get('retry-after') ?? Number.NaN) >= 0)) {
      // The pause after a refusal doubles only once for requests that ran at the same time and were refused together.
      if (nowMs >= refusedUntilMs) pauseS = Math.min(MAX_UNSTATED_PAUSE_S, Math.max(UNSTATED_PAUSE_S, 2 * pauseS));
      headers.set('retry-after', String(pauseS));
    }
    refusedUntilMs = Math.max(refusedUntilMs, nowMs + Number(headers.get('retry-after')) * 1_000);
    return isBlock ? { ...response, status: 429 } : response;
  };

  return { makeRequest: waitingOut, isRefused: () => performance.now() < refusedUntilMs + ANSWER_MS };
}

/** Discord accepts the first answer to an interaction for 3 s, and later answers for 15 minutes. */
const FIRST_ANSWER_MS = 3_000;
const LATER_ANSWER_MS = 15 * 60_000;

/** True if a rate limit would last longer than Discord accepts this answer to an interaction. */
export function isOverByThen({ route, retryAfter }: { readonly route: string; readonly retryAfter: number }): boolean {
  if (route.startsWith('/interactions/')) return retryAfter > FIRST_ANSWER_MS;
  return route.startsWith('/webhooks/') && retryAfter > LATER_ANSWER_MS;
}

/** Logs each rate limit (429): discord.js repeats the request, so its answer comes late. The logged route has no ids and no tokens. */
export function reportRateLimits(rest: REST, log: Logger): void {
  rest.on('response', ({ method, route }, { status, headers }) => {
    if (status !== 429) return;
    const retryAfterMs = Number(headers.get('retry-after')) * 1_000;
    if (isCloudflares(headers)) {
      log.error({ method, route, retryAfterMs }, "Discord's Cloudflare refuses this machine's address: retrying later");
      return;
    }
    log.warn(
      { method, route, scope: headers.get('x-ratelimit-scope') ?? undefined, retryAfterMs },
      "Discord's rate limit reached (429): retrying after a pause",
    );
  });
  // Many rejected requests are logged, because Discord blocks an address after 10,000 of them in 10 minutes:
  // https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
  rest.on('invalidRequestWarning', ({ count, remainingTime }) =>
    log.error({ count, resetsInMs: remainingTime }, 'Many rejected requests: Discord blocks an address after 10,000'),
  );
}

const CALLBACK = /\/interactions\/(\d+)\/[^/]+\/callback/;
/** Number of interactions to remember. Their first answers are sent within a minute, so older ones are not needed. */
const MAX_REMEMBERED = 1_000;

/**
 * The REST client repeats a first answer if its response was lost. Discord then answers 40060 'already acknowledged'. A
 * second process with the same token causes the same error after only one attempt of this process.
 */
export function countCallbackAttempts(makeRequest: MakeRequest) {
  const sent = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  return {
    makeRequest(...[url, init]: Parameters<MakeRequest>) {
      const interactionId = CALLBACK.exec(url)?.[1];
      if (interactionId !== undefined) sent.set(interactionId, (sent.get(interactionId) ?? 0) + 1);
      return makeRequest(url, init);
    },
    repeated: (interactionId: string) => (sent.get(interactionId) ?? 0) > 1,
  };
}

/**
 * Gives Ogg files an audio content type: Discord requires it for voice messages, and discord.js cannot set it for a file
 * (https://docs.discord.com/developers/resources/message#voice-messages). All Ogg files that the bot sends are audio.
 */
Object.assign(OverwrittenMimeTypes, { 'application/ogg': 'audio/ogg' });
