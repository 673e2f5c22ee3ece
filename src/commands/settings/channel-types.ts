import { ChannelType } from 'discord.js';

/** Where the bot can post of itself. */
export const POSTING_CHANNELS = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;

/** Where people write: what is written in a thread, or in a post of a forum, counts as written in the channel above. */
export const WRITING_CHANNELS = [...POSTING_CHANNELS, ChannelType.GuildForum, ChannelType.GuildMedia] as const;

/** Where people write, and where they speak. */
export const SPEAKING_CHANNELS = [...WRITING_CHANNELS, ChannelType.GuildVoice, ChannelType.GuildStageVoice] as const;
