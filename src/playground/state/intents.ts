import type { GatewayEvent } from './hub.ts';

/** The gateway's intents that the playground uses: https://discord.com/developers/docs/events/gateway#gateway-intents */
export const INTENTS = {
  Guilds: 1 << 0,
  GuildMembers: 1 << 1,
  GuildVoiceStates: 1 << 7,
  GuildPresences: 1 << 8,
  GuildMessages: 1 << 9,
  DirectMessages: 1 << 12,
  MessageContent: 1 << 15,
} as const;

/** Discord's intents are the bits 0 to 16, 20, 21, 24 and 25. */
const ALL_INTENTS = 0x1_ffff | (0b11 << 20) | (0b11 << 24);

/** The flags of enabled privileged intents, for a bot in under 100 servers. */
const LIMITED_FLAGS = {
  GuildPresences: 1 << 13,
  GuildMembers: 1 << 15,
  MessageContent: 1 << 19,
} as const;

export type PrivilegedIntent = keyof typeof LIMITED_FLAGS;

export function applicationFlags(privileged: readonly PrivilegedIntent[]): number {
  return privileged.reduce((flags, intent) => flags | LIMITED_FLAGS[intent], 0);
}

/** Returns the close code: 4013 for invalid intents, 4014 for intents that are not enabled. */
export function intentsRefusal(intents: unknown, appFlags: number): 4013 | 4014 | undefined {
  if (typeof intents !== 'number' || !Number.isInteger(intents) || intents < 0 || intents & ~ALL_INTENTS) return 4013;
  const privileged = Object.keys(LIMITED_FLAGS) as PrivilegedIntent[];
  const missing = privileged.some((intent) => intents & INTENTS[intent] && !(appFlags & LIMITED_FLAGS[intent]));
  return missing ? 4014 : undefined;
}

const { Guilds, GuildMembers, GuildVoiceStates, GuildMessages, DirectMessages } = INTENTS;

/** The intent that each event needs, except message events: https://discord.com/developers/docs/events/gateway#list-of-intents */
const NEEDED: Readonly<Record<string, number>> = {
  GUILD_CREATE: Guilds,
  GUILD_UPDATE: Guilds,
  GUILD_DELETE: Guilds,
  GUILD_ROLE_CREATE: Guilds,
  GUILD_ROLE_UPDATE: Guilds,
  GUILD_ROLE_DELETE: Guilds,
  CHANNEL_CREATE: Guilds,
  CHANNEL_UPDATE: Guilds,
  CHANNEL_DELETE: Guilds,
  THREAD_CREATE: Guilds,
  THREAD_UPDATE: Guilds,
  THREAD_DELETE: Guilds,
  GUILD_MEMBER_ADD: GuildMembers,
  GUILD_MEMBER_UPDATE: GuildMembers,
  GUILD_MEMBER_REMOVE: GuildMembers,
  VOICE_STATE_UPDATE: GuildVoiceStates,
};

export function receives(intents: number, event: GatewayEvent): boolean {
  if (event.always) return true;
  if (event.name.startsWith('MESSAGE_')) {
    return (intents & (event.guildId === undefined ? DirectMessages : GuildMessages)) !== 0;
  }
  const needed = NEEDED[event.name];
  return needed === undefined || (intents & needed) !== 0;
}
