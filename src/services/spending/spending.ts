import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StoreError } from '../../errors/store-error.ts';
import { UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { createPrices } from './prices.ts';
import type { Cap, Counted, LimitSubject, SpendingLedger } from './spending-ledger.ts';
import type {
  Bill,
  BilledText,
  OwnerLimits,
  Reservation,
  ServerLimits,
  Spending,
  SpendingRequest,
  Usage,
} from './spending-types.ts';
import { dayAt, endOfNextMonth } from './utc-days.ts';

export interface SpendingOptions {
  readonly ledger: SpendingLedger;
  readonly limits: OwnerLimits;
  /** Credits for a character by model, where they are known before any bill. */
  readonly prices?: ReadonlyMap<string, number>;
  /** What a server's admins allow. Rejects with a StoreError, and then nothing is spent there. */
  readonly limitsFor: (guildId: string) => Promise<ServerLimits>;
  /** Whether the bot is in a server: what is used in another one counts as in direct messages. Default: it is. */
  readonly isIn?: (guildId: string) => boolean;
  /** So many were billed. */
  readonly onBilled?: (credits: number) => void;
  /** So many stay counted for a request whose answer was lost. */
  readonly onLost?: (credits: number) => void;
  /** Writes to the owners; its failures are logged here. */
  readonly notify?: (message: Text) => Promise<void>;
  readonly log: Logger;
  readonly now?: () => number;
  /** Before the first repetition of what the store did not take. */
  readonly firstPauseMs?: number;
}

type Scope = 'member-here' | 'member' | 'server' | 'total';

interface Limit extends Cap {
  readonly scope: Scope;
  readonly credits: number;
  /** Who can raise it. */
  readonly setBy: 'admin' | 'owner';
}

interface Use {
  readonly cap: Limit;
  readonly usedMillicredits: number;
}

/** A limit would be passed. A member's figures are private. */
export class SpendingLimitError extends UserError {
  constructor(words: Text, options: { readonly toOthers?: Text } = {}) {
    super(words, { ...options, kind: 'spending-limit' });
  }
}

const MILLI = 1000;
/** Between two attempts to write down what became of a reservation; doubles with each one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** How many times the characters that were sent a service may say that it billed. */
const MOST_TIMES_THE_CHARACTERS = 10;
/** Before and after any day there are figures of. */
const FIRST_DAY = '0000-01-01';
const LAST_DAY = '9999-12-31';
const EVERYBODY: LimitSubject = { guildId: '', userId: '' };

/**
 * Limits over a ledger. Credits are reserved before a request is sent, and the ledger never reserves what would take
 * the sum of billed and reserved credits of a day past a limit, however many ask at once. How many credits a text will
 * cost is known only from its bill: as many are reserved as the last bill for the same model says. Where the bill is higher, the day
 * ends over its limit by that difference, and no more are reserved.
 *
 * Reservations of a process that died stay counted once their request was sent, as it may have been billed: rather too much
 * than too little. Only a machine that loses its power can lose the last moments' figures (SQLite with synchronous = NORMAL).
 */
export async function openSpending({
  ledger,
  limits,
  prices: stated,
  limitsFor,
  isIn = () => true,
  onBilled,
  onLost,
  notify = async () => undefined,
  log,
  now = Date.now,
  firstPauseMs = FIRST_PAUSE_MS,
}: SpendingOptions): Promise<Spending> {
  const kept = await ledger.rates().catch((error: unknown) => {
    log.error({ err: error }, 'What was billed before cannot be read: a text is taken to cost a credit a character');
    return new Map();
  });
  const prices = createPrices({ kept, stated, keep: ledger.keepRate });
  const writing = new Set<Promise<void>>();
  const closing = new AbortController();
  await recover();
  let prunedOn = '';
  let warnedOn = '';
  let toldOfBillOn = '';

  async function recover(): Promise<void> {
    try {
      const { lost, released } = await ledger.recover();
      if (lost > 0)
        log.warn({ lost }, 'Texts were on their way at the last end: they stay counted as if they were billed');
      if (released > 0) log.info({ released }, 'Texts had not been sent at the last end: they count nothing any more');
    } catch (error) {
      log.error(
        { err: error },
        'Credits that were reserved before the last end could not be recovered: they stay counted',
      );
    }
  }

  /**
   * Writes what became of one reservation. What the store does not take, as while its file is locked or the disk full, is repeated
   * until it does. Never rejects.
   */
  function write(what: string, work: () => Promise<unknown>): Promise<void> {
    const written = writeUntilTaken(what, work).finally(() => writing.delete(written));
    writing.add(written);
    return written;
  }

  async function writeUntilTaken(what: string, work: () => Promise<unknown>): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
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

  async function pruneOnceADay(today: string): Promise<void> {
    if (prunedOn === today) return;
    prunedOn = today;
    await ledger.prune(today).catch((error: unknown) => {
      // With the next text.
      prunedOn = '';
      log.warn({ err: error }, 'Old figures could not be deleted');
    });
  }

  await pruneOnceADay(dayAt(now()).day);

  const serverOf = (guildId: string | undefined) => (guildId !== undefined && isIn(guildId) ? guildId : undefined);

  /** Every limit that holds for a member, in the order in which they are told. */
  async function limitsOn({ userId, ...place }: Pick<SpendingRequest, 'guildId' | 'userId'>): Promise<Limit[]> {
    const guildId = serverOf(place.guildId);
    const limit = (scope: Scope, subject: LimitSubject, credits: number, setBy: Limit['setBy'] = 'owner'): Limit => ({
      ...subject,
      scope,
      credits,
      setBy,
      millicredits: credits * MILLI,
    });
    const member = limit('member', { guildId: '', userId }, limits.perMember);
    const total = limit('total', EVERYBODY, limits.total);
    const lower = (scope: Scope, subject: LimitSubject, admins: number, owners: number) =>
      admins < owners ? limit(scope, subject, admins, 'admin') : limit(scope, subject, owners);
    if (guildId === undefined) return [member, total];
    const { perServer = limits.perServer, perMember = limits.perMember } = await limitsFor(guildId);
    return [
      // First, so that it is told of a limit 'in this server' only where the admins set a lower one.
      member,
      lower('member-here', { guildId, userId }, perMember, limits.perMember),
      lower('server', { guildId, userId: '' }, perServer, limits.perServer),
      total,
    ];
  }

  const usesOf = (caps: readonly Limit[], day: string): Promise<Use[]> =>
    answered(
      'read what was used',
      Promise.all(
        caps.map((cap) =>
          ledger.used(cap, day, day).then(({ millicredits }) => ({ cap, usedMillicredits: millicredits })),
        ),
      ),
    );

  const about = ({ model, characters }: BilledText): number => prices.about(model, characters);

  const sumOf = (texts: readonly BilledText[]): number => texts.reduce((sum, each) => sum + about(each), 0);

  async function reserve(request: SpendingRequest): Promise<Reservation> {
    const { userId, spentBy, characters, toFollow = [], model } = request;
    const guildId = serverOf(request.guildId);
    const caps = await limitsOn(request);
    // The day is read after all waiting, in one go with the transaction.
    const atMs = now();
    const { day, renewsAtMs } = dayAt(atMs);
    void pruneOnceADay(day);
    const credits = about(request);
    const needed = credits + sumOf(toFollow);
    const entry = {
      guildId: guildId ?? '',
      userId,
      day,
      model,
      characters,
      millicredits: credits * MILLI,
      keptUntil: endOfNextMonth(atMs),
    };
    // What costs nothing passes no limit, an exceeded one neither.
    const attempt = await answered(
      'reserve credits',
      ledger.reserve(entry, needed === 0 ? [] : caps, (needed - credits) * MILLI),
    );
    if (attempt.made) return reservation(attempt.id, credits, request);
    const facts = { about: needed, renewsAtMs, isNever: isBeyond(caps, needed), mayBeShorter: spentBy !== 'sample' };
    throw refused(leastLeft([attempt, ...(await usesOf(caps, day))]), facts, { guildId, day });
  }

  /** For its requester, and logged. */
  function refused(
    tightest: Use,
    facts: Omit<RefusedSpending, 'left'>,
    { guildId, day }: { readonly guildId: string | undefined; readonly day: string },
  ): SpendingLimitError {
    const { scope, credits } = tightest.cap;
    const left = creditsLeft(tightest);
    const logged = { limit: scope, credits, left, about: facts.about, guildId };
    if (scope === 'total' && warnedOn !== day) {
      warnedOn = day;
      log.warn(logged, 'The limit of all servers together is reached for today: raise SPENDING_PER_DAY to allow more');
    } else {
      log.info(logged, 'A limit on spending was reached');
    }
    return refusal(tightest.cap, { left, ...facts });
  }

  function reservation(id: number, about: number, request: SpendingRequest): Reservation {
    const { model, characters } = request;
    let hasEnded = false;
    async function end(...ending: Parameters<typeof write>): Promise<void> {
      if (hasEnded) return;
      hasEnded = true;
      await write(...ending);
    }
    const isPlausible = ({ creditsUsed }: Bill) => creditsUsed <= prices.mostPlausible(characters);
    function unknown(): Promise<void> {
      if (!hasEnded) onLost?.(about);
      return end('mark reserved credits as lost', () => ledger.lose(id));
    }
    async function settle(bill: Bill): Promise<void> {
      if (hasEnded) return;
      if (!isPlausible(bill)) {
        tellOfBill(request, bill);
        return unknown();
      }
      const { creditsUsed: credits, inputCharacters = characters, spokenBy } = bill;
      onBilled?.(credits);
      // Rounded up to the unit of the ledger.
      const millicredits = Math.max(0, Math.ceil(Number((credits * MILLI).toFixed(3))));
      const settled = end('write down a bill', () => ledger.settle(id, millicredits));
      // Not with the settlement: one bill moves a price once. What another voice took says nothing of this model.
      if (spokenBy === undefined) {
        // A service may count differently, but a figure out of all proportion would stand for every text that follows.
        const isCredible = inputCharacters <= characters * MOST_TIMES_THE_CHARACTERS;
        const billed = { characters: isCredible ? inputCharacters : characters, credits };
        await prices.learn(model, billed).catch((error: unknown) => {
          log.warn({ err: error }, 'A learned price is not kept over a restart');
        });
      }
      await settled;
    }
    return {
      about,
      confirm: () => answered('mark reserved credits as sent', ledger.confirm(id)),
      isPlausible,
      settle,
      release: () => end('release reserved credits', () => ledger.release(id)),
      unknown,
    };
  }

  function tellOfBill({ model, characters }: BilledText, { creditsUsed }: Bill): void {
    log.error({ model, characters, creditsUsed }, 'A bill is far too high for its text: it is not believed');
    const { day } = dayAt(now());
    if (toldOfBillOn === day) return;
    toldOfBillOn = day;
    void notify(text('account.absurd-bill', { model })).catch((error: unknown) => {
      log.warn({ err: error }, 'The owner could not be told in Discord of a bill that is far too high');
    });
  }

  async function usage(subject: LimitSubject): Promise<{ readonly today: Usage; readonly month: Usage }> {
    const { day, firstOfMonth } = dayAt(now());
    const [today, month] = await answered(
      'read what was used',
      Promise.all([ledger.used(subject, day, day), ledger.used(subject, firstOfMonth, day)]),
    );
    return { today: usageOf(today), month: usageOf(month) };
  }

  return {
    ownerLimits: limits,
    reserve,
    async mustAllow(who, texts) {
      const needed = sumOf(texts);
      if (needed === 0) return;
      const caps = await limitsOn(who);
      const { day, renewsAtMs } = dayAt(now());
      const tightest = leastLeft(await usesOf(caps, day));
      if (tightest.usedMillicredits + needed * MILLI <= tightest.cap.millicredits) return;
      throw refused(
        tightest,
        { about: needed, renewsAtMs, isNever: isBeyond(caps, needed), mayBeShorter: true },
        { guildId: serverOf(who.guildId), day },
      );
    },
    async cached({ guildId, userId }) {
      const { day } = dayAt(now());
      const entry = { guildId: serverOf(guildId) ?? '', userId, day, keptUntil: endOfNextMonth(now()) };
      await ledger.countCached(entry).catch((error: unknown) => {
        log.warn({ err: error }, 'The store could not count a text that was spoken for nothing');
      });
    },
    estimateCredits(texts) {
      let sum = 0;
      for (const each of texts) {
        const credits = prices.estimate(each.model, each.characters);
        if (credits === undefined) return undefined;
        sum += credits;
      }
      return { about: sum };
    },
    async overview(who) {
      const all = await limitsOn(who);
      const [member, memberEverywhere, server, total] = await Promise.all(
        (['member-here', 'member', 'server', 'total'] as const).map(async (scope) => {
          const limit = all.find((one) => one.scope === scope);
          return limit && { ...(await usage(limit)), limit: limit.credits };
        }),
      );
      if (!memberEverywhere || !total) throw new Error('These limits hold for everybody');
      return {
        member: member ?? memberEverywhere,
        memberEverywhere,
        total,
        server,
        renewsAtMs: dayAt(now()).renewsAtMs,
      };
    },
    async serversByUse(atMost) {
      const { day, firstOfMonth } = dayAt(now());
      const guildIds = await answered('read what was used', ledger.biggest(firstOfMonth, day, atMost));
      const all = await Promise.all(
        guildIds.map(async (guildId) => ({ guildId, ...(await usage({ guildId, userId: '' })) })),
      );
      return all.filter(({ month }) => isUsed(month));
    },
    async membersByUse(atMost) {
      const { day, firstOfMonth } = dayAt(now());
      const userIds = await answered('read what was used', ledger.biggestUsers(firstOfMonth, day, atMost));
      const all = await Promise.all(
        userIds.map(async (userId) => ({ userId, ...(await usage({ guildId: '', userId })) })),
      );
      return all.filter(({ month }) => isUsed(month));
    },
    async outsideServers() {
      const { day, firstOfMonth } = dayAt(now());
      const outside = async (from: string) => {
        const [all, inServers] = await Promise.all([
          ledger.used(EVERYBODY, from, day),
          ledger.usedInServers(from, day),
        ]);
        return usageOf(difference(all, inServers));
      };
      const [today, month] = await answered('read what was used', Promise.all([outside(day), outside(firstOfMonth)]));
      return { today, month };
    },
    async unknownToday() {
      const { requests, millicredits } = await answered('read what was used', ledger.unknownOn(dayAt(now()).day));
      return { requests, credits: Math.ceil(millicredits / MILLI) };
    },
    async kept(subject) {
      const all = { guildId: '', userId: '', ...subject };
      const { day } = dayAt(now());
      const [total, today, staysLonger] = await answered(
        'read what was used',
        Promise.all([
          ledger.used(all, FIRST_DAY, LAST_DAY),
          ledger.used(all, day, LAST_DAY),
          ledger.keepsLonger(subject, day),
        ]),
      );
      return { before: usageOf(difference(total, today)), today: usageOf(today), staysLonger };
    },
    keptServers: () => answered('read what was used', ledger.biggest(FIRST_DAY, LAST_DAY, Number.MAX_SAFE_INTEGER)),
    async forget(subject) {
      await answered('forget what was used', ledger.forget(subject, dayAt(now()).day));
    },
    async close() {
      closing.abort();
      await Promise.all(writing);
    },
  };
}

/** So that what is advised does not run into the next limit; of several that are used up, the lowest. */
const leastLeft = (uses: readonly Use[]): Use =>
  uses.reduce((least, one) => {
    const less = millicreditsLeft(one) - millicreditsLeft(least) || one.cap.millicredits - least.cap.millicredits;
    return less < 0 ? one : least;
  });

const millicreditsLeft = ({ cap, usedMillicredits }: Use): number => Math.max(0, cap.millicredits - usedMillicredits);
const creditsLeft = (use: Use): number => Math.floor(millicreditsLeft(use) / MILLI);

const isBeyond = (caps: readonly Limit[], credits: number): boolean =>
  caps.some(({ millicredits }) => credits * MILLI > millicredits);

const isUsed = ({ credits, cached }: Usage): boolean => credits + cached > 0;

const usageOf = ({ millicredits, cached }: Counted): Usage => ({ credits: Math.ceil(millicredits / MILLI), cached });

const difference = (all: Counted, part: Counted): Counted => ({
  millicredits: all.millicredits - part.millicredits,
  cached: all.cached - part.cached,
});

interface RefusedSpending {
  readonly left: number;
  readonly about: number;
  readonly renewsAtMs: number;
  /** It is more than the whole of a limit, be it another one. */
  readonly isNever: boolean;
  /** A shorter text is another one to try; the words of a sample are the bot's own. */
  readonly mayBeShorter: boolean;
}

function refusal(
  { scope, credits, setBy }: Limit,
  { left, about, renewsAtMs, isNever, mayBeShorter }: RefusedSpending,
): SpendingLimitError {
  // Another day changes nothing, and it holds for all members alike.
  if (credits === 0) {
    const advice = text(`refused.spending.ask-${setBy}`, { shorter: 'no' });
    return new SpendingLimitError(text('refused.spending.off', { scope, advice }));
  }
  const when = `<t:${renewsAtMs / 1000}:R>`;
  const limit = text(`refused.spending.${scope}`, { limit: credits, left });
  const advise = (shorter: 'now' | 'meanwhile' | 'later' | 'no') => text(`refused.spending.ask-${setBy}`, { shorter });
  const isMembers = scope === 'member' || scope === 'member-here';
  // On any day; until the next one, as nothing is left, not even a shorter one.
  if (about > credits && (left > 0 || !mayBeShorter)) {
    const advice = advise(mayBeShorter ? 'now' : 'no');
    const toOthers = isMembers ? text('refused.spending.others-never', { advice: advise('no') }) : undefined;
    return new SpendingLimitError(text('refused.spending.never', { limit, about, advice }), { toOthers });
  }
  const shorter = isNever ? 'later' : left > 0 ? 'meanwhile' : 'no';
  const advice = advise(mayBeShorter ? shorter : 'no');
  const toOthers = isMembers ? text('refused.spending.others', { when, advice: advise('no') }) : undefined;
  return new SpendingLimitError(text('refused.spending', { limit, about, when, advice }), { toOthers });
}

async function answered<Result>(what: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new StoreError(`The store could not ${what}`, { cause: error });
  }
}
