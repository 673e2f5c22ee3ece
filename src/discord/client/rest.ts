import '../../process/fetch-globals.ts';
import type { REST, RESTOptions } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { FormData, Response } from 'undici';

type MakeRequest = RESTOptions['makeRequest'];

/** https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/error-1015/ */
const UNSTATED_PAUSE_S = 60;
const MAX_UNSTATED_PAUSE_S = 15 * 60;
/** After a pause, discord.js needs a moment to repeat the request and to get its answer. */
const ANSWER_MS = 15_000;

/** It answers with a page or a line of text, Discord itself in JSON. */
const isCloudflares = (headers: { get(name: string): string | null }) =>
  !headers.get('content-type')?.startsWith('application/json');

/**
 * Cloudflare in front of Discord refuses an address without saying for how long. discord.js would repeat the request at once,
 * forever, and each repetition prolongs the refusal: the pauses double instead, up to a quarter of an hour. Its 403 page in place of the first
 * answer of a start is waited out in the same way. `isRefused`: whether discord.js waits because of a 429 now.
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
      // Requests that were under way together are refused together.
      if (nowMs >= refusedUntilMs) pauseS = Math.min(MAX_UNSTATED_PAUSE_S, Math.max(UNSTATED_PAUSE_S, 2 * pauseS));
      headers.set('retry-after', String(pauseS));
    }
    refusedUntilMs = Math.max(refusedUntilMs, nowMs + Number(headers.get('retry-after')) * 1_000);
    return isBlock ? { ...response, status: 429 } : response;
  };

  return { makeRequest: waitingOut, isRefused: () => performance.now() < refusedUntilMs + ANSWER_MS };
}

/** How long Discord accepts the first answer to an interaction, and the later ones. */
const FIRST_ANSWER_MS = 3_000;
const LATER_ANSWER_MS = 15 * 60_000;

/** Whether Discord would take the request no more once it may be sent: for an answer to an interaction that is known. */
export function isOverByThen({ route, retryAfter }: { readonly route: string; readonly retryAfter: number }): boolean {
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
    if (isCloudflares(headers)) {
      log.error({ method, route, retryAfterMs }, "Cloudflare refuses this machine's address: retrying after a pause");
      return;
    }
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

const CALLBACK = /\/interactions\/(\d+)\/[^/]+\/callback/;
/** A callback is over within a minute; this many are remembered. */
const MAX_REMEMBERED = 1_000;

/**
 * Records interaction callbacks that Discord's REST client sent more than once.
 *
 * The REST client repeats a request whose answer was lost, interaction callbacks too. The repetition is then refused with
 * 40060 'already acknowledged', although the first attempt counted: only the number of attempts tells this from a second
 * process that answered with the same token.
 */
export function countCallbackAttempts(makeRequest: MakeRequest) {
  const sent = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  return {
    makeRequest(...[url, init]: Parameters<MakeRequest>) {
      const interactionId = CALLBACK.exec(url)?.[1];
      if (interactionId !== undefined) sent.set(interactionId, (sent.get(interactionId) ?? 0) + 1);
      return makeRequest(url, init);
    },
    /** Whether the callback of this interaction was sent again after a lost or failed answer. */
    repeated: (interactionId: string) => (sent.get(interactionId) ?? 0) > 1,
  };
}

/** The type that discord.js gives to files that begin like an Ogg container. */
const OGG = 'application/ogg';

/**
 * Sends forms, which is how files go to Discord, as the bytes they are. undici refuses forms that were made by another one ("body
 * must be a FormData created by this undici package instance"), and where discord.js was loaded before `fetch-globals.ts`, it has
 * Node's own.
 */
export function encodeForms(makeRequest: MakeRequest): MakeRequest {
  return async (url, init) => {
    if (!(init.body instanceof FormData)) return makeRequest(url, init);
    const form = new Response(withSoundsNamed(init.body));
    // The type names the form's boundary.
    const type = form.headers.get('content-type') ?? '';
    const headers = { ...(init.headers as Record<string, string>), 'Content-Type': type };
    return makeRequest(url, { ...init, headers, body: new Uint8Array(await form.arrayBuffer()) });
  };
}

/**
 * Discord accepts a voice message only with an audio content type, which discord.js cannot set
 * (https://docs.discord.com/developers/resources/message#voice-messages). All Ogg files that the bot sends are audio.
 */
function withSoundsNamed(form: FormData): FormData {
  const named = new FormData();
  for (const [name, part] of form) {
    const isOgg = part instanceof File && part.type === OGG;
    if (typeof part === 'string') named.append(name, part);
    else named.append(name, isOgg ? new File([part], part.name, { type: 'audio/ogg' }) : part);
  }
  return named;
}
