import type { RESTOptions } from 'discord.js';

type MakeRequest = RESTOptions['makeRequest'];

/**
 * Sends forms, which is how files go to Discord, as the bytes they are. discord.js hands Node's own FormData to its own
 * undici, which sends it through the process's global dispatcher; that belongs to whichever undici was loaded first, and
 * the one we use refuses forms made by another ("body must be a FormData created by this undici package instance"; so
 * with Node 22).
 */
export function encodeForms(makeRequest: MakeRequest): MakeRequest {
  return async (url, init) => {
    if (!(init.body instanceof FormData)) return makeRequest(url, init);
    const form = new Response(init.body);
    // The type names the form's boundary.
    const headers = {
      ...(init.headers as Record<string, string>),
      'Content-Type': form.headers.get('content-type') ?? '',
    };
    return makeRequest(url, { ...init, headers, body: new Uint8Array(await form.arrayBuffer()) });
  };
}
