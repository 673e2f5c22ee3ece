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

test('sound is kept for what the file of engines says of it, at the same path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-engines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'engines.toml');
  const scopeOf = (toml: string) => {
    writeFileSync(path, toml);
    const read = readConfig({ DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token', SPEECH_ENGINES: path });
    if (!read.ok) throw new Error('The file is a good one');
    return soundScope(read.config.speech, 'key').service;
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
