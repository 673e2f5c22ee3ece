import { homedir } from 'node:os';
import { join } from 'node:path';

/** A path as it was typed: no shell stands between that would put the home folder in place of `~`. */
export const typedPath = (typed: string): string =>
  /^~(?=\/|$)/.test(typed) ? join(homedir(), typed.slice(1)) : typed;
