import type { Voice } from '../../speech/interface/schemas.ts';
import type { VoiceList } from './voice-catalogue.ts';

/** The voices that admins allow: without a list, all of them. */
export interface VoiceRules {
  readonly allowedModels?: readonly string[] | undefined;
}

/** Of a voice, or of a chosen one, whether or not there is one of its id. */
export const isAllowed = ({ model }: { readonly model: string }, { allowedModels }: VoiceRules): boolean =>
  allowedModels?.includes(model) ?? true;

/** The voices that may be used. */
export const voicesUnder = (rules: VoiceRules, { voices }: Pick<VoiceList, 'voices'>): readonly Voice[] =>
  voices.filter((voice) => isAllowed(voice, rules));
