import '../process/v8-workarounds.ts';

// Kept code counts for the flags of V8 that it was compiled with, so all else is imported after they are set: what the bot has
// compiled can be used here.
await import('./program.ts');
