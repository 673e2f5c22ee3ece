import { FormData } from 'undici';

/** Imported before discord.js, which asks for the global one as it loads: Node's own would bring Node's own fetch, several MB. */
Object.assign(globalThis, { FormData });
