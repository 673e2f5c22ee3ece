import type { Logger } from 'pino';
import * as z from 'zod';
import { UserError } from '../../errors/user-errors.ts';
import { type Text, type TextList, text } from '../../texts/catalog.ts';
import type { Ownership } from '../cells/ownership.ts';
import type { GuildSpeakers } from '../playback/guild-speakers.ts';
import type { OptOuts } from '../servers/admission.ts';
import type { Settings } from '../servers/server-settings.ts';
import type { LimitSubject } from '../spending/ledger.ts';
import type { KeptUsage, Spending, Usage } from '../spending/spending.ts';
import type { Store } from '../storage/store.ts';
import { AUDIO_KEPT_DAYS } from '../synthesis/disk-cache.ts';
import type { ServerDictionaries } from '../text/dictionary.ts';
import type { Pending } from '../time/timers.ts';
import type { MemberSettings, OwnPlace } from '../voices/voices.ts';

interface Keeping {
  /** The stored data in words; undefined if there is none. Rejects with a StoreError. */
  describe(id: string): Promise<Text | TextList | undefined>;
  forget(id: string): Promise<void>;
  /** Tells which data forget() deletes later; absent if it deletes all at once. Rejects with a StoreError. */
  forgetting?(id: string): Promise<ReturnType<typeof forgettingUse>>;
}

export interface KeptData {
  /** Database tables with this kind of data; empty if the data is outside the database. */
  readonly tables: readonly string[];
  readonly holds: Text;
  readonly member?: Keeping & {
    /** True for an opt-out, which is deleted only on explicit request. */
    readonly isSpeechOrder?: boolean;
  };
  /** If `describe` always resolves with undefined, the data is deleted only after the bot leaves the server. */
  readonly server?: Keeping & {
    /** The ids of servers with such data; an id may appear several times. Rejects with a StoreError. */
    ids(): Promise<readonly string[]>;
  };
}

interface KeptDataSources {
  readonly store: Store;
  readonly settings: Settings;
  readonly members: MemberSettings;
  readonly dictionaries: ServerDictionaries;
  readonly optOuts: OptOuts;
  readonly spending: Spending;
  readonly speakers: GuildSpeakers;
  readonly pending: Pending<object>;
  readonly ownership: Ownership;
  readonly keepsAudio: boolean;
  readonly isFree: boolean;
  /** True if credits are limited: usage is then shown even if speech is free. */
  readonly isLimited: boolean;
  readonly log: Logger;
}

export function createPrivacy(sources: KeptDataSources) {
  const { store, optOuts, ownership, log } = sources;
  ownership.forgotten.onTold((userId) => {
    forgetTexts(sources, userId).catch((error: unknown) =>
      log.warn({ err: error }, '/forget could not delete queued texts: they may stay stored'),
    );
  });
  return {
    kept: listKeptData(sources),
    optOuts,
    /** Erases deleted data from the database's write-ahead log. Throws if another program reads the database. */
    eraseDeleted: store.eraseDeleted,
  };
}

export type Privacy = ReturnType<typeof createPrivacy>;

/** Deletes a member's texts of this process, which other processes may also have. Rejects with a StoreError. */
async function forgetTexts({ speakers, pending }: KeptDataSources, userId: string): Promise<void> {
  speakers.forgetMember(userId);
  speakers.files.end((file) => file.userId === userId, new UserError(text('question.canceled')));
  pending.forgetMember(userId);
  await speakers.unspoken.forgetMember(userId);
}

