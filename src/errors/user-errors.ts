import type { VoiceJoinError } from '../audio/connection/voice-session-types.ts';
import type { Text } from '../texts/catalog.ts';
import type { Refusal, RefusalKind } from './refusals.ts';

interface UserErrorOptions extends ErrorOptions {
  readonly toOthers?: Text;
  /** The kind of refusal, needed if one kind has several texts for members. */
  readonly kind?: RefusalKind;
}

/** A refusal or failure whose text tells the member what to do. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly text: Text;
  readonly kind: RefusalKind | undefined;
  /** The text for other members, if only the requester is to see the main text. */
  readonly toOthers: Text | undefined;

  constructor(content: Text | Refusal, { toOthers, kind, ...options }: UserErrorOptions = {}) {
    super(content.key, options);
    this.text = content;
    this.kind = kind ?? ('kind' in content ? content.kind : undefined);
    this.toOthers = toOthers;
  }
}

export type Cost =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'used';
      readonly credits: number;
      readonly requestId?: string;
      /** Set if the answer to another paid request was lost, so that the credits may be more. */
      readonly mayBeMore?: true;
    }
  | { readonly kind: 'unknown' };

/** Thrown if an accepted text was not fully spoken or made into a file. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** The voice channel in which to speak the text; undefined if the text was to become a file. */
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

/** Thrown if a part of a text could not be generated, but all parts before it were. */
export class PartError extends Error {
  override readonly name = 'PartError';
  readonly part: number;
  readonly parts: number;

  constructor(part: number, parts: number, cause: unknown) {
    super(`Part ${part} of ${parts} could not be made`, { cause });
    this.part = part;
    this.parts = parts;
  }
}

export function causeOf(error: unknown): unknown {
  return error instanceof DeliveryError || error instanceof PartError ? causeOf(error.cause) : error;
}

/** Thrown if the store did not answer in time or at all. A write may still have happened. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
