import type { Logger } from 'pino';
import { DEFAULT_SPEAKER_LIMITS, type SpeakerLimits } from '../presence/channel-presence.ts';
import {
  type DefaultSettings,
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  type Settings,
} from './server-settings.ts';

/** The rules of a server: the settings that its admins chose, and the bot's own defaults for the rest. */
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
 * The settings of the servers and the rules that follow from them, available without the store: the last settings of
 * each server are cached. Every change has to go through here, so that the cached rules are the current ones.
 */
export interface ServerRulesBook extends Settings {
  /**
   * The rules as last read, from the store the first time. While the store does not answer, the last rules stay in
   * force, and a warning is logged. Rejects with a StoreError if there are none: restrictions would not hold without
   * them.
   */
  of(guildId: string): Promise<ServerRules>;
  /** The rules as last seen, for decisions that cannot wait. They are the bot's defaults until then. */
  known(guildId: string): ServerRules;
  lastSeen(guildId: string): ServerSettings | undefined;
  /** Calls back when the rules of a server were seen to be others. Returns the unsubscriber. */
  onChanged(listener: RulesListener): () => void;
  /** Another process may have changed this server's data, or any server's: it is read again. */
  changedElsewhere(guildId?: string): void;
}

export function createServerRules(stored: Settings, log: Logger): ServerRulesBook {
  const seen = new Map<string, { readonly settings: ServerSettings; readonly rules: ServerRules }>();
  const listeners = new Set<RulesListener>();
  /** Servers with a change that failed, or that another process made: what is known may no longer hold. */
  const unsure = new Set<string>();
  /** By server: what was read before a change no longer holds. */
  const changes = new Map<string, number>();
  let isRereading = false;

  function see(guildId: string, settings: ServerSettings): ServerRules {
    const now = rulesOf(settings);
    const before = seen.get(guildId)?.rules;
    const isSame = JSON.stringify(before ?? DEFAULT_RULES) === JSON.stringify(now);
    // What was made of the same rules, such as the search for blocked words, is found by them.
    const rules = isSame && before ? before : now;
    seen.set(guildId, { settings, rules });
    unsure.delete(guildId);
    if (!isSame) for (const listener of listeners) listener(guildId, before);
    return rules;
  }

  const changesOf = (guildId: string) => changes.get(guildId) ?? 0;
  const countChange = (guildId: string) => void changes.set(guildId, changesOf(guildId) + 1);

  /** Settings that were read before a change no longer hold. */
  async function read(guildId: string): Promise<{ readonly settings: ServerSettings; readonly rules: ServerRules }> {
    const changesBefore = changesOf(guildId);
    const settings = await stored.get(guildId);
    return { settings, rules: changesOf(guildId) === changesBefore ? see(guildId, settings) : rulesOf(settings) };
  }

  /** Rules that cannot be read stay unsure: their next use reads them again. */
  async function rereadAll(): Promise<void> {
    if (isRereading) return;
    isRereading = true;
    try {
      for (const guildId of unsure) await read(guildId);
    } catch (error) {
      log.warn({ err: error, waiting: unsure.size }, 'Could not read rules that other processes changed yet');
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
    get: async (guildId) => (await read(guildId)).settings,
    change,
    async forget(guildId) {
      await change(guildId, () => ({}));
      await stored.forget(guildId);
    },
    async of(guildId) {
      const last = seen.get(guildId)?.rules;
      if (last && !unsure.has(guildId)) return last;
      try {
        return (await read(guildId)).rules;
      } catch (error) {
        if (!last) throw error;
        log.warn({ err: error, guildId }, 'Could not read a server’s rules: using the last ones');
        return last;
      }
    },
    known: (guildId) => seen.get(guildId)?.rules ?? DEFAULT_RULES,
    lastSeen: (guildId) => seen.get(guildId)?.settings,
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changedElsewhere(guildId) {
      for (const known of guildId === undefined ? seen.keys() : [guildId]) {
        if (!seen.has(known)) continue;
        countChange(known);
        // Behind those that are being read.
        unsure.delete(known);
        unsure.add(known);
      }
      void rereadAll();
    },
  };
}
