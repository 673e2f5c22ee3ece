import type { InteractionContextType } from 'discord.js';
import { type Text, text } from '../texts/catalogue.ts';
import type { Needs } from './command.ts';

/** Who asks from where, as far as a command's needs are concerned. */
export interface Situation {
  readonly context: InteractionContextType | null;
  /** The voice channel the caller is in. */
  readonly callerChannelId?: string | undefined;
  /** Why the bot could not speak in that channel. */
  readonly obstacle?: Text | undefined;
  /** The voice channel the bot is in or on its way to. */
  readonly botChannelId?: string | undefined;
  /** Whether members are listening to the bot in another channel than the caller's. */
  readonly occupiedElsewhere: boolean;
  /** Whether the caller may move members, the bot too. */
  readonly mayMoveMembers: boolean;
}

const mention = (channelId: string) => `<#${channelId}>`;

/** Why a command cannot be begun in this situation, or undefined when it can. */
export function refusal(command: string, needs: Needs, situation: Situation): Text | undefined {
  const { context, callerChannelId, botChannelId } = situation;
  if (context === null || !needs.contexts.includes(context)) return text('refused.server-only');
  if (needs.voice === 'speak') {
    if (callerChannelId === undefined) return text('refused.not-in-voice', { command });
    if (situation.obstacle) return situation.obstacle;
    if (situation.occupiedElsewhere && botChannelId !== undefined) {
      return text('refused.busy-elsewhere', { channel: mention(botChannelId) });
    }
  }
  if (needs.voice === 'together' && botChannelId !== undefined && callerChannelId !== botChannelId) {
    if (!situation.mayMoveMembers) return text('refused.other-channel', { channel: mention(botChannelId), command });
  }
  return undefined;
}

export interface Cooldowns {
  /** Counts one use, or says in how many milliseconds the next one is free. */
  take(key: string, limit: NonNullable<Needs['cooldown']>): number;
}

/** Uses older than any cooldown are forgotten as soon as this many members are remembered. */
const REMEMBERED = 10_000;

export function createCooldowns(now: () => number = Date.now): Cooldowns {
  const uses = new Map<string, readonly number[]>();

  function forgetOld(perMs: number): void {
    if (uses.size <= REMEMBERED) return;
    for (const [key, times] of uses) {
      if ((times.at(-1) ?? 0) <= now() - perMs) uses.delete(key);
    }
  }

  return {
    take(key, limit) {
      const recent = (uses.get(key) ?? []).filter((time) => time > now() - limit.perMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= limit.uses) return oldest + limit.perMs - now();
      uses.set(key, [...recent, now()]);
      forgetOld(limit.perMs);
      return 0;
    },
  };
}
