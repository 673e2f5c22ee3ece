// Loaded into the bot (--import) by the soak test: on SIGUSR2 logs a line with what is alive after a garbage
// collection.
import { readdirSync } from 'node:fs';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Heap spaces that contain only compiled code and its metadata. */
const CODE_SPACES: readonly string[] = [
  'code_space',
  'trusted_space',
  'code_large_object_space',
  'trusted_large_object_space',
];

const compiledBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => CODE_SPACES.includes(space_name))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);

process.on('SIGUSR2', () => {
  // The first collection only releases objects with finalizers; the second collection frees them.
  collect();
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  const active = process.getActiveResourcesInfo();
  const alive = {
    msg: 'Alive',
    rssMb: rss / 2 ** 20,
    heapMb: (heapUsed + external) / 2 ** 20,
    compiledMb: compiledBytes() / 2 ** 20,
    descriptors: readdirSync('/proc/self/fd').length,
    timers: active.filter((kind) => kind === 'Timeout').length,
    // Sockets, servers, files and workers.
    handles: active.filter((kind) => kind !== 'Timeout' && kind !== 'Immediate').length,
    // Listeners of `process`: a component that is never released would leave its listeners there.
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
  process.stdout.write(`${JSON.stringify(alive)}\n`);
});
