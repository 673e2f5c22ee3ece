import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/commands/framework/command.ts';
import { createGrants } from '../../../src/commands/framework/resolve-interaction.ts';

const command = (name: string, defaultMemberPermissions?: bigint) => ({ name, defaultMemberPermissions }) as Command;
const settings = command('settings', PermissionFlagsBits.ManageGuild);
const member = (id: string, permissions: bigint = 0n) => ({
  guildId: 'guild',
  user: { id },
  memberPermissions: new PermissionsBitField(permissions),
});

describe('the buttons and forms of a command for some members', () => {
  it('may be used by members that Discord let use the command, for a quarter of an hour', () => {
    let nowMs = 1;
    const grants = createGrants(() => nowMs);
    expect(grants.holds(member('alice'), settings)).toBe(false);
    grants.give(member('alice'), settings);
    nowMs += 10 * 60_000;
    grants.give(member('alice'), settings);
    nowMs += 15 * 60_000;
    expect(grants.holds(member('alice'), settings)).toBe(true);
    expect(grants.holds(member('bob'), settings)).toBe(false);
    expect(grants.holds({ ...member('alice'), guildId: 'another' }, settings)).toBe(false);
    nowMs += 1;
    expect(grants.holds(member('alice'), settings)).toBe(false);
  });

  it('may be used by members with its permission, and by all where it needs none', () => {
    const grants = createGrants();
    expect(grants.holds(member('alice', PermissionFlagsBits.ManageGuild), settings)).toBe(true);
    expect(grants.holds(member('alice'), command('say'))).toBe(true);
  });

  it('are forgotten for the oldest of very many', () => {
    const grants = createGrants();
    for (let id = 0; id <= 1_000; id += 1) grants.give(member(String(id)), settings);
    expect(['0', '1', '1000'].map((id) => grants.holds(member(id), settings))).toEqual([false, true, true]);
  });
});
