// Loaded before the bot (--import): on SIGUSR2 it tells what the process holds open, as a line of its log.
import { readdirSync, readlinkSync } from 'node:fs';

/** Beside sockets: those in use are among the active resources, and idle ones are kept for a while for the next request. */
function isFile(descriptor: string): boolean {
  try {
    return !readlinkSync(`/proc/self/fd/${descriptor}`).startsWith('socket:');
  } catch {
    // The one that listed the folder is gone by now.
    return false;
  }
}

process.on('SIGUSR2', () => {
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  const descriptors = readdirSync('/proc/self/fd').filter(isFile).length;
  process.stderr.write(`${JSON.stringify({ msg: 'Resources', active, descriptors })}\n`);
});
