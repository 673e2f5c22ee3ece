import type { Logger } from 'pino';
import * as z from 'zod';
import { UserError } from '../../errors/user-errors.ts';
import { type Text, type TextList, text } from '../../texts/catalog.ts';
import type { Ownership } from '../cells/ownership.ts';
import type { GuildSpeakers } from '../playback/guild-speakers.ts';
import type { OptOuts } from '../servers/admission.ts';
import type { Settings } from '../servers/server-settings.ts';
import type { KeptUsage, Spending, Usage } from '../spending/spending.ts';
import { KEPT_AFTER_LEAVING_DAYS, KEPT_AFTER_LEAVING_MS, type Store } from '../storage/store.ts';
import { AUDIO_KEPT_DAYS } from '../synthesis/disk-cache.ts';
import type { ServerDictionaries } from '../text/dictionary.ts';
import type { Pending } from '../time/timers.ts';
import type { MemberSettings, OwnPlace } from '../voices/voices.ts';

interface Keeping {
  /** The stored data in words; undefined if there is none. Rejects with a StoreError. */
  describe(id: string): Promise<Text | TextList | undefined>;
  forget(id: string): Promise<void>;
  /** Tells which data forget() deletes later; absent if it deletes all at once. Rejects with a StoreError. */
  forgetting?(id: string): Promise<Forgetting>;
}

interface Forgetting {
  readonly atOnce: Text | TextList | undefined;
  /** Data that is deleted only later, with the reason. */
  readonly later: { readonly ifForgotten: Text; readonly onceForgotten: Text } | undefined;
  /** True if all stored data that can be deleted at once has been deleted. */
  readonly isDone: boolean;
}

export interface KeptData {
  readonly name: string;
  /** Database tables with this kind of data; empty if the data is outside the database. */
  readonly tables: readonly string[];
  readonly holds: Text;
  readonly member?: Keeping & {
    /** True for an opt-out, which is deleted only on explicit request. */
    readonly isSpeechOrder?: boolean;
  };
  readonly server?: Keeping & {
    /** True for data that is deleted only after the bot leaves the server. */
    readonly staysWhileThere?: boolean;
    ids?(): Promise<readonly string[]>;
  };
}

interface MemberTextsOptions {
  readonly speakers: GuildSpeakers;
  readonly pending: Pending<object>;
  readonly ownership: Ownership;
  readonly log: Logger;
}

type MemberTexts = ReturnType<typeof createMemberTexts>;

export function createMemberTexts(options: MemberTextsOptions) {
  const { speakers, pending, ownership, log } = options;
  const { unspoken, files } = speakers;

  function count(userId: string) {
    const { waiting, spoken } = speakers.ofMember(userId);
    return {
      waiting: waiting + unspoken.countOf(userId),
      spoken,
      offered: pending.countOf(userId),
      /** True if other processes may have texts of the member, which are not counted. */
      mayBeElsewhere: ownership.isShared,
    };
  }

  async function forgetHere(userId: string): Promise<void> {
    speakers.forgetMember(userId);
    files.end((file) => file.userId === userId, new UserError(text('question.canceled')));
    pending.forgetMember(userId);
    await unspoken.forgetMember(userId);
  }

  ownership.forgotten.onTold((userId) => {
    forgetHere(userId).catch((error: unknown) =>
      log.warn({ err: error }, '/forget could not delete queued texts: they may stay stored'),
    );
  });

  return {
    count,
    /** Rejects with a StoreError if another process may still have some of the member's texts. */
    async forget(userId: string) {
      await forgetHere(userId);
      await ownership.forgotten.tell(userId);
    },
  };
}

interface KeptDataSources {
  readonly store: Store;
  readonly settings: Settings;
  readonly members: MemberSettings;
  readonly dictionaries: ServerDictionaries;
  readonly optOuts: OptOuts;
  readonly spending: Spending;
  readonly memberTexts: MemberTexts;
  readonly keepsAudio: boolean;
  readonly isFree: boolean;
  /** True if credits are limited: usage is then shown even if speech is free. */
  readonly isLimited: boolean;
}

export const createPrivacy = (sources: KeptDataSources) => ({
  kept: listKeptData(sources),
  optOuts: sources.optOuts,
  /** Erases deleted data from the database's write-ahead log. Throws if another program reads the database. */
  eraseDeleted: () => sources.store.eraseDeleted(),
});

export type Privacy = ReturnType<typeof createPrivacy>;

