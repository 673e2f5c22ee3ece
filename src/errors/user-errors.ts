import type { VoiceJoinError } from '../audio/connection/voice-session-types.ts';
import type { Text } from '../texts/catalog.ts';
import type { Refusal, RefusalKind } from './refusals.ts';

interface UserErrorOptions extends ErrorOptions {
  readonly toOthers?: Text;
  /** The kind of refusal, for a text that does not belong to one kind alone. */
  readonly kind?: RefusalKind;
}

/** A refusal or failure that already tells the member, in a text of the catalog, what to do. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly text: Text;
  readonly kind: RefusalKind | undefined;
  /** The same for others to read, where the text is for its requester alone. */
  readonly toOthers: Text | undefined;

  constructor(content: Text | Refusal, { toOthers, kind, ...options }: UserErrorOptions = {}) {
    super(content.key, options);
    this.text = content;
    this.kind = kind ?? ('kind' in content ? content.kind : undefined);
    this.toOthers = toOthers;
  }
}

/** The cost of a failed utterance: none, a number of credits, or unknown (the answer was lost). */
export type Cost =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'used';
      readonly credits: number;
      readonly requestId?: string;
      /** The answer to a further request was lost. */
      readonly mayBeMore?: true;
    }
  | { readonly kind: 'unknown' };

/** An accepted text that was not, or not completely, played or made into a file. The cause says why. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** Its voice channel; undefined for a file. */
  readonly channelId: string | undefined;
  readonly cost: Cost;
  readonly wasHeard: boolean;

  constructor(channelId: string | undefined, cost: Cost, cause: unknown, wasHeard = false) {
    super('An utterance could not be delivered', { cause });
    this.channelId = channelId;
    this.cost = cost;
    this.wasHeard = wasHeard;
  }
}

export class JoinError extends Error {
  override readonly name = 'JoinError';
  readonly channelId: string;
  override readonly cause: VoiceJoinError;

  constructor(channelId: string, cause: VoiceJoinError) {
    super('A channel could not be joined', { cause });
    this.channelId = channelId;
    this.cause = cause;
  }
}

/** A part of a text could not be synthesized; the parts before it were. `cause` says why. */
export class PartError extends Error {
  override readonly name = 'PartError';
  /** Counted from 1. */
  readonly part: number;
  readonly parts: number;

  constructor(part: number, parts: number, cause: unknown) {
    super(`Part ${part} of ${parts} could not be made`, { cause });
    this.part = part;
    this.parts = parts;
  }
}

/** The root cause, without the errors that wrap it. */
export function causeOf(error: unknown): unknown {
  return error instanceof DeliveryError || error instanceof PartError ? causeOf(error.cause) : error;
}

/** The store did not answer, in time or at all. Whether a write happened is unknown. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
