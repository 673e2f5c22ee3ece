import type { SpeechResult } from '../../speech/client/client.ts';

/** What a text was spoken by. */
export type SpentBy = 'say' | 'message' | 'reading' | 'announcement' | 'file' | 'sample';

/** What a request is billed for. */
export interface BilledText {
  readonly model: string;
  /** As they are billed: with tags, and with the style where it counts (`requestCharacters`). */
  readonly characters: number;
}

/** A text to be spoken, before it is sent to the service. */
export interface SpendingRequest extends BilledText {
  /** The server it is spoken in; absent in direct messages. Servers that the bot is not in count like those. */
  readonly guildId?: string | undefined;
  readonly userId: string;
  readonly spentBy?: SpentBy | undefined;
  /**
   * The requests of the same text that are to follow, perhaps by other models. The limits must allow all of them, so that it is not paid for in
   * part and then refused; their credits are reserved as each of them is sent.
   */
  readonly toFollow?: readonly BilledText[] | undefined;
}

/** What the answer says it cost; a SpeechResult is one. */
export type Bill = Pick<SpeechResult, 'creditsUsed'> & Partial<Pick<SpeechResult, 'inputCharacters' | 'spokenBy'>>;

/**
 * Credits reserved for one request that is about to be sent. Exactly one of the last three ends it, further ones do nothing.
 * None of these rejects: where the store fails that is logged and repeated until it works; the amount is counted until then.
 */
export interface Reservation {
  /** The reserved credits, at the price of the model's last bill. */
  readonly about: number;
  /**
   * To be awaited before each time the request is sent: from then on it may have been billed, whatever becomes of this process.
   * Rejects with a StoreError where it must not be sent.
   */
  confirm(): Promise<void>;
  /** Whether a bill can be one for this text. */
  isPlausible(bill: Bill): boolean;
  /**
   * The answer came: its cost is counted in place of the reserved credits. A bill that is not plausible is taken as lost, and
   * the owner is told.
   */
  settle(bill: Bill): Promise<void>;
  /** Nothing was billed: never sent, or refused by the service. */
  release(): Promise<void>;
  /** The answer was lost (`creditsMayBeSpent`): the reserved credits stay counted for the day. */
  unknown(): Promise<void>;
}

/** Credits and requests of one day or month, days and months being those of UTC. */
export interface Usage {
  /** Settled, reserved, and of lost answers, in credits. */
  readonly credits: number;
  /** Texts that were spoken from the cache, for nothing. */
  readonly cached: number;
}

/** What the admins of a server allow, in credits a day; absent, or more than the owner's: the owner's limit holds. */
export interface ServerLimits {
  readonly perServer?: number | undefined;
  /** By one member in this server. */
  readonly perMember?: number | undefined;
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

export interface SubjectUsage {
  readonly today: Usage;
  readonly month: Usage;
  /** Credits a day. */
  readonly limit: number;
}

interface TodayAndMonth {
  readonly today: Usage;
  readonly month: Usage;
}

interface ServerUsage extends TodayAndMonth {
  readonly guildId: string;
}

/** Of one person, in all servers and direct messages. */
interface MemberUsage extends TodayAndMonth {
  readonly userId: string;
}

/** What is still counted for a person or a server. */
export interface KeptUsage {
  /** Of earlier days: goes as soon as it is to be forgotten. */
  readonly before: Usage;
  /** Counts toward today's limits: goes when the day is over at the earliest. */
  readonly today: Usage;
  /** Whether any of it is kept longer than today. */
  readonly staysLonger: boolean;
}

export interface UsageOverview {
  /** Of the person: in this server, or everywhere in direct messages. */
  readonly member: SubjectUsage;
  /** Of the person in all servers and direct messages. */
  readonly memberEverywhere: SubjectUsage;
  /** Absent in direct messages, and in servers that the bot is not in. */
  readonly server?: SubjectUsage;
  /** Of everybody everywhere. */
  readonly total: SubjectUsage;
  /** When the next day begins, in milliseconds since 1970. */
  readonly renewsAtMs: number;
}

/** Credits spent by members and servers, and the limits on them. */
export interface Spending {
  /** What admins may lower for their server, and not raise. */
  readonly ownerLimits: OwnerLimits;
  /**
   * Reserves credits. To be called right before the request is sent. Rejects with a UserError that names the limit
   * when one would be passed, or with a StoreError.
   */
  reserve(request: SpendingRequest): Promise<Reservation>;
  /** Rejects like `reserve` where that would be refused now for these texts together; nothing is reserved. */
  mustAllow(who: Pick<SpendingRequest, 'guildId' | 'userId'>, texts: readonly BilledText[]): Promise<void>;
  /** Something was spoken without being asked for again. Never rejects. */
  cached(who: Pick<SpendingRequest, 'guildId' | 'userId'>): Promise<void>;
  /** What these will cost together, from what was billed before; undefined until each of their models was billed. */
  estimateCredits(texts: readonly BilledText[]): { readonly about: number } | undefined;
  /** Rejects with a StoreError. */
  overview(who: Pick<SpendingRequest, 'guildId' | 'userId'>): Promise<UsageOverview>;
  /** The servers that used most this month, for the owner. Rejects with a StoreError. */
  serversByUse(atMost: number): Promise<readonly ServerUsage[]>;
  /** The members who used most this month, in all servers together. Rejects with a StoreError. */
  membersByUse(atMost: number): Promise<readonly MemberUsage[]>;
  /**
   * What is counted for no server: used in direct messages, or in servers whose figures have been deleted. Rejects with a
   * StoreError.
   */
  outsideServers(): Promise<{ readonly today: Usage; readonly month: Usage }>;
  /**
   * Of today, counted as expected: requests whose answer was lost, or that a dead process had sent. The account may have
   * been billed for them or not. Rejects with a StoreError.
   */
  unknownToday(): Promise<{ readonly requests: number; readonly credits: number }>;
  /** All that is still counted for a person or a server, of earlier months too. Rejects with a StoreError. */
  kept(subject: { readonly userId: string } | { readonly guildId: string }): Promise<KeptUsage>;
  /** The servers for which something is still counted. Rejects with a StoreError. */
  keptServers(): Promise<readonly string[]>;
  /** Deletes what was counted for a person or a server; what counts toward today's limits goes when the day is over. */
  forget(subject: { readonly userId: string } | { readonly guildId: string }): Promise<void>;
  /** Writes down what the store refused so far, once more. Never rejects. Idempotent. */
  close(): Promise<void>;
}
