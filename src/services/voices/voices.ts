import type { Logger } from 'pino';
import * as z from 'zod';
import { speechRequestSchema } from '../../speech/interface/schemas.ts';
import { languageVoiceSchema, SETTINGS_LIMITS, voiceChoiceSchema } from '../servers/server-settings.ts';
import { createRecords, type Store } from '../storage/store.ts';
import { createVoiceCatalog, type VoiceCatalogOptions } from './voice-catalog.ts';

/** A spoken name can be as long as a nickname in Discord. */
export const MAX_SPOKEN_NAME = 32;

/** The speech options that a member can set once for all of their texts. */
const { style, speed, temperature } = speechRequestSchema.shape;
const manners = { style, speed, temperature };
export type Manner = keyof typeof manners;
export const MANNERS = Object.keys(manners) as readonly Manner[];

export const ownSettingsSchema = z.object({
  voice: voiceChoiceSchema.optional(),
  /** Voices by language are set once for all servers, never for a single server. */
  languageVoices: z.array(languageVoiceSchema).max(SETTINGS_LIMITS.languageVoices).optional(),
  language: z.string().max(10).optional(),
  /** If the spoken name for a server is empty, the bot says the Discord name there, even if a spoken name for all servers is set. */
  spokenName: z.string().max(MAX_SPOKEN_NAME).optional(),
  ...manners,
});

export type OwnSettings = Readonly<z.infer<typeof ownSettingsSchema>>;

/** Where a member's settings apply: in one server, or (undefined) in all servers without own settings. */
export interface OwnPlace {
  readonly userId: string;
  readonly guildId: string | undefined;
}

const EVERYWHERE = 'everywhere';

export function createMemberSettings(store: Store) {
  const table = store.table('member-settings', ownSettingsSchema);
  const records = createRecords<OwnSettings>(table, {});
  // User and server ids are digits, so no server's key collides with the key for all servers.
  const key = ({ userId, guildId }: OwnPlace) => `${userId} ${guildId ?? EVERYWHERE}`;
  return {
    get: (place: OwnPlace) => records.get(key(place)),
    change: (place: OwnPlace, edit: (before: OwnSettings) => OwnSettings) => records.change(key(place), edit),
    forget: (place: OwnPlace) => records.change(key(place), () => ({})),
    /** The keys of all stored settings. Rejects with a StoreError. */
    async places(): Promise<readonly OwnPlace[]> {
      return (await table.keys()).map((kept) => {
        const [userId = '', guildId] = kept.split(' ');
        return { userId, guildId: guildId === EVERYWHERE ? undefined : guildId };
      });
    },
  };
}

export type MemberSettings = ReturnType<typeof createMemberSettings>;

type IsBlocked = (name: string, guildId: string) => Promise<boolean>;

/** A name with a word that the server blocks is not used: texts that mention the member would be refused. */
export function createSpokenNames(members: MemberSettings, isBlocked: IsBlocked, log: Logger) {
  const nameIn = async (place: OwnPlace) => (await members.get(place)).spokenName;
  return {
    /** Resolves with the spoken name, or with undefined if the bot should say the member's name in Discord. Never rejects. */
    async of(userId: string, guildId: string): Promise<string | undefined> {
      try {
        const name = (await nameIn({ userId, guildId })) ?? (await nameIn({ userId, guildId: undefined }));
        return !name || (await isBlocked(name, guildId)) ? undefined : name;
      } catch (error) {
        log.warn({ err: error, guildId }, 'Could not load a member’s spoken name: using Discord’s name');
        return undefined;
      }
    },
  };
}

export type SpokenNames = ReturnType<typeof createSpokenNames>;

interface VoicesOptions extends VoiceCatalogOptions {
  readonly store: Store;
  readonly isBlocked: IsBlocked;
}

export function createVoices(options: VoicesOptions) {
  const members = createMemberSettings(options.store);
  const spokenNames = createSpokenNames(members, options.isBlocked, options.log);
  return Object.assign(createVoiceCatalog(options), { members, spokenNames });
}

export type Voices = ReturnType<typeof createVoices>;
