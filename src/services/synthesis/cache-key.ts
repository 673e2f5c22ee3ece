import { createHash, createHmac } from 'node:crypto';
import { type SpeechRequest, toWire, type VoiceSelection } from '../../speech/request.ts';

/** Goes up when the same request comes to sound different: another encoder setting, another way of evening loudness. */
const SOUND_VERSION = 2;

export interface SoundScope {
  /** What answers requests: the service's address, or for the local voice what speaks for it. */
  readonly service: string;
  /** The key of the account: its voices may be its own. Only a hash of it is used. */
  readonly apiKey: string;
  /** What decides how a voice sounds, where that is not the service's own affair. */
  readonly soundOf?: (voice: VoiceSelection) => string | undefined;
}

/**
 * The name under which a request's sound is kept: the same for everything that sounds the same. Neither the text nor the
 * key can be read from it, and without the key a guess at a text cannot be checked.
 */
export function createCacheKey(scope: SoundScope): (request: SpeechRequest) => string {
  const secret = cacheSecret(scope);
  return (request) => {
    // What the model ignores is not sent, and so makes no difference.
    const fields = Object.entries(toWire(request)).sort(([one], [other]) => (one < other ? -1 : 1));
    const sound = scope.soundOf?.(request.voice);
    const name = sound === undefined ? fields : [...fields, sound];
    return createHmac('sha256', secret).update(JSON.stringify(name)).digest('base64url');
  };
}

/** What the names of kept sounds are made with, and with it the key for kept texts. */
export const cacheSecret = ({ service, apiKey }: Pick<SoundScope, 'service' | 'apiKey'>): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([SOUND_VERSION, service, apiKey]))
    .digest();
