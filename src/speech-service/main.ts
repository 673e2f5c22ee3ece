import '../process/v8-workarounds.ts';

// V8 reuses compiled code only under the same V8 flags. All other modules are imported after the flags are set, so that
// the bot's compile cache fits.
await import('./program.ts');
