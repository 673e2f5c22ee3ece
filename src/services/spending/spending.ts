import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StoreError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { repeat } from '../storage/repeated-work.ts';
import type { Sql } from '../storage/sql.ts';
import {
  type Counted,
  createLedger,
  dayAt,
  endOfNextMonth,
  fits,
  type LimitSubject,
  type Subject,
  type Use,
} from './ledger.ts';
import {
  creditsLeft,
  EVERYBODY,
  type Limit,
  limitsOn,
  MILLI,
  type OwnerLimits,
  refusal,
  type ServerLimits,
  type SpendingLimitError,
  tightest,
} from './limits.ts';
import { createPrices } from './prices.ts';

export interface BilledText {
  readonly model: string;
  /** The characters that are billed: with tags, and with the style if it counts (`requestCharacters`). */
  readonly characters: number;
}

interface Spender {
  /** Undefined in direct messages. Servers that the bot is not in count like those. */
  readonly guildId?: string | undefined;
  readonly userId: string;
}

interface SpendingRequest extends BilledText, Spender {
  /**
   * The requests of the same text that are to follow, perhaps by other models. The limits must allow all of them, so that the
   * text is not paid for in part and then refused; their credits are reserved as each of them is sent.
   */
  readonly toFollow?: readonly BilledText[] | undefined;
}

/** What the answer says it cost; a SpeechResult is one. */
interface Bill {
  readonly creditsUsed: number;
  readonly inputCharacters?: number;
  /** The voice that spoke in the place of another. */
  readonly spokenBy?: string;
}

/** Credits and requests of one day or month of UTC. */
export interface Usage {
  /** Settled, reserved, and of lost answers. */
  readonly credits: number;
  /** Texts that were spoken from the cache, for nothing. */
  readonly cached: number;
}

export interface SubjectUsage {
  readonly today: Usage;
  readonly month: Usage;
  readonly limit: number;
}

export type Spending = Awaited<ReturnType<typeof openSpending>>;
/**
 * Credits reserved for one request that is about to be sent. Exactly one of settle(), release() and unknown() ends it, further
 * ones do nothing. None of these rejects: a failure of the store is logged, and the end is written again until it works; the
 * amount is counted until then.
 */
export type Reservation = Awaited<ReturnType<Spending['reserve']>>;
export type KeptUsage = Awaited<ReturnType<Spending['kept']>>;
export type UsageOverview = Awaited<ReturnType<Spending['overview']>>;

export interface SpendingOptions {
  readonly sql: Sql;
  readonly limits: OwnerLimits;
  /** Credits for a character by model, if they are known before any bill. */
  readonly prices: ReadonlyMap<string, number>;
  /** What a server's admins allow. Rejects with a StoreError, and then nothing is spent there. */
  readonly limitsFor: (guildId: string) => Promise<ServerLimits>;
  readonly isIn: (guildId: string) => boolean;
  readonly onBilled: (credits: number) => void;
  /** Runs with the credits that stay counted for a request whose answer was lost. */
  readonly onLost: (credits: number) => void;
  /** Writes to the owners; its failures are logged here. */
  readonly notify: (message: Text) => Promise<void>;
  readonly log: Logger;
  readonly now?: () => number;
  /** Before the first repetition of what the database did not take. */
  readonly firstPauseMs?: number;
}

/** Between two attempts to write down what became of a reservation; doubles with each one. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** How often the ledger is searched for what processes that ended have left. */
const TIDY_EVERY_MS = 5_000;
/** How many times the characters that were sent a service may say that it billed. */
const MAX_TIMES_THE_CHARACTERS = 10;
const ID_LIMIT = 2 ** 48 - 1;
/** By then, a database has ended a statement that was given up. */
const SETTLED_AFTER_MS = 2_000;
/** Before and after any day with figures. */
const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';

/**
 * Limits over a ledger. Credits are reserved before a request is sent, and the ledger never reserves what would take
 * the sum of billed and reserved credits of a day past a limit, however many ask at once. The cost of a text is known only
 * from its bill: the reservation goes by the last bill for the same model. If the bill is higher, the day ends over its limit
 * by that difference, and no more are reserved.
 *
 * Reservations of a process that died stay counted once their request was sent, as it may have been billed: rather too much
 * than too little. Only a machine that loses its power can lose the last moments' figures (SQLite with synchronous = NORMAL).
 *
 * Whatever asks the database rejects with a StoreError.
 */