/** Every kind of stored data must be in this list: /privacy, /forget and leaving a server use it. */
export function listKeptData(sources: KeptDataSources): readonly KeptData[] {
  const { store, settings, members, dictionaries, optOuts, spending, memberTexts, keepsAudio } = sources;
  const free = sources.isFree ? 'yes' : 'no';
  const isUncounted = sources.isFree && !sources.isLimited;
  const keysOf = (table: string) => store.table(table, z.unknown()).keys();
  const placesOf = async (isIt: (place: OwnPlace) => boolean) => (await members.places()).filter(isIt);
  const clear = async (isIt: (place: OwnPlace) => boolean) => {
    for (const place of await placesOf(isIt)) await members.forget(place);
  };

  return [
    {
      name: 'own-settings',
      tables: ['member-settings'],
      holds: text('kept.own-settings'),
      member: {
        async describe(userId) {
          const { length: places } = await placesOf((place) => place.userId === userId);
          return places > 0 ? text('kept.own-settings.now', { places }) : undefined;
        },
        forget: (userId) => clear((place) => place.userId === userId),
      },
      server: {
        staysWhileThere: true,
        describe: async () => undefined,
        forget: (guildId) => clear((place) => place.guildId === guildId),
        ids: async () => (await members.places()).flatMap(({ guildId }) => guildId ?? []),
      },
    },
    {
      name: 'use',
      tables: ['spending_days', 'spending_reservations'],
      holds: text('kept.use', { free: isUncounted ? 'yes' : 'no' }),
      member: {
        describe: async (userId) => describeUse(await spending.kept({ userId }), isUncounted),
        forgetting: async (userId) => forgettingUse(await spending.kept({ userId }), 'member', isUncounted),
        forget: (userId) => spending.forget({ userId }),
      },
      server: {
        describe: async (guildId) => describeUse(await spending.kept({ guildId }), isUncounted),
        forgetting: async (guildId) => forgettingUse(await spending.kept({ guildId }), 'server', isUncounted),
        forget: (guildId) => spending.forget({ guildId }),
        ids: spending.keptServers,
      },
    },
    {
      name: 'queue',
      // The table 'forgotten-members' holds an id for two minutes, so that other processes delete the member's texts,
      // too.
      tables: ['accepted-texts', 'accepted-words', 'accepted-purchases', 'forgotten-members'],
      holds: text('kept.queue'),
      member: {
        async describe(userId) {
          const { waiting, spoken, offered, mayBeElsewhere } = memberTexts.count(userId);
          const parts: Text[] = [];
          if (waiting > 0) parts.push(text('kept.queue.waiting', { count: waiting }));
          if (spoken > 0) parts.push(text('kept.queue.spoken', { count: spoken }));
          if (offered > 0) parts.push(text('kept.queue.offered', { count: offered }));
          if (mayBeElsewhere) parts.push(text('kept.queue.elsewhere'));
          return parts.length > 0 ? { list: parts } : undefined;
        },
        forget: (userId) => memberTexts.forget(userId),
      },
    },
    {
      name: 'opt-out',
      tables: ['opt-outs'],
      holds: text('kept.opt-out'),
      member: {
        isSpeechOrder: true,
        describe: async (userId) => ((await optOuts.has(userId)) ? text('kept.opt-out.now') : undefined),
        forget: async (userId) => void (await optOuts.set(userId, false)),
      },
    },
    ...(keepsAudio ? [{ name: 'sound', tables: [], holds: text('kept.sound', { days: AUDIO_KEPT_DAYS, free }) }] : []),
    { name: 'moderation-log', tables: [], holds: text('kept.moderation-log', { free }) },
    {
      name: 'server-settings',
      tables: ['server-settings'],
      holds: text('kept.server-settings'),
      server: {
        async describe(guildId) {
          const { length: count } = Object.keys(await settings.get(guildId));
          return count > 0 ? text('kept.server-settings.now', { count }) : undefined;
        },
        forget: (guildId) => settings.forget(guildId),
        ids: () => keysOf('server-settings'),
      },
    },
    {
      name: 'dictionary',
      tables: ['server-dictionary'],
      holds: text('kept.dictionary'),
      server: {
        async describe(guildId) {
          const { length: entries } = await dictionaries.entries(guildId);
          return entries > 0 ? text('kept.dictionary.now', { entries }) : undefined;
        },
        forget: async (guildId) => void (await dictionaries.change(guildId, () => [])),
        ids: () => keysOf('server-dictionary'),
      },
    },
    {
      name: 'notices',
      tables: ['welcomes', 'departures'],
      holds: text('kept.notices'),
      server: {
        // Without the record that the bot has introduced itself to a server, it would do so again.
        staysWhileThere: true,
        describe: async () => undefined,
        forget: (guildId) => store.table('welcomes', z.unknown()).delete(guildId),
        ids: () => keysOf('welcomes'),
      },
    },
    {
      name: 'bot',
      tables: ['account-watch', 'identify-turns', 'left-places', 'spending_rates'],
      holds: text('kept.bot', { free }),
    },
  ];
}

const isAny = ({ credits, cached }: Usage) => credits + cached > 0;

const countedText = (credits: number, isUncounted: boolean): Text =>
  isUncounted ? text('kept.use.counted') : text('kept.use.credits', { credits });

