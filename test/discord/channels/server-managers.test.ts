import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { expect, it } from 'vitest';
import { managesServer, mayManage } from '../../../src/discord/channels/server-managers.ts';

const asking = (permissions: bigint | undefined, botIsThere: boolean) =>
  ({
    inCachedGuild: () => botIsThere,
    memberPermissions: permissions === undefined ? null : new PermissionsBitField(permissions),
  }) as never;

it('a member with Manage Server or Administrator manages a server', () => {
  expect(managesServer(asking(PermissionFlagsBits.ManageGuild, true))).toBe(true);
  expect(managesServer(asking(PermissionFlagsBits.Administrator, true))).toBe(true);
  expect(managesServer(asking(PermissionFlagsBits.ManageChannels, true))).toBe(false);
});

it('manages nothing in a direct message, nor in a server without the bot', () => {
  expect(managesServer(asking(undefined, false))).toBe(false);
  expect(managesServer(asking(PermissionFlagsBits.ManageGuild, false))).toBe(false);
});

it('says of a member that is not known that they do not', () => {
  expect(mayManage(undefined)).toBe(false);
});
