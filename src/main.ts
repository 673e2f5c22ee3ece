import './process/v8-workarounds.ts';
import { useCompileCache } from './process/compile-cache.ts';

// Before anything else is compiled, so all else is imported from there.
useCompileCache();
await import('./app/program.ts');
