import { FormData, Response } from 'undici';

/**
 * Imported before discord.js, which asks for the global FormData as it loads and for Response at each answer: Node's own would bring
 * Node's own fetch, 2 MB.
 */
Object.assign(globalThis, { FormData, Response });
