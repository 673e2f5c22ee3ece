import { expect, test, vi } from 'vitest';
import { startDemo } from '../../../src/playground/demo/demo.ts';

test('a configured voice that is not there is refused, with the way for settings of --set', async () => {
  for (const name of ['VOICE_API_URL', 'VOICE_API_KEY', 'SPEECH_ENGINES', 'SPEECH_ENGINE_URL'])
    vi.stubEnv(name, undefined);
  await expect(startDemo({ configuredVoice: true, settings: { SPEECH_ENGINES: 'engines.toml' } })).rejects.toThrow(
    '--set SPEECH_ENGINES=FILE alone works.',
  );
});
