import { createCooldowns } from '../time/cooldowns.ts';
import type { Requester } from './admission.ts';
import type { ServerRules } from './server-rules.ts';

/** The break that a server's admins want between two texts of one member, by a command or by a message. */
export interface TextCooldown {
  /** Counts one text, or says in how many milliseconds the member's next one is welcome. */
  take(...of: Of): number;
  /** The same without counting one. */
  waitMs(...of: Of): number;
}

type Of = [
  guildId: string,
  speaker: Pick<Requester, 'userId' | 'isAdmin'>,
  rules: Pick<ServerRules, 'cooldownSeconds'>,
];

export function createTextCooldown(now?: () => number): TextCooldown {
  const cooldowns = createCooldowns(now);
  const by =
    (ask: 'take' | 'waitMs') =>
    (...[guildId, { userId, isAdmin }, { cooldownSeconds }]: Of): number => {
      if (isAdmin || cooldownSeconds === 0) return 0;
      return cooldowns[ask](`${guildId} ${userId}`, { uses: 1, perMs: cooldownSeconds * 1000 });
    };
  return { take: by('take'), waitMs: by('waitMs') };
}