function describeUse({ before, today, staysLonger }: KeptUsage, isUncounted: boolean): Text | undefined {
  if (!isAny(before) && !isAny(today)) return undefined;
  if (!staysLonger || !isAny(before)) {
    const ends = staysLonger ? 'no' : 'yes';
    return text('kept.use.today', { what: countedText(today.credits, isUncounted), ends });
  }
  return text('kept.use.now', { what: countedText(before.credits + today.credits, isUncounted) });
}

/** Today's usage stays until the day is over: otherwise, members could exceed the daily limits by deleting their usage. */
function forgettingUse({ before, today, staysLonger }: KeptUsage, whose: 'member' | 'server', isUncounted: boolean) {
  const values = { whose, what: countedText(today.credits, isUncounted), free: isUncounted ? 'yes' : 'no' };
  const later = {
    ifForgotten: text('forget.today', { ...values, asked: 'yes' }),
    onceForgotten: text('forget.today', { ...values, asked: 'no' }),
  };
  return {
    atOnce: isAny(before) ? text('kept.use.before', { what: countedText(before.credits, isUncounted) }) : undefined,
    later: isAny(today) ? later : undefined,
    isDone: !staysLonger,
  };
}

/** The ids of servers with stored data; an id may appear several times. Rejects with a StoreError. */
export async function keptServers(all: readonly KeptData[]): Promise<readonly string[]> {
  return (await Promise.all(all.map(({ server }) => server?.ids?.() ?? []))).flat();
}

/** Deletes a server's data. Rejects with a StoreError if some data remains. */
export async function forgetServer(all: readonly KeptData[], guildId: string): Promise<void> {
  for (const { server } of all) await server?.forget(guildId);
}

interface DeparturesOptions {
  readonly store: Store;
  /** The bot's servers, including those with an outage; undefined before Discord has listed them. */
  readonly present: () => ReadonlySet<string> | undefined;
  /** True for servers of this process; other processes of the bot handle the rest. */
  readonly concerns: (guildId: string) => boolean;
  readonly keptServers: () => Promise<Iterable<string>>;
  readonly forget: (guildId: string) => Promise<void>;
  readonly log: Logger;
}

const DAY_MS = 24 * 60 * 60_000;

/** Stores when the bot left servers, and deletes their data unless the bot is invited again in time. */
export function createDepartures({ store, present, concerns, keptServers, forget, log }: DeparturesOptions) {
  const marks = store.table('departures', z.object({ leftAtMs: z.number() }));
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let last: Promise<void> = Promise.resolve();

  /** Runs one task at a time: otherwise, a server's data could be deleted while the bot's return is being recorded. */
  function inTurn(what: string, work: () => Promise<void>): Promise<void> {
    last = last.then(async () => {
      if (closed) return;
      // The error of a failed task is only logged, because the daily check finds the server and tries again.
      await work().catch((error: unknown) => log.warn({ err: error }, `Could not ${what}: retrying within a day`));
    });
    return last;
  }

  async function deleteDue(here: ReadonlySet<string>): Promise<void> {
    for (const guildId of (await marks.keys()).filter(concerns)) {
      if (here.has(guildId)) {
        await marks.delete(guildId);
        continue;
      }
      const mark = await marks.get(guildId);
      // The present time replaces an unreadable time: deleting data too late is better than too early.
      if (!mark) await marks.set(guildId, { leftAtMs: Date.now() });
      if (!mark || Date.now() < mark.leftAtMs + KEPT_AFTER_LEAVING_MS) continue;
      await forget(guildId);
      await marks.delete(guildId);
      log.info({ guildId }, `Deleted the data of a server left ${KEPT_AFTER_LEAVING_DAYS} days ago`);
    }
  }

  /** Records the departure from servers that removed the bot while the bot or the store was down. */
  async function markUnnoticed(here: ReadonlySet<string>): Promise<void> {
    const marked = new Set(await marks.keys());
    for (const guildId of new Set(await keptServers())) {
      if (!concerns(guildId) || here.has(guildId) || marked.has(guildId)) continue;
      await marks.set(guildId, { leftAtMs: Date.now() });
      log.info({ guildId }, `Removed from a server: deleting its data in ${KEPT_AFTER_LEAVING_DAYS} days`);
    }
  }

  /** Deletes the data of servers that the bot left long enough ago, and records unnoticed departures. Never rejects. */
  const sweep = () =>
    inTurn('delete left servers’ data', async () => {
      const here = present();
      if (!here) return;
      await deleteDue(here);
      await markUnnoticed(here);
    });

  return {
    /** Records that the bot was removed from a server. Must not be called for an outage. Never rejects. */
    left: (guildId: string) =>
      inTurn('record leaving a server', async () => {
        if (!present()?.has(guildId)) await marks.set(guildId, { leftAtMs: Date.now() });
      }),
    returned: (guildId: string) => inTurn('record rejoining a server', () => marks.delete(guildId)),
    sweep,
    start() {
      timer ??= setInterval(() => void sweep(), DAY_MS).unref();
      return sweep();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await last;
    },
  };
}
