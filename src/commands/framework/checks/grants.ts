import type { PermissionsBitField } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { Command } from '../command.ts';

interface Someone {
  readonly guildId: string | null;
  readonly user: { readonly id: string };
  readonly memberPermissions: Readonly<PermissionsBitField> | null;
}

/** As long as Discord lets a reply for one person alone be used. */
const GRANT_MS = 15 * 60_000;
const MOST_REMEMBERED = 1_000;

/**
 * Admins can give a command to a role in Discord's own screen, and only Discord knows that: members it let use the
 * command may use the buttons and forms of its reply. Otherwise the command's permission decides, because custom ids can be forged.
 */
export function createGrants(now: () => number = () => performance.now()) {
  const granted = new LRUCache<string, true>({ max: MOST_REMEMBERED, ttl: GRANT_MS, ttlResolution: 0, perf: { now } });
  const keyOf = ({ guildId, user }: Someone, { name }: Command) => `${name} ${guildId} ${user.id}`;

  return {
    /** Discord let this person use the command. */
    give(someone: Someone, command: Command): void {
      if (command.defaultMemberPermissions === undefined) return;
      granted.set(keyOf(someone, command), true);
    },
    /** Whether this person may use the command's buttons and forms. */
    holds(someone: Someone, command: Command): boolean {
      const needed = command.defaultMemberPermissions;
      if (needed === undefined || someone.memberPermissions?.has(needed)) return true;
      return granted.has(keyOf(someone, command));
    },
  };
}
