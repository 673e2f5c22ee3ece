import { InteractionContextType } from 'discord.js';

/** In servers that the bot is in. */
export const IN_SERVERS = [InteractionContextType.Guild] as const;

/** There, in direct messages with it, and wherever else its user takes it along, once the owner has enabled that. */
export const EVERYWHERE = [
  InteractionContextType.Guild,
  InteractionContextType.BotDM,
  InteractionContextType.PrivateChannel,
] as const;
