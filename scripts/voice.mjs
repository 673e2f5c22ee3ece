// Runs the command line from its sources: `npm run -s voice -- …`. Node caches the compiled TypeScript in
// node_modules/.cache, because taking the types out anew each time would cost more than the rest of `voice --help`.
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { isNewEnough, minimumNode, root } from './runtime-node.mjs';

// An old Node has no compile cache, and cannot read the sources.
if (isNewEnough(process.versions.node)) {
  nodeModule.enableCompileCache(join(root, 'node_modules', '.cache', 'node'));
  await import('../src/cli/main.ts');
} else {
  console.error(`error: voice needs Node ${minimumNode} or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
}
