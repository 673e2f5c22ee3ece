import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import { type Cap, type LimitSubject, MILLI, type Rate, type Use } from './ledger.ts';

/** Daily limits in credits that a server's admins set. The owner's limit applies if it is lower or admins set none. */
export interface ServerLimits {
  readonly perServer: number | undefined;
  readonly perMember: number | undefined;
}

/** The owner's daily limits in credits; Infinity means none. `perMember` is for any person everywhere. */
export interface OwnerLimits {
  readonly total: number;
  readonly perServer: number;
  readonly perMember: number;
}

/** Without limits of the owner, /setup and the settings panel show no limits, and the bot ignores those of servers. */
export const isUnlimited = (limits: OwnerLimits): boolean =>
  Object.values(limits).every((limit) => limit === Number.POSITIVE_INFINITY);

export interface Limit extends Cap {
  readonly scope: 'member-here' | 'member' | 'server' | 'total';
  readonly setBy: 'admin' | 'owner';
}

export const EVERYBODY: LimitSubject = { guildId: '', userId: '' };

/** The spending limits of a member in a server or in direct messages, in the order in which replies show them. */
export function limitsOn({ guildId, userId }: LimitSubject, owners: OwnerLimits, admins: ServerLimits): Limit[] {
  const limit = (scope: Limit['scope'], subject: LimitSubject, own: number, lowered = own): Limit => {
    return { ...subject, scope, credits: Math.min(own, lowered), setBy: lowered < own ? 'admin' : 'owner' };
  };
  const member = limit('member', { guildId: '', userId }, owners.perMember);
  const total = limit('total', EVERYBODY, owners.total);
  if (guildId === '') return [member, total];
  return [
    // Replies name the first of equally strict limits: `member` (everywhere), unless the server's admins lowered `member-here`.
    member,
    limit('member-here', { guildId, userId }, owners.perMember, admins.perMember),
    limit('server', { guildId, userId: '' }, owners.perServer, admins.perServer),
    total,
  ];
}

/** True for a spending limit of one person, whose figures only that person sees. */
export const isMembers = ({ scope }: Limit): boolean => scope === 'member' || scope === 'member-here';

const millicreditsLeft = ({ cap, usedMillicredits }: Use): number =>
  Math.max(0, cap.credits * MILLI - usedMillicredits);
export const creditsLeft = (use: Use): number => Math.floor(millicreditsLeft(use) / MILLI);

/** The limit with the fewest credits left, which a refusal names. If the cost of the text exceeds some limits, only they are compared. */
export function tightest(uses: readonly Use<Limit>[], about: number): Use<Limit> {
  const never = uses.filter(({ cap }) => about > cap.credits);
  return (never.length > 0 ? never : uses).reduce((least, one) => {
    const less = millicreditsLeft(one) - millicreditsLeft(least) || one.cap.credits - least.cap.credits;
    return less < 0 ? one : least;
  });
}

/** Other members read a text of their own, which does not name the requester's spending. */
export function refusal(use: Use<Limit>, about: number, renewsAtMs: number): UserError {
  const { credits: limit, setBy } = use.cap;
  const kind = 'spending-limit';
  const advice = text(`refused.spending.ask-${setBy}`);
  // The refusal for a limit of 0 tells nothing about what the requester has spent, so other members may read it, too.
  if (limit === 0) return new UserError(text('refused.spending.off', { scope: use.cap.scope, advice }), { kind });
  const isOwn = isMembers(use.cap);
  const scope = use.cap.scope === 'member-here' ? 'here' : use.cap.scope;
  if (about > limit) {
    const toOthers = isOwn ? text('refused.spending.others-never', { advice }) : undefined;
    return new UserError(text('refused.spending.never', { scope, about, limit, advice }), { toOthers, kind });
  }
  const when = `<t:${renewsAtMs / 1000}:R>`;
  const toOthers = isOwn ? text('refused.spending.others', { when }) : undefined;
  const left = creditsLeft(use);
  return new UserError(text('refused.spending', { scope, about, left, limit, when }), { toOthers, kind });
}

interface PricesOptions {
  /** Credits per character by model, as the bot learned them from bills before its start. */
  readonly kept: ReadonlyMap<string, number>;
  /** Credits per character by model, as the owner stated them. Bills do not change these prices. */
  readonly stated: ReadonlyMap<string, number>;
  readonly keep: (model: string, rate: Rate) => Promise<void>;
}

/** The assumed price before the first bill, in credits per character: the built-in speech service has this price. */
const STARTING_PRICE = 1;
/** A bill for fewer characters than this does not change a known price: it may be the service's minimum charge. */
const MIN_CHARACTERS = 20;
/** The maximum factor by which a bill changes a price: a wrong bill could make the limits refuse all texts. */
const STEP = 100;
/** A bill above 1,000 times the highest known price is treated as an error of the service. */
const PLAUSIBLE_TIMES = 1_000;
/** The highest price that SPEECH_ENGINES accepts, in credits per character. A higher one is not plausible. */
const MAX_PER_CHARACTER = 100_000;

/** Prices in credits per character, from the owner's settings or from bills: the service states none. */
export function createPrices({ kept, stated, keep }: PricesOptions) {
  const prices = new Map([...kept, ...stated]);
  const dearest = () => Math.max(STARTING_PRICE, ...prices.values());

  return {
    isKnown: (model: string): boolean => prices.has(model),
    /** The estimated cost of a text in whole credits, rounded up; a model without a known price counts at the highest known price. */
    about: (model: string, characters: number): number => roundUp(characters * (prices.get(model) ?? dearest())),
    /** The highest plausible bill in credits for a text with this many characters, with any model. */
    mostPlausible(characters: number): number {
      const perCharacter = prices.size === 0 ? MAX_PER_CHARACTER : dearest() * PLAUSIBLE_TIMES;
      return Math.min(MAX_PER_CHARACTER, perCharacter) * Math.max(MIN_CHARACTERS, characters);
    },
    async learn(model: string, { characters, credits }: Rate): Promise<void> {
      if (stated.has(model) || !(characters > 0 && credits >= 0 && Number.isFinite(credits))) return;
      const known = prices.get(model);
      if (known && (credits === 0 || characters < MIN_CHARACTERS)) return;
      const before = known || STARTING_PRICE;
      const price = credits === 0 ? 0 : Math.min(before * STEP, Math.max(before / STEP, credits / characters));
      if (price === known) return;
      prices.set(model, price);
      await keep(model, { characters, credits: characters * price });
    },
  };
}

/** Rounds credits up without errors of binary fractions: 100 characters at 1.1 are 110 credits, not 111. */
const roundUp = (credits: number): number => Math.ceil(Number(credits.toFixed(6)));
