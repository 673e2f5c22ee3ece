// Loaded into the bot (--import): on SIGUSR2 it logs the memory in use after a garbage collection.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  // The first collection only releases objects with finalizers; the second collection frees them.
  collect();
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  const line = { msg: 'Memory', rssMb: rss / 2 ** 20, heapMb: (heapUsed + external) / 2 ** 20 };
  process.stdout.write(`${JSON.stringify(line)}\n`);
});
