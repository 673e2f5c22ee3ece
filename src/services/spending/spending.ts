import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StoreError, type UserError } from '../../errors/user-errors.ts';
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
  MILLI,
  onceADay,
  type Use,
} from './ledger.ts';
import {
  createPrices,
  creditsLeft,
  EVERYBODY,
  isMembers,
  type Limit,
  limitsOn,
  type OwnerLimits,
  refusal,
  type ServerLimits,
  tightest,
} from './limits.ts';

export interface BilledText {
  readonly model: string;
  /** Characters that the service bills: with tags, and with the style if it is billed (`requestCharacters`). */
  readonly characters: number;
}

interface Spender {
  /** Undefined in direct messages. Servers that the bot is not in count as direct messages. */
  readonly guildId?: string | undefined;
  readonly userId: string;
}

interface SpendingRequest extends BilledText, Spender {
  /** The later parts of the text. Limits must allow their credits, too, although only the requested part's are reserved. */
  readonly toFollow: readonly BilledText[];
}

interface Bill {
  readonly creditsUsed: number;
  readonly inputCharacters?: number;
  /** The voice that the speech service used instead of the requested voice. */
  readonly spokenBy?: string;
}

export type Usage = Readonly<ReturnType<typeof usageOf>>;
export type Spending = Awaited<ReturnType<typeof openSpending>>;
/** Credits reserved for one request. settle(), release() and unknown() never reject: failed writes are repeated. */
export type Reservation = Awaited<ReturnType<Spending['reserve']>>;
export type KeptUsage = Awaited<ReturnType<Spending['kept']>>;
export type UsageOverview = Awaited<ReturnType<Spending['overview']>>;

export interface SpendingOptions {
  readonly sql: Sql;
  readonly limits: OwnerLimits;
  /** Credits per character by model, for models whose price is known before any bill. */
  readonly prices: ReadonlyMap<string, number>;
  /** If a server's limits cannot be read (StoreError), nothing is spent in the server. */
  readonly limitsFor: (guildId: string) => Promise<ServerLimits>;
  readonly isIn: (guildId: string) => boolean;
  readonly onBilled: (credits: number) => void;
  /** Called when the answer to a paid request was lost, with the credits that stay counted for the request. */
  readonly onLost: (credits: number) => void;
  /** Messages the bot's owner. Never rejects: if no owner can be reached, `failure` is logged. */
  readonly notify: (message: Text, failure: string) => Promise<void>;
  readonly log: Logger;
}

/** How long to wait before a failed database write is repeated for the first time; doubles with each repetition. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** How often to look for reserved credits of ended processes. */
const TIDY_EVERY_MS = 5_000;
/** A bill's character count is ignored if it is more than this many times the number of sent characters. */
const MAX_TIMES_THE_CHARACTERS = 10;
const ID_LIMIT = 2 ** 48 - 1;
/** How long until a failed reservation is released: by then, the database has ended the statement. */
const SETTLED_AFTER_MS = 2_000;
const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';

/**
 * Enforces the spending limits. Credits are reserved before a request is sent, so billed and reserved credits of a day
 * never exceed a limit together. A reservation uses the model's last price: if a bill is higher, the day may end above
 * its limit.
 *
 * If a process dies, its sent requests stay counted because they may have been billed. Only a power failure can lose
 * the last figures (SQLite with synchronous = NORMAL). Functions that query the database reject with a StoreError.
 */
