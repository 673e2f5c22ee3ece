import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those around it that are missing. Node's own `recursive` never returns where the parent is there and yet
 * nothing can be made in it, as in /proc.
 */
export function makeFolder(path: string, mode?: number): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
  }
}
