import * as z from 'zod';
import { createRecords, type Records } from './records.ts';
import type { Store } from './store.ts';

export const voiceChoiceSchema = z.object({ voiceId: z.string(), name: z.string(), model: z.string() });

/** A chosen voice. Name and model are kept for people: they can be told which one it was after it is gone. */
export type VoiceChoice = z.infer<typeof voiceChoiceSchema>;

const serverSettingsSchema = z.object({ defaultVoice: voiceChoiceSchema.optional() });

export type ServerSettings = Readonly<z.infer<typeof serverSettingsSchema>>;

/** What admins chose, by server id; empty where they never changed anything. */
export type Settings = Records<ServerSettings>;

export function createSettings(store: Store): Settings {
  return createRecords<ServerSettings>(store.table('server-settings', serverSettingsSchema), {});
}
