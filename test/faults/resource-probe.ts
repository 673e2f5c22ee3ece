// Loaded before the bot (--import): on SIGUSR2 it tells what the process holds open, as a line of its log.
import { readdirSync } from 'node:fs';

process.on('SIGUSR2', () => {
  const active: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) active[kind] = (active[kind] ?? 0) + 1;
  const descriptors = readdirSync('/proc/self/fd').length;
  process.stderr.write(`${JSON.stringify({ msg: 'Resources', active, descriptors })}\n`);
});
