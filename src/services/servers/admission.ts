import type { Logger } from 'pino';
import * as z from 'zod';
import { causeOf, DeliveryError, refusal, UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { DEFAULT_SPEAKER_LIMITS, type SpeakerLimits } from '../presence/channel-presence.ts';
import { wasRemoved } from '../queue/queue-item.ts';
import type { Store } from '../storage/store.ts';
import {
  type DefaultSettings,
  EVERYBODY,
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  type Settings,
} from './server-settings.ts';

/** The settings that a server's admins chose, and the bot's own defaults for the rest. */
export type ServerRules = ServerSettings & DefaultSettings;

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
  let rereading = Promise.resolve();
  let isRereadDue = false;

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
    try {
      for (const guildId of unsure) await read(guildId);
    } catch (error) {
      log.warn({ err: error, waiting: unsure.size }, 'Could not reload changed server settings: the next use retries');
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
    onChanged: (listener: RulesListener): void => void listeners.add(listener),
    /** Must be called if another process may have changed the settings of a server, or (undefined) of all servers. */
    changedElsewhere(guildId?: string): void {
      for (const known of guildId === undefined ? seen.keys() : [guildId]) {
        if (!seen.has(known)) continue;
        countChange(known);
        unsure.add(known);
      }
      // A reload that is running may already have read these settings, so another one follows it.
      if (isRereadDue) return;
      isRereadDue = true;
      rereading = rereading.then(() => {
        isRereadDue = false;
        return rereadAll();
      });
    },
  };
}

export type ServerRulesBook = ReturnType<typeof createServerRules>;

