import '../../process/fetch-globals.ts';
import type { RESTOptions } from 'discord.js';
import { FormData, Response } from 'undici';

type MakeRequest = RESTOptions['makeRequest'];

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
