import { type BaseInteraction, PermissionFlagsBits, type PermissionsBitField } from 'discord.js';

/** Discord's "Manage Server": members with this permission configure the bot there. */
export const MANAGE_SERVER = PermissionFlagsBits.ManageGuild;

/** Whether these permissions allow managing the server that they are for. */
export function mayManage(permissions: Readonly<PermissionsBitField> | null | undefined): boolean {
  return permissions?.has(MANAGE_SERVER) ?? false;
}

/** Whether the requester manages the server. False where the bot is not a member: there is nothing of it to manage. */
export function managesServer(interaction: BaseInteraction): boolean {
  return interaction.inCachedGuild() && mayManage(interaction.memberPermissions);
}
