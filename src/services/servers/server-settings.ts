import * as z from 'zod';
import { SPEED_RANGE, TEMPERATURE_RANGE } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { createRecords, type Records } from '../storage/records.ts';
import type { Store } from '../storage/store.ts';

export const voiceChoiceSchema = z.object({ voiceId: z.string(), name: z.string(), model: z.string() });

/** A chosen voice. Name and model are kept for people: they can be told which one it was after it is gone. */
export type VoiceChoice = z.infer<typeof voiceChoiceSchema>;

export const choiceOf = ({ id, name, model }: Pick<Voice, 'id' | 'name' | 'model'>): VoiceChoice => ({
  voiceId: id,
  name,
  model,
});

/** How much of a kind a server can keep: what fits into Discord's selects, and into a record that is read at each use. */
export const SETTINGS_LIMITS = {
  models: 25,
  voices: 25,
  roles: 25,
  channels: 25,
  members: 200,
  blockedWords: 300,
  blockedWordCharacters: 50,
  queue: 100,
  characters: 4_000,
  /** Directions are a few words; together with them a text must still fit into a model's limit. */
  styleCharacters: 200,
  /** Far more than any account holds, and few enough to be counted exactly in thousandths. */
  credits: 1_000_000_000,
  seconds: 24 * 60 * 60,
} as const;

const idSchema = z.string().regex(/^\d{1,20}$/);
const idsSchema = (limit: number) => z.array(idSchema).max(limit);
const secondsSchema = z.number().int().min(0).max(SETTINGS_LIMITS.seconds);

/**
 * What admins chose for their server; what is absent is as the bot has it (see server-rules.ts). Its shape is the one of
 * exported settings, too: ids, seconds, characters and credits, nothing that is a secret.
 */
export const serverSettingsSchema = z.object({
  defaultVoice: voiceChoiceSchema.optional(),
  style: z.string().max(SETTINGS_LIMITS.styleCharacters).optional(),
  speed: z.number().min(SPEED_RANGE.min).max(SPEED_RANGE.max).optional(),
  temperature: z.number().min(TEMPERATURE_RANGE.min).max(TEMPERATURE_RANGE.max).optional(),
  /** Goes before what members have kept for themselves. */
  forcedVoice: voiceChoiceSchema.optional(),
  /** Only these; absent: all. Of both lists a voice has to be in each that is there. */
  allowedModels: z.array(z.string().max(100)).min(1).max(SETTINGS_LIMITS.models).optional(),
  allowedVoices: z.array(voiceChoiceSchema).min(1).max(SETTINGS_LIMITS.voices).optional(),

  /** Only members with one of these; absent: everybody. */
  allowedRoles: idsSchema(SETTINGS_LIMITS.roles).min(1).optional(),
  blockedRoles: idsSchema(SETTINGS_LIMITS.roles).min(1).optional(),
  mutedMembers: idsSchema(SETTINGS_LIMITS.members).min(1).optional(),
  /** Only from these text channels and in these voice channels; absent: all. */
  allowedChannels: idsSchema(SETTINGS_LIMITS.channels).min(1).optional(),

  maxCharacters: z.number().int().min(1).max(SETTINGS_LIMITS.characters).optional(),
  /** Texts of more billed characters are asked about first. */
  confirmAboveCharacters: z.number().int().min(1).max(SETTINGS_LIMITS.characters).optional(),
  queueLimit: z.number().int().min(1).max(SETTINGS_LIMITS.queue).optional(),
  memberQueueLimit: z.number().int().min(1).max(SETTINGS_LIMITS.queue).optional(),
  /** Between two texts of one member. */
  cooldownSeconds: secondsSchema.optional(),
  /** Credits a day; never more than the owner allows. */
  creditsPerServer: z.number().min(0).max(SETTINGS_LIMITS.credits).optional(),
  creditsPerMember: z.number().min(0).max(SETTINGS_LIMITS.credits).optional(),

  /** Text channels whose messages are read. */
  autoReadChannels: idsSchema(SETTINGS_LIMITS.channels).min(1).optional(),
  /** Reads the chat of the voice channel the bot is in. */
  autoReadVoiceChat: z.boolean().optional(),
  autoReadNames: z.enum(['always', 'on-change', 'never']).optional(),
  autoReadBots: z.boolean().optional(),
  announceJoins: z.boolean().optional(),
  announceLeaves: z.boolean().optional(),

  /** After which the bot leaves; 0: at once. */
  aloneSeconds: secondsSchema.optional(),
  idleSeconds: secondsSchema.optional(),
  /** Leaves without a word in the text channel. */
  hushed: z.boolean().optional(),
  /** One of Discord's locale codes; absent: the server's own. */
  language: z.string().max(10).optional(),
  /** Whether members may use speech tags. */
  tags: z.boolean().optional(),
  blockedWords: z
    .array(z.string().min(1).max(SETTINGS_LIMITS.blockedWordCharacters))
    .min(1)
    .max(SETTINGS_LIMITS.blockedWords)
    .optional(),
  blockedWordsMode: z.enum(['refuse', 'bleep']).optional(),
  /** Where it is told who had what kind of text spoken, never the text. */
  moderationChannel: idSchema.optional(),
});

export type ServerSettings = Readonly<z.infer<typeof serverSettingsSchema>>;

export type SettingName = keyof ServerSettings;

/** What admins chose, by server id; empty where they never changed anything. */
export type Settings = Records<ServerSettings>;

export function createSettings(store: Store): Settings {
  return createRecords<ServerSettings>(store.table('server-settings', serverSettingsSchema), {});
}
