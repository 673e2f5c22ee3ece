// Loaded before the bot (--import) when the playground starts it.
import { registerHooks } from 'node:module';

// The bot shuts down cleanly when its parent process is gone, however suddenly. The IPC channel itself does not keep the bot alive.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();

/** @discordjs/voice as a release might be that renames a field Crier borrows: the library uses the new name consistently itself. */
const field = process.env.RENAMED_IN_LIBRARY;

if (field) {
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
}
