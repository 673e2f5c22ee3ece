import type { Hub } from '../state/hub.ts';
import type { Interactions } from '../state/interactions.ts';
import type { RequestBody } from './body.ts';
import { apiError } from './errors.ts';
import { DEFAULT_LIMIT, type Limit } from './rate-limits.ts';

export interface Call {
  readonly hub: Hub;
  readonly interactions: Interactions;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: RequestBody;
}

export interface RestResponse {
  readonly status: number;
  readonly body?: unknown;
}

export interface Route {
  readonly method: string;
  /** Like `/channels/:channelId/messages`. */
  readonly pattern: string;
  /** The token is in the path (interactions, webhooks) or none is needed. */
  readonly open?: boolean;
  readonly limit?: Limit;
  readonly handle: (call: Call) => RestResponse | Promise<RestResponse>;
}

/** A route under the bot's token and the common limit. */
export const route = (method: string, pattern: string, handle: Route['handle']): Route => ({ method, pattern, handle });

/** A parameter of the path; one that the pattern names is always there. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw apiError('notFound');
  return value;
}

export const ok = (body: unknown): RestResponse => ({ status: 200, body });
export const NO_CONTENT: RestResponse = { status: 204 };

function match(pattern: readonly string[], path: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== path.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, step] of pattern.entries()) {
    const given = path[index] ?? '';
    if (step.startsWith(':')) {
      if (given === '') return undefined;
      params[step.slice(1)] = given;
    } else if (step !== given) return undefined;
  }
  return params;
}

/** Finds the route of a request; 404 for an unknown path, 405 for a known one with another method. */
export function createRouter(routes: readonly Route[]) {
  const compiled = routes.map((route) => ({ route, steps: route.pattern.split('/') }));
  // Fixed words come before parameters: `/members/@me` before `/members/:userId`.
  compiled.sort((a, b) => countParameters(a.steps) - countParameters(b.steps));
  return (method: string, path: string) => {
    const steps = path.split('/').map(decodeStep);
    let pathKnown = false;
    for (const { route, steps: pattern } of compiled) {
      const params = match(pattern, steps);
      if (!params) continue;
      pathKnown = true;
      if (route.method !== method) continue;
      // The top-level resource that the rate limit is counted for.
      const major = params.channelId ?? params.guildId ?? params.token ?? '';
      return { route, params, major, limit: route.limit ?? DEFAULT_LIMIT };
    }
    throw apiError(pathKnown ? 'methodNotAllowed' : 'notFound');
  };
}

const countParameters = (steps: readonly string[]) => steps.filter((step) => step.startsWith(':')).length;

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    throw apiError('notFound');
  }
}
