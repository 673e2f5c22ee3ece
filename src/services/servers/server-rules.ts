import type { Logger } from 'pino';
import { DEFAULT_SPEAKER_LIMITS, type SpeakerLimits } from '../presence/channel-presence.ts';
import {
  type DefaultSettings,
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  type Settings,
} from './server-settings.ts';

/** The settings that a server's admins chose, and the bot's own defaults for the rest. */
export type ServerRules = Omit<ServerSettings, keyof DefaultSettings> & DefaultSettings;

export const DEFAULT_RULES = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SERVER_SETTINGS[name].default]).filter(([, value]) => value !== undefined),
) as ServerRules;

export function rulesOf(settings: ServerSettings): ServerRules {
  const chosen = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_RULES, ...Object.fromEntries(chosen) };
}

export function speakerLimitsOf(rules: ServerRules): SpeakerLimits {
  return {
    ...DEFAULT_SPEAKER_LIMITS,
    queueLimit: rules.queueLimit,
    memberQueueLimit: Math.min(DEFAULT_SPEAKER_LIMITS.memberQueueLimit, rules.queueLimit),
    aloneMs: rules.aloneSeconds * 1000,
    idleMs: rules.idleSeconds * 1000,
  };
}

type RulesListener = (guildId: string, before: ServerRules | undefined) => void;

/**
 * Each server's last rules are cached, so that they apply even if the store fails. Every change must go through this
 * object, or the cache becomes stale.
 */
export function createServerRules(stored: Settings, log: Logger) {
  const seen = new Map<string, ServerRules>();
  const listeners = new Set<RulesListener>();
  /** Servers whose cached rules may be stale, after a failed change or a change by another process. */
  const unsure = new Set<string>();
  /** How often each server's settings were changed. Settings that change while they are read are not cached. */
  const changes = new Map<string, number>();
  let isRereading = false;

  function see(guildId: string, settings: ServerSettings): ServerRules {
    const now = rulesOf(settings);
    const before = seen.get(guildId);
    const isSame = JSON.stringify(before ?? DEFAULT_RULES) === JSON.stringify(now);
    // Unchanged rules keep their object, because it is the key of caches such as the blocked word search.
    const rules = isSame && before ? before : now;
    seen.set(guildId, rules);
    unsure.delete(guildId);
    if (!isSame) for (const listener of listeners) listener(guildId, before);
    return rules;
  }

  const changesOf = (guildId: string) => changes.get(guildId) ?? 0;
  const countChange = (guildId: string) => void changes.set(guildId, changesOf(guildId) + 1);

  async function read(guildId: string): Promise<{ readonly settings: ServerSettings; readonly rules: ServerRules }> {
    const changesBefore = changesOf(guildId);
    const settings = await stored.get(guildId);
    return { settings, rules: changesOf(guildId) === changesBefore ? see(guildId, settings) : rulesOf(settings) };
  }

  /** If settings cannot be read, the next use of the server's rules tries again. */
  async function rereadAll(): Promise<void> {
    if (isRereading) return;
    isRereading = true;
    try {
      for (const guildId of unsure) await read(guildId);
    } catch (error) {
      log.warn({ err: error, waiting: unsure.size }, 'Could not reload changed server settings: the next use retries');
    } finally {
      isRereading = false;
    }
  }

  async function change(guildId: string, edit: (before: ServerSettings) => ServerSettings) {
    try {
      const changed = await stored.change(guildId, edit);
      countChange(guildId);
      see(guildId, changed.after);
      return changed;
    } catch (error) {
      countChange(guildId);
      unsure.add(guildId);
      throw error;
    }
  }

  return {
    get: async (guildId: string) => (await read(guildId)).settings,
    change,
    async forget(guildId: string) {
      await change(guildId, () => ({}));
      await stored.forget(guildId);
    },
    /**
     * If the store fails, stale rules apply and a warning is logged. Without any rules, rejects with a StoreError,
     * because the bot's defaults would lift the server's restrictions.
     */
    async of(guildId: string): Promise<ServerRules> {
      const last = seen.get(guildId);
      if (last && !unsure.has(guildId)) return last;
      try {
        return (await read(guildId)).rules;
      } catch (error) {
        if (!last) throw error;
        log.warn({ err: error, guildId }, 'Could not load a server’s settings: using the last known');
        return last;
      }
    },
    /** The cached rules, for decisions that cannot wait. Before the first read, these are the bot's defaults. */
    known: (guildId: string) => seen.get(guildId) ?? DEFAULT_RULES,
    onChanged(listener: RulesListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Must be called if another process may have changed the settings of a server, or (undefined) of all servers. */
    changedElsewhere(guildId?: string): void {
      for (const known of guildId === undefined ? seen.keys() : [guildId]) {
        if (!seen.has(known)) continue;
        countChange(known);
        // A reload that is running may have passed the server, so the server moves to the end to be read again.
        unsure.delete(known);
        unsure.add(known);
      }
      void rereadAll();
    },
  };
}

export type ServerRulesBook = ReturnType<typeof createServerRules>;
