import type { Logger } from 'pino';
import * as z from 'zod';
import { createVoiceGains, type KnownVoice, type VoiceGains } from '../../audio/making/loudness.ts';
import type { Store } from '../storage/store.ts';

const knownVoiceSchema: z.ZodType<KnownVoice> = z.object({
  lufs: z.number(),
  seconds: z.number().min(0),
  gainDb: z.number(),
});

/** How long a voice's gain is stored: a voice that was unused for longer is measured again. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Opens the stored gain of each voice, so that a voice is as loud after a restart as before. If the store fails, a warning
 * is logged and gains are learned again.
 */
export async function openVoiceLoudness({
  store,
  log,
}: {
  readonly store: Store;
  readonly log: Logger;
}): Promise<VoiceGains> {
  const table = store.table('voice-loudness', knownVoiceSchema);

  async function readAll(): Promise<[voiceKey: string, voice: KnownVoice][]> {
    const known: [string, KnownVoice][] = [];
    for (const voiceKey of await table.keys()) {
      const voice = await table.get(voiceKey);
      if (voice) known.push([voiceKey, voice]);
    }
    return known;
  }

  const known = await readAll().catch((error: unknown) => {
    log.warn({ err: error }, 'Could not read the loudness of voices: learning it again');
    return [];
  });
  return createVoiceGains(known, (voiceKey, voice) => {
    table.set(voiceKey, voice, { ttlMs: KEPT_MS }).catch((error: unknown) => {
      log.warn({ err: error }, 'Could not store a voice’s loudness: a restart forgets it');
    });
  });
}
