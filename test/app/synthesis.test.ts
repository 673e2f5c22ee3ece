import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { soundScope } from '../../src/app/synthesis.ts';
import { readConfig } from '../../src/config/config.ts';

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

function scopeIn(environment: Readonly<Record<string, string>>): string {
  const read = readConfig({ DISCORD_TOKEN: TOKEN, ...environment });
  if (!read.ok) throw new Error('The settings are good ones');
  return soundScope(read.config.speech, 'key').service;
}

test('sound of the only server is kept over another key or price, and not for another model', () => {
  const server = {
    ...{ SPEECH_ENGINE_URL: 'http://127.0.0.1:8880/v1', SPEECH_ENGINE_KEY: 'k-1' },
    SPEECH_ENGINE_CREDITS_PER_CHARACTER: '0',
  };
  const scope = scopeIn(server);
  const renewed = { SPEECH_ENGINE_KEY: 'k-2', SPEECH_ENGINE_CREDITS_PER_CHARACTER: '1.5' };
  expect(scopeIn({ ...server, ...renewed })).toBe(scope);
  expect(scopeIn({ ...server, SPEECH_ENGINE_MODEL: 'kokoro' })).not.toBe(scope);
});

test('sound is kept for what the file of engines says of it, at the same path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-engines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'engines.toml');
  const scopeOf = (toml: string) => {
    writeFileSync(path, toml);
    return scopeIn({ SPEECH_ENGINES: path });
  };
  const scope = scopeOf(ENGINE);
  for (const [said, other] of [
    [':8880/v1', ':8881/v1'],
    ['"tts-1"', '"tts-1-hd"'],
    ['style = false', 'style = true'],
    ['"Nova"', '"Alloy"'],
    ['"nova"', '"alloy"'],
  ] as const) {
    expect(scopeOf(ENGINE.replace(said, other)), said).not.toBe(scope);
  }
  expect(scopeOf(ENGINE.replace('"k-1"', '"k-2"').replace('character = 1', 'character = 2'))).toBe(scope);
});
