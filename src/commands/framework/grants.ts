import type { PermissionsBitField } from 'discord.js';
import type { Command } from './command.ts';

interface Someone {
  readonly guildId: string | null;
  readonly user: { readonly id: string };
  readonly memberPermissions: Readonly<PermissionsBitField> | null;
}

/** Who may use the buttons and forms of a command that not everybody may use. */
export interface Grants {
  /** Discord let this person use the command. */
  give(someone: Someone, command: Command): void;
  holds(someone: Someone, command: Command): boolean;
}

/** As long as Discord lets a reply for one person alone be used. */
const GRANT_MS = 15 * 60_000;
const REMEMBERED = 1_000;

/**
 * Admins can give a command to a role in Discord's own screen, and only Discord knows that: whoever it let use the
 * command may use what its reply offers. Otherwise the command's permission decides, because custom ids can be forged.
 */
export function createGrants(now: () => number = () => performance.now()): Grants {
  const untilMs = new Map<string, number>();
  const keyOf = ({ guildId, user }: Someone, { name }: Command) => `${name} ${guildId} ${user.id}`;

  return {
    give(someone, command) {
      if (command.defaultMemberPermissions === undefined) return;
      const key = keyOf(someone, command);
      untilMs.delete(key);
      untilMs.set(key, now() + GRANT_MS);
      for (const [oldest] of untilMs) {
        if (untilMs.size <= REMEMBERED) break;
        untilMs.delete(oldest);
      }
    },
    holds(someone, command) {
      const needed = command.defaultMemberPermissions;
      if (needed === undefined || someone.memberPermissions?.has(needed)) return true;
      return (untilMs.get(keyOf(someone, command)) ?? 0) > now();
    },
  };
}
