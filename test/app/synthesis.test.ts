import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { soundScope } from '../../src/app/synthesis.ts';
import { readConfig } from '../../src/config/config.ts';
import { createCacheKey } from '../../src/services/synthesis/sound-store.ts';
import { voiceIdOf } from '../../src/speech/engines/listed-voices.ts';
import type { VoiceSelection } from '../../src/speech/request.ts';

const ENGINE = `
[[engines]]
name = "kokoro"
kind = "openai"
url = "http://127.0.0.1:8880/v1"
key = "k-1"
model = "tts-1"
style = false
credits_per_character = 1
[[engines.voices]]
name = "Nova"
server_name = "nova"
languages = ["en"]
`;

const TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token';

/** The name under which a sound of this voice is kept. */
function soundIn(environment: Readonly<Record<string, string>>, voice: VoiceSelection): string {
  const read = readConfig({ DISCORD_TOKEN: TOKEN, ...environment });
  if (!read.ok) throw new Error('The settings are good ones');
  return createCacheKey(soundScope(read.config.speech, 'key'))({ input: 'Hello', voice });
}

describe('sound of a file of engines', () => {
  const NOVA = { kind: 'id', voiceId: voiceIdOf('kokoro', 'Nova'), model: 'kokoro' } as const;
  const OTHER = `
[[engines]]
name = "other"
kind = "wyoming"
url = "tcp://127.0.0.1:10200"
[[engines.voices]]
name = "Coral"
`;

  const folder = mkdtempSync(join(tmpdir(), 'crier-engines-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const soundOf = (toml: string, voice: VoiceSelection = NOVA, file = 'engines.toml') => {
    const path = join(folder, file);
    writeFileSync(path, toml);
    return soundIn({ SPEECH_ENGINES: path }, voice);
  };

  test.each([
    [':8880/v1', ':8881/v1'],
    ['"tts-1"', '"tts-1-hd"'],
    ['style = false', 'style = true'],
    ['"nova"', '"alloy"'],
  ])('is made again where the file has %s changed to %s', (said, other) => {
    expect(soundOf(ENGINE.replace(said, other))).not.toBe(soundOf(ENGINE));
  });

  test('differs between the voices and engines of the file, and is kept where something is said of others alone', () => {
    const sound = soundOf(ENGINE + OTHER);
    expect(soundOf(ENGINE.replace('"k-1"', '"k-2"').replace('character = 1', 'character = 2') + OTHER)).toBe(sound);
    expect(soundOf(`${ENGINE}[[engines.voices]]\nname = "Onyx"\nserver_name = "onyx"\n${OTHER}`)).toBe(sound);
    expect(soundOf(`${ENGINE}${OTHER}[[engines.voices]]\nname = "Echo"\n`)).toBe(sound);
    expect(soundOf(`[[engines]]\nname = "own"\nkind = "embedded"\n${ENGINE}${OTHER}`)).toBe(sound);
    expect(soundOf(ENGINE + OTHER, NOVA, 'renamed.toml')).toBe(sound);
    const listedByServer = OTHER.slice(0, OTHER.indexOf('[[engines.voices]]'));
    const coral = { kind: 'id', voiceId: voiceIdOf('other', 'Coral'), model: 'other' } as const;
    expect(soundOf(ENGINE + OTHER, coral)).not.toBe(sound);
    expect(soundOf((ENGINE + OTHER).replace(':10200', ':10201'), coral)).not.toBe(soundOf(ENGINE + OTHER, coral));
    expect(soundOf(ENGINE + listedByServer, coral)).toBe(soundOf(ENGINE + OTHER, coral));
    expect(soundOf(ENGINE.replace('model = "tts-1"\n', ''))).toBe(soundOf(ENGINE));
  });

  test('of the local synthesizer is kept whatever the file says', () => {
    const aria = { kind: 'name', voice: 'aria', model: 'gpro' } as const;
    const embedded = '[[engines]]\nname = "own"\nkind = "embedded"\n';
    expect(soundOf(embedded + ENGINE, aria)).toBe(soundOf(embedded, aria));
  });
});
