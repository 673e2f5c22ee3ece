import { UserError } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { Cap, LimitSubject, Use } from './ledger.ts';

/** What the admins of a server allow, in credits a day; undefined, or more than the owner's: the owner's limit holds. */
export interface ServerLimits {
  readonly perServer: number | undefined;
  /** By one member in this server. */
  readonly perMember: number | undefined;
}

/** The owner's limits in credits a day (Infinity: none): of all servers together, of any one server, of any one person everywhere. */
export interface OwnerLimits {
  readonly total: number;
  readonly perServer: number;
  readonly perMember: number;
}

/** Nothing is limited: then admins have nothing to lower. */
export const isUnlimited = (limits: OwnerLimits): boolean =>
  Object.values(limits).every((limit) => limit === Number.POSITIVE_INFINITY);

type Scope = 'member-here' | 'member' | 'server' | 'total';

export interface Limit extends Cap {
  readonly scope: Scope;
  readonly credits: number;
  /** The people who can raise it. */
  readonly setBy: 'admin' | 'owner';
}

/** A limit would be passed. A member's figures are private. */
export class SpendingLimitError extends UserError {
  constructor(words: Text, options: { readonly toOthers?: Text } = {}) {
    super(words, { ...options, kind: 'spending-limit' });
  }
}

/** The ledger counts in thousandths of a credit. */
export const MILLI = 1000;
export const EVERYBODY: LimitSubject = { guildId: '', userId: '' };

/** Every limit that holds for a member, in the order of the replies. Without a server, it is for direct messages. */
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
    // It comes first, so that a limit 'in this server' is only named if the admins set a lower one.
    member,
    lower('member-here', { guildId, userId }, owners.perMember, admins.perMember),
    lower('server', { guildId, userId: '' }, owners.perServer, admins.perServer),
    total,
  ];
}

/** So that what is advised does not run into the next limit; of several that are used up, the lowest. */
export const leastLeft = (uses: readonly Use<Limit>[]): Use<Limit> =>
  uses.reduce((least, one) => {
    const less = millicreditsLeft(one) - millicreditsLeft(least) || one.cap.millicredits - least.cap.millicredits;
    return less < 0 ? one : least;
  });

const millicreditsLeft = ({ cap, usedMillicredits }: Use): number => Math.max(0, cap.millicredits - usedMillicredits);
export const creditsLeft = (use: Use): number => Math.floor(millicreditsLeft(use) / MILLI);

interface RefusedSpending {
  readonly about: number;
  readonly renewsAtMs: number;
  /** A shorter text is another one to try; the words of a sample are the bot's own. */
  readonly mayBeShorter: boolean;
}

/** The refusal of a text that these limits do not allow. */
export function refusal(
  uses: readonly Use<Limit>[],
  { about, renewsAtMs, mayBeShorter }: RefusedSpending,
): SpendingLimitError {
  const tightest = leastLeft(uses);
  const { scope, credits, setBy } = tightest.cap;
  const left = creditsLeft(tightest);
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
  // More than the whole of a limit, be it another one.
  const isNever = uses.some(({ cap }) => about > cap.credits);
  const shorter = isNever ? 'later' : left > 0 ? 'meanwhile' : 'no';
  const advice = advise(mayBeShorter ? shorter : 'no');
  const toOthers = isMembers ? text('refused.spending.others', { when, advice: advise('no') }) : undefined;
  return new SpendingLimitError(text('refused.spending', { limit, about, when, advice }), { toOthers });
}
