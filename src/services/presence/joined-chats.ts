/** Voice channels whose built-in text chat the bot reads aloud because a member brought the bot with /join. */
export interface JoinedChats {
  /** Lets the voice channel's built-in text chat be read aloud until the bot leaves or moves to another channel. */
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