export async function openSpending(options: SpendingOptions) {
  const { limits, isIn, log } = options;
  const ledger = createLedger(options.sql);
  const kept = await ledger.prices().catch((error: unknown) => {
    log.error({ err: error }, 'Could not load past costs: estimating one credit per character');
    return new Map();
  });
  const prices = createPrices({ kept, stated: options.prices, keep: ledger.keepRate });
  const writing = new Set<Promise<void>>();
  const closing = new AbortController();
  let prunedOn = '';
  const isFirstWarning = onceADay();
  const isFirstBadBill = onceADay();

  async function tidy(): Promise<void> {
    const { lost, released } = await ledger.recover();
    if (lost > 0) log.warn({ requests: lost }, 'An earlier process ended during requests: counting them as billed');
    if (released > 0)
      log.info({ requests: released }, 'An earlier process ended before sending requests: not counting them');
    const { day } = dayAt(Date.now());
    if (prunedOn !== day) await ledger.prune(day);
    prunedOn = day;
  }

  const endTidying = repeat(TIDY_EVERY_MS, tidy, (error) =>
    log.error({ err: error }, 'Could not settle or delete old spending figures: retrying soon'),
  );

  /** Repeats a write while the database fails, for example because the disk is full. Never rejects. */
  function write(what: string, work: () => Promise<unknown>): Promise<void> {
    const written = writeUntilTaken(what, work).finally(() => writing.delete(written));
    writing.add(written);
    return written;
  }

  async function writeUntilTaken(what: string, work: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      const isLast = closing.signal.aborted;
      try {
        await work();
        return;
      } catch (error) {
        if (isLast) {
          log.error({ err: error }, 'Spending not stored at shutdown: estimates count instead of bills');
          return;
        }
        log.error({ err: error, pauseMs }, `Could not ${what}: retrying, its estimate counts until then`);
      }
      // During close(), the pause before the next database write ends early for one last attempt.
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

  const costOf = (...texts: readonly BilledText[]): number =>
    texts.reduce((sum, { model, characters }) => sum + prices.about(model, characters), 0);

  async function reserve(request: SpendingRequest) {
    const subject = subjectOf(request);
    const caps = await limitsOf(subject);
    // The day is read after the last `await`, so that the reservation counts for the day on which it is stored.
    const atMs = Date.now();
    const { day } = dayAt(atMs);
    const credits = costOf(request);
    const needed = credits + costOf(...request.toFollow);
    const entry = { ...subject, day, millicredits: credits * MILLI, keptUntil: endOfNextMonth(atMs) };
    const id = randomInt(1, ID_LIMIT);
    const reserving = ledger.reserve(id, entry, needed === 0 ? [] : caps, (needed - credits) * MILLI);
    reserving.catch(() => {
      setTimeout(() => {
        // The database may have stored the reservation before its answer was lost.
        if (!closing.signal.aborted) void write('release credits', () => ledger.settle(id, 0));
      }, SETTLED_AFTER_MS).unref();
    });
    const { isReserved, used } = await answered('reserve credits', reserving);
    if (!isReserved) throw refused(used, subject, needed);
    return reservation(id, credits, request, used);
  }

  function refused(uses: readonly Use<Limit>[], { guildId }: LimitSubject, about: number): UserError {
    const use = tightest(uses, about);
    const { scope, credits } = use.cap;
    const logged = {
      limit: scope,
      limitCredits: credits,
      creditsLeft: creditsLeft(use),
      creditsNeeded: about,
      guildId: guildId || undefined,
    };
    if (scope === 'total' && isFirstWarning()) {
      log.warn(
        { ...logged, remedy: 'Raise SPENDING_PER_DAY' },
        'Total spending limit reached: refusing uncached texts until midnight UTC',
      );
    } else {
      log.info(logged, 'A spending limit was reached: refused a text');
    }
    return refusal(use, about, dayAt(Date.now()).renewsAtMs);
  }

  function reservation(id: number, reserved: number, request: SpendingRequest, used: readonly Use<Limit>[]) {
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
      return end('record lost credits', () => ledger.lose(id));
    }
    async function settle(bill: Bill): Promise<void> {
      if (hasEnded) return;
      const { creditsUsed: credits, inputCharacters = characters, spokenBy } = bill;
      if (!isPlausible(bill)) {
        log.error(
          { model, characters, creditsUsed: credits },
          'A request’s bill is implausibly high: counting the expected cost',
        );
        const message = text('account.absurd-bill', { model });
        if (isFirstBadBill()) void options.notify(message, 'Could not message the owner about an implausible bill');
        return unknown();
      }
      options.onBilled(credits);
      // The ledger counts in thousandths of a credit, so a bill is rounded up to them.
      const millicredits = Math.max(0, Math.ceil(Number((credits * MILLI).toFixed(3))));
      const settled = end('store a bill', () => ledger.settle(id, millicredits));
      // The model's price is learned only if the requested voice spoke, and only once: the bill's write may repeat.
      if (spokenBy === undefined) {
        // The service may count a text's characters differently, but an absurd count would make the price wrong.
        const isCredible = inputCharacters <= characters * MAX_TIMES_THE_CHARACTERS;
        const billed = { characters: isCredible ? inputCharacters : characters, credits };
        await prices.learn(model, billed).catch((error: unknown) => {
          log.warn({ err: error }, 'Could not store a voice model’s price: restarts forget it');
        });
      }
      await settled;
    }
    return {
      about: reserved,
      /** Must be awaited before each attempt to send the request. If it rejects, the request must not be sent. */
      confirm: () => answered('mark reserved credits as sent', ledger.confirm(id)),
      isPlausible,
      /** The member's own daily limit with the fewest credits left after this bill; undefined if no limit applies. */
      ownLeft(bill: Bill) {
        const millicredits = (isPlausible(bill) ? bill.creditsUsed : reserved) * MILLI;
        const own = used
          .filter(({ cap }) => isMembers(cap) && cap.credits < Number.POSITIVE_INFINITY)
          .map(({ cap, usedMillicredits }) => ({ cap, usedMillicredits: usedMillicredits + millicredits }));
        if (own.length === 0) return undefined;
        const use = tightest(own, 0);
        return { left: creditsLeft(use), limit: use.cap.credits };
      },
      /** If the bill is implausible, the reserved credits stay counted and the owner gets a message. */
      settle,
      /** Must be called if the request was not billed: it was never sent, or the service refused it. */
      release: () => end('release credits', () => ledger.settle(id, 0)),
      /** Must be called if the request's answer was lost: it may have been billed, so its credits stay counted. */
      unknown,
    };
  }

  async function todayAndMonth(counted: (from: string, to: string) => Promise<Counted>) {
    const { day, firstOfMonth } = dayAt(Date.now());
    const [today, month] = await Promise.all([counted(day, day), counted(firstOfMonth, day)]);
    return { today: usageOf(today), month: usageOf(month) };
  }

  const usageBy = (subject: LimitSubject) => todayAndMonth((from, to) => ledger.used(subject, from, to));

  /** The servers or members that spent most. Those without usage are left out, for example after their usage was deleted. */
  async function biggest(column: 'guild_id' | 'user_id', atMost: number, by: (id: string) => LimitSubject) {
    const { day, firstOfMonth } = dayAt(Date.now());
    const ids = await ledger.biggest(column, firstOfMonth, day, atMost);
    const all = await Promise.all(ids.map(async (id) => ({ ...by(id), ...(await usageBy(by(id))) })));
    return all.filter(({ month }) => month.credits + month.cached > 0);
  }

  async function report(atMost: number) {
    const outside = async (from: string, to: string) =>
      difference(await ledger.used(EVERYBODY, from, to), await ledger.usedInServers(from, to));
    const [servers, members, outsideServers, { requests, millicredits }] = await Promise.all([
      biggest('guild_id', atMost, (guildId) => ({ guildId, userId: '' })),
      biggest('user_id', atMost, (userId) => ({ guildId: '', userId })),
      todayAndMonth(outside),
      ledger.unknownOn(dayAt(Date.now()).day),
    ]);
    return {
      servers,
      members,
      /** Usage in direct messages, and in servers whose own figures have been deleted. */
      outsideServers,
      /** Paid requests whose answer was lost or whose process died. Their reserved credits stay counted. */
      unknownToday: { requests, credits: Math.ceil(millicredits / MILLI) },
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
      /** The member's usage in the server; in direct messages, the member's usage everywhere. */
      member: member ?? memberEverywhere,
      memberEverywhere,
      /** The server's usage; undefined in direct messages, and in servers that the bot is not in. */
      server,
      total,
      renewsAtMs: dayAt(Date.now()).renewsAtMs,
    };
  }

  async function keptOf(subject: LimitSubject) {
    const { day } = dayAt(Date.now());
    const [total, today, staysLonger] = await Promise.all([
      ledger.used(subject, FIRST_DAY, LAST_DAY),
      ledger.used(subject, day, LAST_DAY),
      ledger.keepsLonger(subject, day),
    ]);
    return {
      /** Usage of earlier days, which can be deleted at once. */
      before: usageOf(difference(total, today)),
      /** Usage of today. Limits count it, so it is kept until the day is over. */
      today: usageOf(today),
      staysLonger,
    };
  }

  return {
    /** A server's admins can lower the owner's limits for their server, but not raise them. */
    ownerLimits: limits,
    /** Must be called right before the request is sent. Rejects with a UserError if a limit does not allow the text. */
    reserve,
    /** Rejects with a UserError if the limits do not allow all these texts together. Reserves nothing. */
    async mustAllow(who: Spender, texts: readonly BilledText[]) {
      const needed = costOf(...texts);
      if (needed === 0) return;
      const subject = subjectOf(who);
      const caps = await limitsOf(subject);
      const uses = await answered('read what was used', ledger.uses(dayAt(Date.now()).day, subject, caps));
      if (uses.some((use) => !fits(use, needed * MILLI))) throw refused(uses, subject, needed);
    },
    /** Counts a text that was spoken for free, from the cache. Never rejects. */
    async cached(who: Spender) {
      const entry = { ...subjectOf(who), day: dayAt(Date.now()).day, keptUntil: endOfNextMonth(Date.now()) };
      await ledger.countCached(entry).catch((error: unknown) => {
        log.warn({ err: error }, 'Could not count a cached text: usage figures miss it');
      });
    },
    /** Estimated total cost of the given texts in credits; undefined if the price of one of their models is unknown. */
    estimateCredits: (texts: readonly BilledText[]) =>
      texts.every(({ model }) => prices.isKnown(model)) ? { about: costOf(...texts) } : undefined,
    overview: (who: Spender) => answered('read what was used', overview(who)),
    report: (atMost: number) => answered('read what was used', report(atMost)),
    /** The usage of a person everywhere, or of a server. */
    kept: (subject: LimitSubject) => answered('read what was used', keptOf(subject)),
    keptServers: () =>
      answered('read what was used', ledger.biggest('guild_id', FIRST_DAY, LAST_DAY, Number.MAX_SAFE_INTEGER)),
    /** Deletes usage of earlier days now. Limits count today's usage, so it is deleted when the day is over. */
    forget: (subject: LimitSubject) => answered('forget what was used', ledger.forget(subject, dayAt(Date.now()).day)),
    /** Repeats failed database writes one last time. Never rejects. Idempotent. */
    async close() {
      endTidying();
      closing.abort();
      await Promise.all(writing);
    },
  };
}

const usageOf = ({ millicredits, cached }: Counted) => ({
  /** Sum of billed credits, reserved credits, and credits of requests whose answer was lost. */
  credits: Math.ceil(millicredits / MILLI),
  /** Number of texts that were spoken from the cache for free. */
  cached,
});

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
