import type { AudioFormat } from './interface/models.ts';
import type { ResponseFormat } from './interface/schemas.ts';
/** A voice by its id alone, or by name together with its model: the service refuses any mixture. */
export type VoiceSelection =
  | {
      readonly kind: 'id';
      readonly voiceId: string;
      /** Only decides which rules and which circuit apply; never sent, because the service derives it from the id. */
      readonly model?: string;
      readonly voice?: never;
    }
  | { readonly kind: 'name'; readonly voice: string; readonly model: string; readonly voiceId?: never };

export interface SpeechRequest {
  readonly input: string;
  readonly voice: VoiceSelection;
  readonly style?: string;
  /** Integer, 0 to 2147483647. */
  readonly seed?: number;
  /** 0 to 2. */
  readonly temperature?: number;
  readonly responseFormat?: ResponseFormat;
  /** 0.7 to 1.5, 1 is normal. */
  readonly speed?: number;
}

export type RequestField = 'input' | 'voice' | 'model' | 'style' | 'seed' | 'temperature' | 'responseFormat' | 'speed';

/** Why a request was refused before anything was sent. `min`, `max` and `allowed` let a caller word it for people. */
export type RequestIssue =
  | { readonly field: RequestField; readonly problem: 'empty' | 'not-text' | 'not-a-number' | 'not-an-integer' }
  | { readonly field: RequestField; readonly problem: 'out-of-range'; readonly min: number; readonly max: number }
  | { readonly field: 'responseFormat'; readonly problem: 'unsupported'; readonly allowed: readonly AudioFormat[] };

/** A parameter that was given and that the chosen model ignores. */
export interface RequestWarning {
  readonly field: 'style' | 'seed' | 'temperature' | 'speed';
  readonly model: string;
}
