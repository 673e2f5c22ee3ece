// Node loads this module before the bot (--import) when the playground starts the bot.
import { registerHooks } from 'node:module';

// If the parent process ends, even by a crash, the bot shuts down cleanly. The IPC channel alone does not keep the bot
// alive.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'));
process.channel?.unref();

/**
 * Simulates a release of @discordjs/voice that renames a field Crier reads: the library itself uses the new name
 * consistently.
 */
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
