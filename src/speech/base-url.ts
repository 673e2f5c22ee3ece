export const PATHS = {
  speech: '/api/v1/speech',
  voices: '/api/v1/voices',
  models: '/api/v1/models',
  billing: '/api/v1/billing',
  openapi: '/api/v1/openapi',
} as const;
export type ApiPath = (typeof PATHS)[keyof typeof PATHS];

/** Takes the base address or the full speech URL. Throws a TypeError that does not quote the address, which may hold a secret. */
export function parseBaseUrl(configured: URL | string): URL {
  if (!/^\s*https?:/i.test(String(configured))) {
    throw new TypeError('the speech service address must begin with https:// or http://');
  }
  if (!URL.canParse(String(configured))) throw new TypeError('the speech service address is not a URL');
  const url = new URL(configured);
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('the speech service address must not hold a user name or password');
  }
  url.search = '';
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1(?:\/speech)?$/, '');
  return url;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

/** Appends an API path to the speech service's base address, which may have a path of its own. */
export function endpoint(base: URL, path: ApiPath): URL {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}