export async function openSpending(options: SpendingOptions) {
  const { limits, isIn, log, now = Date.now, firstPauseMs = FIRST_PAUSE_MS } = options;
  const ledger = createLedger(options.sql);
  const kept = await ledger.rates().catch((error: unknown) => {
    log.error({ err: error }, 'Could not load past bills: assuming one credit per character');
    return new Map();
  });
  const prices = createPrices({ kept, stated: options.prices, keep: ledger.keepRate });
  const writing = new Set<Promise<void>>();
  const closing = new AbortController();
  let prunedOn = '';
  const isFirstWarning = onceADay(now);
  const isFirstBadBill = onceADay(now);

  /** Takes over from processes that ended, and deletes outdated figures once a day. */
  async function tidy(): Promise<void> {
    const { lost, released } = await ledger.recover();
    if (lost > 0) log.warn({ lost }, 'Texts in flight when a process ended stay counted as billed');
    if (released > 0) log.info({ released }, 'Texts not sent when a process ended are released');
    const { day } = dayAt(now());
    if (prunedOn !== day) await ledger.prune(day);
    prunedOn = day;
  }

  const endTidying = repeat(TIDY_EVERY_MS, tidy, (error) =>
    log.error({ err: error }, 'Could not release unused reservations or delete old usage yet'),
  );

  /**
   * Writes what became of one reservation, again and again while the database does not take it: its file is locked, or the disk
   * is full. Never rejects.
   */
  function write(what: string, work: () => Promise<unknown>): Promise<void> {
    const written = writeUntilTaken(what, work).finally(() => writing.delete(written));
    writing.add(written);
    return written;
  }

  async function writeUntilTaken(what: string, work: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      const isLast = closing.signal.aborted;
      try {
        await work();
        return;
      } catch (error) {
        if (isLast) {
          log.error({ err: error }, 'Reserved credits stay counted as billed until the end of their day (UTC)');
          return;
        }
        log.error({ err: error, pauseMs }, `The store could not ${what}: the reservation stays counted until it can`);
      }
      // Ended early by the end of the process, for a last attempt.
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  const subjectOf = ({ guildId, userId }: Spender): LimitSubject => ({
    guildId: guildId !== undefined && isIn(guildId) ? guildId : '',
    userId,
  });

  async function limitsOf(subject: LimitSubject): Promise<Limit[]> {
    const { guildId } = subject;
    const admins = guildId === '' ? { perServer: undefined, perMember: undefined } : await options.limitsFor(guildId);
    return limitsOn(subject, limits, admins);
  }

  const about = ({ model, characters }: BilledText): number => prices.about(model, characters);

  const sumOf = (texts: readonly BilledText[]): number => texts.reduce((sum, each) => sum + about(each), 0);

  async function reserve(request: SpendingRequest) {
    const { toFollow = [] } = request;
    const subject = subjectOf(request);
    const caps = await limitsOf(subject);
    // The day is read after all waiting, in one go with the transaction.
    const atMs = now();
    const { day } = dayAt(atMs);
    const credits = about(request);
    const needed = credits + sumOf(toFollow);
    const entry = { ...subject, day, millicredits: credits * MILLI, keptUntil: endOfNextMonth(atMs) };
    const id = randomInt(1, ID_LIMIT);
    // What costs nothing is never limited.
    const reserving = ledger.reserve(id, entry, needed === 0 ? [] : caps, (needed - credits) * MILLI);
    reserving.catch(() => releaseInDoubt(id));
    const exceeded = await answered('reserve credits', reserving);
    if (exceeded) throw refused(exceeded, subject, needed);
    return reservation(id, credits, request);
  }

  /** It may have been made although that was not answered. */
  function releaseInDoubt(id: number): void {
    setTimeout(() => {
      if (!closing.signal.aborted) void write('release reserved credits', () => ledger.settle(id, 0));
    }, SETTLED_AFTER_MS).unref();
  }

  /** For its requester, and logged. */
  function refused(uses: readonly Use<Limit>[], { guildId }: LimitSubject, about: number): SpendingLimitError {
    const use = tightest(uses, about);
    const { scope, credits } = use.cap;
    const logged = { limit: scope, credits, left: creditsLeft(use), about, guildId: guildId || undefined };
    if (scope === 'total' && isFirstWarning()) {
      log.warn(logged, 'The total limit of today is reached: raise SPENDING_PER_DAY for more');
    } else {
      log.info(logged, 'A limit on spending was reached');
    }
    return refusal(use, about, dayAt(now()).renewsAtMs);
  }

  function reservation(id: number, reserved: number, request: SpendingRequest) {
    const { model, characters } = request;
    let hasEnded = false;
    async function end(what: string, work: () => Promise<unknown>): Promise<void> {
      if (hasEnded) return;
      hasEnded = true;
      await write(what, work);
    }
    const isPlausible = ({ creditsUsed }: Bill) => creditsUsed <= prices.mostPlausible(characters);
    function unknown(): Promise<void> {
      if (!hasEnded) options.onLost(reserved);
      return end('mark reserved credits as lost', () => ledger.lose(id));
    }
    async function settle(bill: Bill): Promise<void> {
      if (hasEnded) return;
      if (!isPlausible(bill)) {
        tellOfBill(request, bill);
        return unknown();
      }
      const { creditsUsed: credits, inputCharacters = characters, spokenBy } = bill;
      options.onBilled(credits);
      // Rounded up to the unit of the ledger.
      const millicredits = Math.max(0, Math.ceil(Number((credits * MILLI).toFixed(3))));
      const settled = end('write down a bill', () => ledger.settle(id, millicredits));
      // The price changes here, not with the settlement: a bill moves a price once. The bill of another voice says
      // nothing about this model.
      if (spokenBy === undefined) {
        // A service may count differently, but a figure out of all proportion would stand for every text that follows.
        const isCredible = inputCharacters <= characters * MAX_TIMES_THE_CHARACTERS;
        const billed = { characters: isCredible ? inputCharacters : characters, credits };
        await prices.learn(model, billed).catch((error: unknown) => {
          log.warn({ err: error }, 'Could not store a learned price');
        });
      }
      await settled;
    }
    return {
      /** The reserved credits, at the price of the model's last bill. */
      about: reserved,
      /**
       * To be awaited before each attempt to send the request: from then on it may have been billed, whatever becomes of this
       * process. Rejects with a StoreError if it must not be sent.
       */
      confirm: () => answered('mark reserved credits as sent', ledger.confirm(id)),
      isPlausible,
      /** The cost replaces the reserved credits. An implausible bill is counted as lost, and the owner gets a message. */
      settle,
      /** Nothing was billed: never sent, or refused by the service. */
      release: () => end('release reserved credits', () => ledger.settle(id, 0)),
      /** The answer was lost (`creditsMayBeSpent`): the reserved credits stay counted for the day. */
      unknown,
    };
  }

  function tellOfBill({ model, characters }: BilledText, { creditsUsed }: Bill): void {
    log.error({ model, characters, creditsUsed }, 'Ignoring a bill that is far too high');
    if (!isFirstBadBill()) return;
    void options.notify(text('account.absurd-bill', { model })).catch((error: unknown) => {
      log.warn({ err: error }, 'Could not message the owner about a bill that is far too high');
    });
  }

  /** `counted`: from one day to another, both included. */
  async function todayAndMonth(counted: (from: string, to: string) => Promise<Counted>) {
    const { day, firstOfMonth } = dayAt(now());
    const [today, month] = await Promise.all([counted(day, day), counted(firstOfMonth, day)]);
    return { today: usageOf(today), month: usageOf(month) };
  }

  const usageBy = (subject: LimitSubject) => todayAndMonth((from, to) => ledger.used(subject, from, to));

  /** The top subjects of this month, without those that have no counted use left. */
  async function biggest<One extends Subject>(column: 'guild_id' | 'user_id', atMost: number, by: (id: string) => One) {
    const { day, firstOfMonth } = dayAt(now());
    const ids = await ledger.biggest(column, firstOfMonth, day, atMost);
    const all = await Promise.all(
      ids.map(async (id) => ({ ...by(id), ...(await usageBy({ ...EVERYBODY, ...by(id) })) })),
    );
    return all.filter(({ month }) => month.credits + month.cached > 0);
  }

  async function report(atMost: number) {
    const outside = async (from: string, to: string) =>
      difference(await ledger.used(EVERYBODY, from, to), await ledger.usedInServers(from, to));
    const [servers, members, outsideServers, { requests, millicredits }] = await Promise.all([
      biggest('guild_id', atMost, (guildId) => ({ guildId })),
      biggest('user_id', atMost, (userId) => ({ userId })),
      todayAndMonth(outside),
      ledger.unknownOn(dayAt(now()).day),
    ]);
    const unknownToday = { requests, credits: Math.ceil(millicredits / MILLI) };
    return {
      servers,
      /** By their use in all servers and direct messages. */
      members,
      /** Used in direct messages, or in servers whose figures have been deleted. */
      outsideServers,
      /**
       * Counted as expected: their answer was lost, or a dead process had sent them. The account may have been billed for them
       * or not.
       */
      unknownToday,
    };
  }

  async function overview(who: Spender) {
    const all = await limitsOf(subjectOf(who));
    const [member, memberEverywhere, server, total] = await Promise.all(
      (['member-here', 'member', 'server', 'total'] as const).map(async (scope) => {
        const limit = all.find((one) => one.scope === scope);
        return limit && { ...(await usageBy(limit)), limit: limit.credits };
      }),
    );
    if (!memberEverywhere || !total) throw new Error('These limits hold for everybody');
    return {
      /** In this server, or everywhere in direct messages. */
      member: member ?? memberEverywhere,
      memberEverywhere,
      /** Undefined in direct messages, and in servers that the bot is not in. */
      server,
      total,
      /** When the next day begins, in milliseconds since 1970. */
      renewsAtMs: dayAt(now()).renewsAtMs,
    };
  }

  async function keptOf(subject: Subject) {
    const all = { ...EVERYBODY, ...subject };
    const { day } = dayAt(now());
    const [total, today, staysLonger] = await Promise.all([
      ledger.used(all, FIRST_DAY, LAST_DAY),
      ledger.used(all, day, LAST_DAY),
      ledger.keepsLonger(subject, day),
    ]);
    return {
      /** The use of earlier days: deleted as soon as it should be forgotten. */
      before: usageOf(difference(total, today)),
      /** Counts toward today's limits: goes when the day is over at the earliest. */
      today: usageOf(today),
      /** Whether any of it is kept longer than today. */
      staysLonger,
    };
  }

  return {
    /** What admins may lower for their server, and not raise. */
    ownerLimits: limits,
    /** Right before the request is sent. Rejects with a SpendingLimitError if a limit would be passed. */
    reserve,
    /** Rejects like `reserve` if that would be refused now for these texts together; nothing is reserved. */
    async mustAllow(who: Spender, texts: readonly BilledText[]) {
      const needed = sumOf(texts);
      if (needed === 0) return;
      const subject = subjectOf(who);
      const caps = await limitsOf(subject);
      const uses = await answered('read what was used', ledger.uses(dayAt(now()).day, subject, caps));
      if (uses.some((use) => !fits(use, needed * MILLI))) throw refused(uses, subject, needed);
    },
    /** Something was spoken from the cache. Never rejects. */
    async cached(who: Spender) {
      const entry = { ...subjectOf(who), day: dayAt(now()).day, keptUntil: endOfNextMonth(now()) };
      await ledger.countCached(entry).catch((error: unknown) => {
        log.warn({ err: error }, 'Could not count a free text');
      });
    },
    /** What these will cost together, from what was billed before; undefined until each of their models was billed. */
    estimateCredits(texts: readonly BilledText[]) {
      let sum = 0;
      for (const each of texts) {
        const credits = prices.estimate(each.model, each.characters);
        if (credits === undefined) return undefined;
        sum += credits;
      }
      return { about: sum };
    },
    overview: (who: Spender) => answered('read what was used', overview(who)),
    /** For the owner: up to this many servers and members. */
    report: (atMost: number) => answered('read what was used', report(atMost)),
    /** All that is still counted, of earlier months too. */
    kept: (subject: Subject) => answered('read what was used', keptOf(subject)),
    /** The servers for which something is still counted. */
    keptServers: () =>
      answered('read what was used', ledger.biggest('guild_id', FIRST_DAY, LAST_DAY, Number.MAX_SAFE_INTEGER)),
    /** What counts toward today's limits goes when the day is over. */
    forget: (subject: Subject) => answered('forget what was used', ledger.forget(subject, dayAt(now()).day)),
    /** Writes down what the database refused so far, once more. Never rejects. Idempotent. */
    async close() {
      endTidying();
      closing.abort();
      await Promise.all(writing);
    },
  };
}

function onceADay(now: () => number): () => boolean {
  let last = '';
  return () => {
    const { day } = dayAt(now());
    const isFirst = day !== last;
    last = day;
    return isFirst;
  };
}

const usageOf = ({ millicredits, cached }: Counted): Usage => ({ credits: Math.ceil(millicredits / MILLI), cached });

const difference = (all: Counted, part: Counted): Counted => ({
  millicredits: all.millicredits - part.millicredits,
  cached: all.cached - part.cached,
});

async function answered<Result>(what: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new StoreError(`The store could not ${what}`, { cause: error });
  }
}
