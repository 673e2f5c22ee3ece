import { readFileSync } from 'node:fs';

/** The script with which a page signs in: every page on loopback serves it as `/session.js`. */
export const SESSION_SCRIPT = readFileSync(new URL('./session.js', import.meta.url));
