import type { Voice } from '../../speech/interface/schemas.ts';
import type { VoiceChoice } from '../servers/server-settings.ts';
import type { VoiceList } from './voice-catalogue.ts';

/** The voices that admins allow: without a list, all of them. */
export interface VoiceRules {
  readonly allowedModels?: readonly string[] | undefined;
  readonly allowedVoices?: readonly { readonly voiceId: string }[] | undefined;
  /** Off: no other voice takes the place of one that cannot speak a text. */
  readonly voiceByLanguage?: boolean | undefined;
}

export function isAllowed(
  { id, model }: Pick<Voice, 'id' | 'model'>,
  { allowedModels, allowedVoices }: VoiceRules,
): boolean {
  if (allowedModels && !allowedModels.includes(model)) return false;
  return !allowedVoices || allowedVoices.some(({ voiceId }) => voiceId === id);
}

/** The voices that may be used. */
export const voicesUnder = (rules: VoiceRules, { voices }: Pick<VoiceList, 'voices'>): readonly Voice[] =>
  voices.filter((voice) => isAllowed(voice, rules));

/** Of a chosen voice, whether or not there is one of that id. */
export const isChoiceAllowed = ({ voiceId: id, model }: VoiceChoice, rules: VoiceRules): boolean =>
  isAllowed({ id, model }, rules);
