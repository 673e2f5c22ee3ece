import { expect, it } from 'vitest';
import { describeStrange, strangeVariables } from '../../src/config/strange-variables.ts';

const said = (environment: Readonly<Record<string, string>>, file?: Readonly<Record<string, string>>) =>
  strangeVariables(environment, file).map(describeStrange);

it('a name in .env that is no setting is named, but not what may be a key with = at its end', () => {
  expect(said({ c2VjcmV0LWtleQ: '=' }, { c2VjcmV0LWtleQ: '=', READ_MESSAGE: 'on', COLOR: 'red' })).toEqual([
    'READ_MESSAGE is not a setting of Crier: did you mean READ_MESSAGES?',
    'COLOR is not a setting of Crier',
  ]);
});

// There a container or a unit puts the lines of its file.
it('a variable of the environment that is nearly a setting is named, and other programs’ are not', () => {
  expect(said({ AUDIO_CACHES_MB: '1', SPENDINGS_PER_DAY: '2' })).toEqual([
    'AUDIO_CACHES_MB is not a setting of Crier: did you mean AUDIO_CACHE_MB?',
    'SPENDINGS_PER_DAY is not a setting of Crier: did you mean SPENDING_PER_DAY?',
  ]);
  // No slip, and nobody else's.
  expect(said({ SPEECH_ENGINE_PRICE: '3' })).toEqual(['SPEECH_ENGINE_PRICE is not a setting of Crier']);
  const others = { VOICE_API_PORT: '1', LOG_FILE: 'l', SPEECH_SERVICE_FAULTS: '', DATABASE_URL: 'd', PATH: '/' };
  expect(said(others)).toEqual([]);
});
