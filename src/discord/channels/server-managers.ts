import { type BaseInteraction, PermissionFlagsBits, type PermissionsBitField } from 'discord.js';

/** What Discord calls "Manage Server": whoever has it decides what the bot does there. */
export const MANAGE_SERVER = PermissionFlagsBits.ManageGuild;

/** Whether somebody with these permissions manages the server that they are for. */
export function mayManage(permissions: Readonly<PermissionsBitField> | null | undefined): boolean {
  return permissions?.has(MANAGE_SERVER) ?? false;
}

/** Whether who asks manages the server they ask from. Where the bot itself is not, there is nothing of it to manage. */
export function managesServer(interaction: BaseInteraction): boolean {
  return interaction.inCachedGuild() && mayManage(interaction.memberPermissions);
}
