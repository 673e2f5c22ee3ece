// Runs the command line from its sources: `npm run -s voice -- …`. Node caches the compiled TypeScript in
// node_modules/.cache, because taking the types out anew each time would cost more than the rest of `voice --help`.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'node'));
await import('../src/cli/main.ts');
