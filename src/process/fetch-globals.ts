import { FormData, Response } from 'undici';

/** Must be imported before discord.js, which uses the globals FormData and Response: Node's own would load fetch (2 MB). */
Object.assign(globalThis, { FormData, Response });
