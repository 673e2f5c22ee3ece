import '../process/v8-workarounds.ts';

// V8 reuses compiled code only under the same V8 flags. All other modules are imported after the flags are set, so that
// the service can use the compile cache that the bot shares with it.
await import('./program.ts');
