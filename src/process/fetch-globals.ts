import { FormData, Response } from 'undici';

/**
 * Must be imported before discord.js, which uses the globals FormData and Response. Node's own versions would load
 * Node's fetch, which takes 2 MB of memory.
 */
Object.assign(globalThis, { FormData, Response });