/** Every kind of stored data must be in this list: /privacy, /forget and leaving a server use it. */
export function listKeptData(sources: KeptDataSources): readonly KeptData[] {
  const { store, settings, members, dictionaries, optOuts, spending, speakers, pending, ownership } = sources;
  const free = sources.isFree ? 'yes' : 'no';
  const isUncounted = sources.isFree && !sources.isLimited;
  const keysOf = (table: string) => store.table(table, z.unknown()).keys();
  const placesOf = async (isIt: (place: OwnPlace) => boolean) => (await members.places()).filter(isIt);
  const clear = async (isIt: (place: OwnPlace) => boolean) => {
    for (const place of await placesOf(isIt)) await members.forget(place);
  };

  const use = (whose: 'member' | 'server', subjectOf: (id: string) => LimitSubject): Keeping => ({
    describe: async (id) => describeUse(await spending.kept(subjectOf(id)), isUncounted),
    forgetting: async (id) => forgettingUse(await spending.kept(subjectOf(id)), whose, isUncounted),
    forget: (id) => spending.forget(subjectOf(id)),
  });

  return [
    {
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
        describe: async () => undefined,
        forget: (guildId) => clear((place) => place.guildId === guildId),
        ids: async () => (await members.places()).flatMap(({ guildId }) => guildId ?? []),
      },
    },
    {
      tables: ['spending_days', 'spending_reservations'],
      holds: text('kept.use', { free: isUncounted ? 'yes' : 'no' }),
      member: use('member', (userId) => ({ guildId: '', userId })),
      server: { ...use('server', (guildId) => ({ guildId, userId: '' })), ids: spending.keptServers },
    },
    {
      // The table 'forgotten-members' holds an id for two minutes, so that other processes delete the member's texts,
      // too.
      tables: ['accepted-texts', 'accepted-words', 'accepted-purchases', 'forgotten-members'],
      holds: text('kept.queue'),
      member: {
        async describe(userId) {
          const { waiting: queued, spoken } = speakers.ofMember(userId);
          const waiting = queued + speakers.unspoken.countOf(userId);
          const offered = pending.countOf(userId);
          const parts: Text[] = [];
          if (waiting > 0) parts.push(text('kept.queue.waiting', { count: waiting }));
          if (spoken > 0) parts.push(text('kept.queue.spoken', { count: spoken }));
          if (offered > 0) parts.push(text('kept.queue.offered', { count: offered }));
          if (ownership.isShared) parts.push(text('kept.queue.elsewhere'));
          return parts.length > 0 ? { list: parts } : undefined;
        },
        /** Rejects with a StoreError if another process may still have some of the member's texts. */
        async forget(userId) {
          await forgetTexts(sources, userId);
          await ownership.forgotten.tell(userId);
        },
      },
    },
    {
      tables: ['opt-outs'],
      holds: text('kept.opt-out'),
      member: {
        isSpeechOrder: true,
        describe: async (userId) => ((await optOuts.has(userId)) ? text('kept.opt-out.now') : undefined),
        forget: async (userId) => void (await optOuts.set(userId, false)),
      },
    },
    ...(sources.keepsAudio ? [{ tables: [], holds: text('kept.sound', { days: AUDIO_KEPT_DAYS, free }) }] : []),
    { tables: [], holds: text('kept.moderation-log', { free }) },
    {
      tables: ['server-settings'],
      holds: text('kept.server-settings'),
      server: {
        async describe(guildId) {
          const { length: count } = Object.keys(await settings.get(guildId));
          return count > 0 ? text('kept.server-settings.now', { count }) : undefined;
        },
        forget: async (guildId) => void (await settings.change(guildId, () => ({}))),
        ids: () => keysOf('server-settings'),
      },
    },
    {
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
      tables: ['welcomes', 'departures'],
      holds: text('kept.notices'),
      server: {
        // Without the record that the bot has introduced itself to a server, it would do so again.
        describe: async () => undefined,
        forget: (guildId) => store.table('welcomes', z.unknown()).delete(guildId),
        ids: () => keysOf('welcomes'),
      },
    },
    {
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
    /** Data that is deleted only later, with the reason. */
    later: isAny(today) ? later : undefined,
    /** True if all stored data that can be deleted at once has been deleted. */
    isDone: !staysLonger,
  };
}

interface DeparturesOptions {
  readonly store: Store;
  /** The bot's servers, including those with an outage; undefined before Discord has listed them. */
  readonly present: () => ReadonlySet<string> | undefined;
  /** True for servers of this process; other processes of the bot handle the rest. */
  readonly concerns: (guildId: string) => boolean;
  readonly kept: readonly KeptData[];
  readonly log: Logger;
}

const DAY_MS = 24 * 60 * 60_000;
/** How long a server's data is kept after the bot left, as /privacy says: the removal may be a mistake. */
const KEPT_AFTER_LEAVING_DAYS = 30;

/** Stores when the bot left servers, and deletes their data unless the bot is invited again in time. */
export function createDepartures({ store, present, concerns, kept, log }: DeparturesOptions) {
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
      if (!mark || Date.now() < mark.leftAtMs + KEPT_AFTER_LEAVING_DAYS * DAY_MS) continue;
      for (const { server } of kept) await server?.forget(guildId);
      await marks.delete(guildId);
      log.info({ guildId }, `Deleted the data of a server left ${KEPT_AFTER_LEAVING_DAYS} days ago`);
    }
  }

  /** Records the departure from servers that removed the bot while the bot or the store was down. */
  async function markUnnoticed(here: ReadonlySet<string>): Promise<void> {
    const marked = new Set(await marks.keys());
    const ids = await Promise.all(kept.map(({ server }) => server?.ids() ?? []));
    for (const guildId of new Set(ids.flat())) {
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
