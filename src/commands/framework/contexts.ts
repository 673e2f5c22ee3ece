import { InteractionContextType } from 'discord.js';

/** In servers that the bot is in. */
export const IN_SERVERS = [InteractionContextType.Guild] as const;

/** Commands for the bot's owner: in OWNER_SERVER, or in direct messages with the bot. */
export const FOR_OWNERS = [InteractionContextType.Guild, InteractionContextType.BotDM] as const;

/** There, in direct messages with it, and wherever else its user takes it along, once the owner has enabled that. */
export const EVERYWHERE = [
  InteractionContextType.Guild,
  InteractionContextType.BotDM,
  InteractionContextType.PrivateChannel,
] as const;
