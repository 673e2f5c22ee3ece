/** Some audio hosts hand over to another one; more in a row lead in a circle. */
export const MAX_REDIRECTS = 3;

/** Where an answer sends its reader, undefined where it is no redirect or names no address. */
export function redirectTarget(
  from: URL,
  { statusCode, headers }: { readonly statusCode: number; readonly headers: { readonly location?: unknown } },
): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(statusCode) || typeof location !== 'string') return undefined;
  return URL.parse(location, from.href) ?? undefined;
}
