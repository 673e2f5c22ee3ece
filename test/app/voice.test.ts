import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { soundScope } from '../../src/app/voice.ts';
import { readConfig } from '../../src/config/config.ts';
import { temporaryFolder } from '../temporary-folder.ts';

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

describe('sound of a file of engines', () => {
  function scopeOf(toml: string, file = 'engines.toml') {
    const path = join(temporaryFolder(), file);
    writeFileSync(path, toml);
    const read = readConfig({ DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token', SPEECH_ENGINES: path });
    if (!read.ok) throw new Error('The settings are good ones');
    return soundScope(read.config.speech, 'key').service;
  }

  test.each([
    [':8880/v1', ':8881/v1'],
    ['"tts-1"', '"tts-1-hd"'],
    ['style = false', 'style = true'],
    ['"nova"', '"alloy"'],
  ])('is made again where the file has %s changed to %s', (said, other) => {
    expect(scopeOf(ENGINE.replace(said, other))).not.toBe(scopeOf(ENGINE));
  });

  test('is kept where the key, the price or the name of the file changes, which it does not tell', () => {
    const changed = ENGINE.replace('"k-1"', '"k-2"').replace('character = 1', 'character = 2');
    expect(scopeOf(changed, 'renamed.toml')).toBe(scopeOf(ENGINE));
    expect(scopeOf(ENGINE)).not.toContain('k-1');
  });
});
