// Loaded before the bot (--import): on SIGUSR2 writes what the process holds open as a log line.
import { readdirSync, readlinkSync } from 'node:fs';

/**
 * True for files. Sockets are not counted here: active resources list those in use, and idle sockets stay open for a
 * while.
 */
function isFile(descriptor: string): boolean {
  try {
    return !readlinkSync(`/proc/self/fd/${descriptor}`).startsWith('socket:');
  } catch {
    // The descriptor that listed the folder is already closed.
    return false;
  }
}

process.on('SIGUSR2', () => {
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  const descriptors = readdirSync('/proc/self/fd').filter(isFile).length;
  process.stderr.write(`${JSON.stringify({ msg: 'Resources', active, descriptors })}\n`);
});
