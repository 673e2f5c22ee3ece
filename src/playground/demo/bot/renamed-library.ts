// Loaded into the bot (--import): @discordjs/voice as a release might be that renames one of the fields Crier borrows. The library
// uses the new name consistently itself.
import { registerHooks } from 'node:module';

const field = process.env.RENAMED_IN_LIBRARY ?? '';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.includes('/@discordjs/voice/') || !loaded.source) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
    const renamed = source.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), `${field}Renamed`);
    if (renamed === source) throw new Error(`@discordjs/voice has no ${field}`);
    return { ...loaded, source: renamed };
  },
});
