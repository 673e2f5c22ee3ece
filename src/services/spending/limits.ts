import { UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { Cap, LimitSubject, Rate, Use } from './ledger.ts';

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

type Scope = 'member-here' | 'member' | 'server' | 'total';

export interface Limit extends Cap {
  readonly scope: Scope;
  readonly credits: number;
  readonly setBy: 'admin' | 'owner';
}

/** `toOthers` is the error message for members other than the requester: it does not tell the requester's spending. */
export class SpendingLimitError extends UserError {
  constructor(words: Text, options: { readonly toOthers?: Text } = {}) {
    super(words, { ...options, kind: 'spending-limit' });
  }
}

/** Millicredits per credit: the ledger counts in thousandths of a credit. */
export const MILLI = 1000;
export const EVERYBODY: LimitSubject = { guildId: '', userId: '' };

/** The spending limits of a member in a server or in direct messages, in the order in which replies show them. */
export function limitsOn({ guildId, userId }: LimitSubject, owners: OwnerLimits, admins: ServerLimits): Limit[] {
  const limit = (scope: Scope, subject: LimitSubject, credits: number, setBy: Limit['setBy'] = 'owner'): Limit => ({
    ...subject,
    scope,
    credits,
    setBy,
    millicredits: credits * MILLI,
  });
  const lower = (scope: Scope, subject: LimitSubject, own: number, lowered = own) =>
    lowered < own ? limit(scope, subject, lowered, 'admin') : limit(scope, subject, own);
  const member = limit('member', { guildId: '', userId }, owners.perMember);
  const total = limit('total', EVERYBODY, owners.total);
  if (guildId === '') return [member, total];
  return [
    // Replies name the first of equally strict limits: `member` (everywhere), unless the server's admins lowered `member-here`.
    member,
    lower('member-here', { guildId, userId }, owners.perMember, admins.perMember),
    lower('server', { guildId, userId: '' }, owners.perServer, admins.perServer),
    total,
  ];
}

/** True for a spending limit of one person, whose figures only that person sees. */
export const isMembers = ({ scope }: Limit): boolean => scope === 'member' || scope === 'member-here';

const millicreditsLeft = ({ cap, usedMillicredits }: Use): number => Math.max(0, cap.millicredits - usedMillicredits);
export const creditsLeft = (use: Use): number => Math.floor(millicreditsLeft(use) / MILLI);

/** The limit with the fewest credits left, which a refusal names. If the cost of the text exceeds some limits, only they are compared. */
export function tightest(uses: readonly Use<Limit>[], about: number): Use<Limit> {
  const never = uses.filter(({ cap }) => about > cap.credits);
  return (never.length > 0 ? never : uses).reduce((least, one) => {
    const less = millicreditsLeft(one) - millicreditsLeft(least) || one.cap.millicredits - least.cap.millicredits;
    return less < 0 ? one : least;
  });
}

export function refusal(use: Use<Limit>, about: number, renewsAtMs: number): SpendingLimitError {
  const { credits: limit, setBy } = use.cap;
  const advice = text(`refused.spending.ask-${setBy}`);
  // The refusal for a limit of 0 tells nothing about what the requester has spent, so other members may read it, too.
  if (limit === 0) return new SpendingLimitError(text('refused.spending.off', { scope: use.cap.scope, advice }));
  const isOwn = isMembers(use.cap);
  const scope = use.cap.scope === 'member-here' ? 'here' : use.cap.scope;
  if (about > limit) {
    const toOthers = isOwn ? text('refused.spending.others-never', { advice }) : undefined;
    return new SpendingLimitError(text('refused.spending.never', { scope, about, limit, advice }), { toOthers });
  }
  const when = `<t:${renewsAtMs / 1000}:R>`;
  const toOthers = isOwn ? text('refused.spending.others', { when }) : undefined;
  const left = creditsLeft(use);
  return new SpendingLimitError(text('refused.spending', { scope, about, left, limit, when }), { toOthers });
}

interface PricesOptions {
  /** Prices of models that the bot learned from bills before its start. */
  readonly kept: ReadonlyMap<string, Rate>;
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
  const learned = [...kept].map(([model, { characters, credits }]) => [model, credits / characters] as const);
  const prices = new Map([...learned, ...stated]);
  const dearest = () => Math.max(STARTING_PRICE, ...prices.values());

  return {
    /** The estimated cost of a text in whole credits, rounded up; undefined for a model without a known price. */
    estimate(model: string, characters: number): number | undefined {
      const price = prices.get(model);
      return price === undefined ? undefined : roundUp(characters * price);
    },
    /** The estimated cost of a text in credits; a model without a known price counts at the highest known price. */
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