/** Users who opted out: only they can have their own messages read aloud, and the bot does not announce them. */
export function createOptOuts(store: Store) {
  const table = store.table('opt-outs', z.object({ sinceMs: z.number() }), {
    // An unreadable entry counts as an opt-out, so that nobody is read aloud against their will.
    unreadable: { sinceMs: 0 },
  });
  const listeners = new Set<(userId: string) => void>();
  /** Nothing is cached, so that a member's opt-out takes effect at once. Rejects with a StoreError. */
  const has = async (userId: string) => (await table.get(userId)) !== undefined;

  const tell = (userId: string) => {
    for (const listener of listeners) listener(userId);
  };

  return {
    has,
    /**
     * Call if another process may have changed the opt-out of `userId`: if the user opted out, the `onOptedOut` listeners run.
     * Without `userId` it does nothing: nothing is cached, so later checks read the store.
     */
    async changedElsewhere(userId?: string): Promise<void> {
      if (userId !== undefined && (await has(userId))) tell(userId);
    },
    /** After a StoreError, probably nothing has changed. */
    async set(userId: string, isOut: boolean): Promise<void> {
      if (!isOut) return table.delete(userId);
      if (!(await has(userId))) await table.set(userId, { sinceMs: Date.now() });
      tell(userId);
    },
    onOptedOut(listener: (userId: string) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type OptOuts = ReturnType<typeof createOptOuts>;

/**
 * Rejects with a UserError ('opted-out') if a message's author has opted out and is not the requester. Rejects with a
 * StoreError if the store cannot tell.
 */
export async function mustBeReadTo(optOuts: OptOuts, userId: string, authorId: string | undefined): Promise<void> {
  if (authorId === undefined || authorId === userId || !(await optOuts.has(authorId))) return;
  throw new UserError(refusal('opted-out'));
}

/** The member who requests speech, or whose chat message is read aloud. */
interface Speaker {
  readonly userId: string;
  /** True if the member can change the server's rules and is therefore exempt from them. */
  readonly isAdmin: boolean;
}

export interface Requester extends Speaker {
  readonly roleIds: readonly string[];
  /** The channel of the request; for a thread, its parent channel. */
  readonly textChannelId: string | undefined;
  readonly voiceChannelId: string | undefined;
}

export const isMuted = ({ mutedMembers }: ServerRules, userId: string): boolean =>
  mutedMembers?.some((one) => one === userId || one === EVERYBODY) ?? false;

export function admissionRefusal(rules: ServerRules, speaker: Requester): Text | undefined {
  if (speaker.isAdmin) return undefined;
  const { blockedRoles = [], allowedRoles, allowedChannels } = rules;
  if (isMuted(rules, speaker.userId)) return refusal('member-muted');
  const blocked = blockedRoles.find((id) => id === EVERYBODY || speaker.roleIds.includes(id));
  if (blocked !== undefined) return refusal('blocked-role', { role: `<@&${blocked}>` });
  if (allowedRoles && !allowedRoles.some((id) => speaker.roleIds.includes(id))) {
    return refusal('role-needed', { roles: { anyOf: allowedRoles.map((id) => `<@&${id}>`) } });
  }
  const here = [speaker.textChannelId, speaker.voiceChannelId];
  if (allowedChannels && !here.some((id) => id !== undefined && allowedChannels.includes(id))) {
    return text('refused.channel-needed', { channels: { list: allowedChannels.map((id) => `<#${id}>`) } });
  }
  return undefined;
}

/** A server's rules for checks in which the channel of the request does not matter. */
export function wherever({ allowedChannels: _, ...rules }: ServerRules): ServerRules {
  return rules;
}

interface SpokenIn {
  readonly isAdmin: boolean;
  readonly voiceChannelId: string;
  readonly isVoiceChannel: (channelId: string) => boolean;
}

/** Why the bot must not speak in a voice channel. Allowed text channels alone do not restrict voice channels. */
export function placeRefusal({ allowedChannels = [] }: ServerRules, where: SpokenIn): Text | undefined {
  const { isAdmin, voiceChannelId, isVoiceChannel } = where;
  if (isAdmin || allowedChannels.includes(voiceChannelId)) return undefined;
  const allowed = allowedChannels.filter(isVoiceChannel);
  if (allowed.length === 0) return undefined;
  return refusal('not-spoken-there', {
    channel: `<#${voiceChannelId}>`,
    channels: { list: allowed.map((id) => `<#${id}>`) },
  });
}

interface CooldownLimit {
  readonly uses: number;
  readonly perMs: number;
}

export function createCooldowns(now: () => number = () => performance.now()) {
  const uses = new Map<string, readonly number[]>();

  const recent = (key: string, { perMs }: CooldownLimit) =>
    (uses.get(key) ?? []).filter((atMs) => atMs > now() - perMs);

  function waitMs(key: string, limit: CooldownLimit): number {
    const counted = recent(key, limit);
    const [oldest] = counted;
    return oldest !== undefined && counted.length >= limit.uses ? oldest + limit.perMs - now() : 0;
  }

  /** Deletes a counter whose uses are all over, so that the memory does not grow with every member. */
  function forget(key: string, limit: CooldownLimit): void {
    if (recent(key, limit).length === 0) uses.delete(key);
  }

  return {
    waitMs,
    /** Counts a use of `key`, such as a command of a member, and returns 0, or returns the ms until the next use is allowed. */
    take(key: string, limit: CooldownLimit): number {
      const wait = waitMs(key, limit);
      if (wait > 0) return wait;
      uses.set(key, [...recent(key, limit), now()]);
      setTimeout(forget, limit.perMs + 1, key, limit).unref();
      return 0;
    },
    /** Takes back the latest use of `key`, such as a command of a member, that was counted at `untilMs` or earlier. */
    giveBack(key: string, untilMs = now()): void {
      const counted = uses.get(key) ?? [];
      const index = counted.findLastIndex((atMs) => atMs <= untilMs);
      if (index >= 0) uses.set(key, counted.toSpliced(index, 1));
    },
  };
}

type Of = [guildId: string | null, speaker: Speaker, rules: ServerRules];

const TEN_SECONDS_MS = 10_000;

/** Limits how often a member's texts are spoken in one server or outside of servers, however they were requested. */
export function createTextCooldown(now: () => number = () => performance.now()) {
  const pauses = createCooldowns(now);
  const texts = createCooldowns(now);

  /** Admins are exempt from the cooldown, but not from the limit per ten seconds. */
  function limitsOf([guildId, { userId, isAdmin }, { cooldownSeconds, textsInTenSeconds }]: Of) {
    const key = `${guildId} ${userId}`;
    const ofAll = { of: texts, key, limit: { uses: textsInTenSeconds, perMs: TEN_SECONDS_MS } };
    if (isAdmin || cooldownSeconds === 0) return [ofAll];
    return [{ of: pauses, key, limit: { uses: 1, perMs: cooldownSeconds * 1000 } }, ofAll];
  }

  function waitMs(...who: Of): number {
    return Math.max(...limitsOf(who).map(({ of, key, limit }) => of.waitMs(key, limit)));
  }

  return {
    waitMs,
    /**
     * Counts a text. The returned function must be called with the failure if the text fails. After a UserError at no cost, the
     * text does not count any more, unless a member stopped it. After any other failure at no cost, the text starts no cooldown,
     * but counts for the limit per ten seconds, because the speech service was asked.
     */
    count(...who: Of): (failure: unknown) => void {
      for (const { of, key, limit } of limitsOf(who)) of.take(key, limit);
      const countedAtMs = now();
      return (failure) => {
        const isForNothing = failure instanceof DeliveryError && failure.cost.kind === 'none';
        if (!isForNothing || wasRemoved(failure)) return;
        const isRefused = causeOf(failure) instanceof UserError;
        for (const { of, key } of limitsOf(who)) if (isRefused || of === pauses) of.giveBack(key, countedAtMs);
      };
    },
  };
}
