import type { Leaving } from '../services/playback/guild-speaker.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import type { Channels } from './services.ts';

/** After this pause between messages, the bot says the author's name again, even if the author is the same. */
const REMEMBERED_MS = 5 * 60_000;

/** Remembers whose message was last read aloud in each server. */
export function createNaming(now: () => number = Date.now) {
  const latest = new Map<string, { readonly author: string; readonly atMs: number }>();
  return {
    isNamed(guildId: string, author: string, mode: ServerRules['autoReadNames']): boolean {
      if (mode !== 'on-change') return mode === 'always';
      const last = latest.get(guildId);
      return last?.author !== author || now() - last.atMs > REMEMBERED_MS;
    },
    /** Records that the author's message is read aloud next. The returned function takes the record back. */
    follows(guildId: string, author: string): () => void {
      const mine = { author, atMs: now() };
      latest.set(guildId, mine);
      return () => {
        if (latest.get(guildId) === mine) latest.delete(guildId);
      };
    },
    forget: (guildId: string): void => void latest.delete(guildId),
  };
}

export type Naming = ReturnType<typeof createNaming>;

const BETWEEN_MS = 60_000;
/** After this time, a notice about the same problem is posted again, for members who missed the first. */
const SAME_MS = 30 * 60_000;

export function createNotices(now: () => number = Date.now) {
  const servers = new Map<string, Map<string, number>>();
  return {
    /** True if a notice about this kind of problem is due in the server; the notice then counts as posted. */
    take(guildId: string, kind: string): boolean {
      const told = servers.get(guildId) ?? new Map<string, number>();
      for (const [each, atMs] of told) if (now() - atMs >= SAME_MS) told.delete(each);
      if (told.has(kind) || [...told.values()].some((atMs) => now() - atMs < BETWEEN_MS)) return false;
      told.set(kind, now());
      servers.set(guildId, told);
      return true;
    },
  };
}

/** Voice channels from which members sent the bot away, until all members have left the channel. */
export class Dismissals {
  readonly #listeners: Channels['listeners'];
  readonly #channels = new Map<string, Set<string>>();

  constructor({ listeners }: Channels) {
    this.#listeners = listeners;
  }

  holds(guildId: string, channelId: string): boolean {
    return this.#channels.get(guildId)?.has(channelId) ?? false;
  }

  left({ guildId, voiceChannelId, reason }: Leaving): void {
    const channels = this.#channels.get(guildId) ?? new Set();
    const isSentOut = (reason === 'asked' || reason === 'kicked') && this.#listeners(guildId, voiceChannelId) > 0;
    if (isSentOut) this.#channels.set(guildId, channels.add(voiceChannelId));
    else channels.delete(voiceChannelId);
  }

  audienceChanged(guildId: string, botChannelId: string | undefined): void {
    const channels = this.#channels.get(guildId);
    for (const channelId of channels ?? []) {
      if (channelId === botChannelId || this.#listeners(guildId, channelId) === 0) channels?.delete(channelId);
    }
    if (channels?.size === 0) this.#channels.delete(guildId);
  }
}
