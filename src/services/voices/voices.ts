import type { Store } from '../storage/store.ts';
import { createMemberSettings, createSpokenNames } from './member-settings.ts';
import { createVoiceCatalog, type VoiceCatalogOptions } from './voice-catalog.ts';

interface VoicesOptions extends VoiceCatalogOptions {
  readonly store: Store;
  readonly isBlocked: (name: string, guildId: string) => Promise<boolean>;
}

export function createVoices(options: VoicesOptions) {
  const members = createMemberSettings(options.store);
  const spokenNames = createSpokenNames({ ...options, members });
  return Object.assign(createVoiceCatalog(options), { members, spokenNames });
}

export type Voices = ReturnType<typeof createVoices>;
