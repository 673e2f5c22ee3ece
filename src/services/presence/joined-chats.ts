/** Voice channels whose own chat the bot reads because a member brought the bot with /join. */
export interface JoinedChats {
  /** Reads the voice channel's own chat aloud until the bot leaves or moves to another channel. */
  read(guildId: string, channelId: string): void;
  stop(guildId: string, channelId: string): boolean;
  isRead(guildId: string, channelId: string): boolean;
  left(guildId: string): void;
}

export function createJoinedChats(): JoinedChats {
  const chats = new Map<string, string>();
  const isRead = (guildId: string, channelId: string): boolean => chats.get(guildId) === channelId;
  return {
    read: (guildId, channelId) => void chats.set(guildId, channelId),
    stop: (guildId, channelId) => isRead(guildId, channelId) && chats.delete(guildId),
    isRead,
    left: (guildId) => void chats.delete(guildId),
  };
}
