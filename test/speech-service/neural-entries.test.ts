import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAudio } from '../../src/sound/audio-file.ts';
import { parseEngines } from '../../src/speech/engines/engines-file.ts';
import { openEngines } from '../../src/speech-service/open-engines.ts';
import { writtenLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runningService } from './running-service.ts';
import { installTinyVoice, WITHOUT_SAMPLE_RATE } from './synthesis/neural/tiny-voice.ts';
import { openAi } from './synthesis/speaking-servers.ts';

const HELLO = { input: 'hello', response_format: 'wav' };

describe('installed voices', () => {
  test('are listed beside the built-in voices, with what they are', async () => {
    const voicesIn = temporaryFolder();
    installTinyVoice(voicesIn);
    const service = await runningService({ voicesIn });
    expect(service.installed).toEqual(['tiny (about 90 MB of memory while it speaks)']);
    const voices = await service.voices();
    expect(voices[0]).toMatchObject({ name: 'aria' });
    const tina = { name: 'tina', gender: 'female', accent: 'Irish', language: 'en-IE', languages: ['en'] };
    expect(voices.at(-1)).toMatchObject({ ...tina, model: 'tiny', formats: ['wav', 'mp3'], supports_style: false });
  });

  test('give way to an engine of the same name', async () => {
    const { log, lines } = writtenLog('warn');
    const voicesIn = temporaryFolder();
    installTinyVoice(voicesIn);
    const local = '[[engines]]\nname = "local"\nkind = "embedded"';
    const read = parseEngines(`${openAi('http://127.0.0.1:2', '', 'tiny')}${local}`);
    const engines = openEngines(read.ok ? read.engines : [], 60_000);
    const service = await runningService({ voicesIn, log, engines });
    expect(service.installed).toEqual([]);
    expect((await service.voices()).map(({ name }) => name)).not.toContain('tina');
    expect(lines.map(({ reason }) => reason)).toContain(
      'The installed voice tiny has the name of an engine in the file of SPEECH_ENGINES.',
    );
  });

  test('that are unusable or do not load are told in words, and the others go on', async () => {
    const { log, lines } = writtenLog('warn');
    const voicesIn = temporaryFolder();
    installTinyVoice(voicesIn);
    installTinyVoice(voicesIn, WITHOUT_SAMPLE_RATE, 'broken');
    mkdirSync(join(voicesIn, 'voices', 'empty'));
    const service = await runningService({ voicesIn, voiceEngine: 'tiny', log });
    // The one that was chosen comes first.
    expect((await service.voices())[0]).toMatchObject({ name: 'tina', model: 'tiny' });
    const instead = await service.speak({ ...HELLO, voice: 'tina', model: 'broken' });
    expect(instead.body.spoken_by).toBeDefined();
    expect(readAudio(await service.listen({ ...HELLO, voice: 'tina', model: 'tiny' })).seconds).toBeGreaterThan(0.3);
    const told = lines.map(({ reason }) => reason);
    expect(told).toContainEqual(expect.stringMatching(/empty: voice\.json is missing$/));
    expect(told).toContain("The voice broken does not load: 'sample_rate' does not exist in the metadata");
  });
});
