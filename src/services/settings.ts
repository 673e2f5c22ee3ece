import * as z from 'zod';
import type { Store } from './store.ts';

const voiceChoiceSchema = z.object({ voiceId: z.string(), name: z.string(), model: z.string() });

/** A chosen voice. Name and model are kept for people: they can be told which one it was after it is gone. */
export type VoiceChoice = z.infer<typeof voiceChoiceSchema>;

const serverSettingsSchema = z.object({ defaultVoice: voiceChoiceSchema.optional() });

export type ServerSettings = Readonly<z.infer<typeof serverSettingsSchema>>;

export interface Settings {
  /** A server's settings; empty ones when it never changed any. Rejects with a StoreError. */
  get(guildId: string): Promise<ServerSettings>;
  /**
   * Changes one server's settings and resolves with what they were and are. Two changes at once are made one after the
   * other, so that neither undoes the other. Rejects with a StoreError, and then nothing was changed as far as is known.
   */
  change(
    guildId: string,
    edit: (before: ServerSettings) => ServerSettings,
  ): Promise<{ readonly before: ServerSettings; readonly after: ServerSettings }>;
}

/** What admins chose, per server, kept in the store. */
export function createSettings(store: Store): Settings {
  const table = store.table('server-settings', serverSettingsSchema);
  const lastChange = new Map<string, Promise<unknown>>();

  const get = async (guildId: string): Promise<ServerSettings> => (await table.get(guildId)) ?? {};

  return {
    get,
    change(guildId, edit) {
      const previous = lastChange.get(guildId) ?? Promise.resolve();
      const change = previous.then(async () => {
        const before = await get(guildId);
        const after = edit(before);
        await table.set(guildId, after);
        return { before, after };
      });
      // The next change waits for this one, however it ends; its caller hears of a failure.
      const settled = change.catch(() => undefined);
      lastChange.set(guildId, settled);
      void settled.then(() => {
        if (lastChange.get(guildId) === settled) lastChange.delete(guildId);
      });
      return change;
    },
  };
}
