import '../process/v8-workarounds.ts';

// V8's compile cache only fits the V8 flags of its creation. All other modules are imported after the flags are set, so
// that the bot's cache can be used.
await import('./program.ts');
