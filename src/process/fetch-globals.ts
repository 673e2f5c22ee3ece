import { FormData, Response } from 'undici';

/** Must be imported before discord.js, which uses these globals: Node's own would load fetch, which takes 2 MB. */
Object.assign(globalThis, { FormData, Response });
