/** Voice channels whose own chat is read while the bot is there, because a member brought it with /join. */
export interface JoinedChats {
  /** Until the bot leaves the server's voice channel, or goes to another one. */
  read(guildId: string, channelId: string): void;
  /** False where the chat was not read (any more). */
  stop(guildId: string, channelId: string): boolean;
  isRead(guildId: string, channelId: string): boolean;
  /** The bot is in no voice channel of the server any more. */
  left(guildId: string): void;
}

export function createJoinedChats(): JoinedChats {
  /** Channels by server. */
  const chats = new Map<string, string>();
  const isRead = (guildId: string, channelId: string): boolean => chats.get(guildId) === channelId;
  return {
    read: (guildId, channelId) => void chats.set(guildId, channelId),
    stop: (guildId, channelId) => isRead(guildId, channelId) && chats.delete(guildId),
    isRead,
    left: (guildId) => void chats.delete(guildId),
  };
}
