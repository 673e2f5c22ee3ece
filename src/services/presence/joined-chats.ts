/** Voice channels whose built-in text chat the bot reads aloud because a member brought the bot with /join. */
export function createJoinedChats() {
  const chats = new Map<string, string>();
  const isRead = (guildId: string, channelId: string): boolean => chats.get(guildId) === channelId;
  return {
    /** Lets the voice channel's built-in text chat be read aloud until the bot leaves or moves to another channel. */
    read: (guildId: string, channelId: string): void => void chats.set(guildId, channelId),
    stop: (guildId: string, channelId: string): boolean => isRead(guildId, channelId) && chats.delete(guildId),
    isRead,
    left: (guildId: string): void => void chats.delete(guildId),
  };
}

export type JoinedChats = ReturnType<typeof createJoinedChats>;
