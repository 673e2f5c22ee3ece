import type { Logger } from 'pino';
import type { Store } from '../storage/store.ts';
import { createMemberSettings, createSpokenNames, type MemberSettings, type SpokenNames } from './member-settings.ts';
import { createVoiceCatalog, type VoiceCatalog, type VoiceCatalogOptions } from './voice-catalog.ts';

export interface Voices extends VoiceCatalog {
  readonly members: MemberSettings;
  readonly spokenNames: SpokenNames;
}

interface VoicesOptions extends VoiceCatalogOptions {
  readonly store: Store;
  readonly isBlocked: (name: string, guildId: string) => Promise<boolean>;
  readonly log: Logger;
}

export function createVoices(options: VoicesOptions): Voices {
  const members = createMemberSettings(options.store);
  return Object.assign(createVoiceCatalog(options), {
    members,
    spokenNames: createSpokenNames({ ...options, members }),
  });
}
