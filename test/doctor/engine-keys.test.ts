import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkEnginesFile, checkKeyOnItsWay, checkKeysOnTheirWay } from '../../src/doctor/engine-keys.ts';
import { parseEngines } from '../../src/speech/engines/engines-file.ts';

test.skipIf(process.platform === 'win32')('a file with keys that others can read is told', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-engines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'engines.toml');
  writeFileSync(path, '', { mode: 0o644 });
  expect(checkEnginesFile(path, [])).toEqual([]);
  expect(checkEnginesFile(path, ['k'])).toMatchObject([{ verdict: 'attention', remedy: `chmod 600 ${path}` }]);
  chmodSync(path, 0o600);
  expect(checkEnginesFile(path, ['k'])).toEqual([]);
});

const keyTo = (url: string) => checkKeyOnItsWay({ SPEECH_ENGINE_URL: url, SPEECH_ENGINE_KEY: 'k-secret' });

test.each([
  'http://speech.example.com/v1',
  'http://8.8.8.8:8880',
  'http://[2606:4700::1]/v1',
  'http://10.0.0.7/v1',
  'http://nas.local',
])('a key that goes over plain http to %s is told', (url) => {
  const findings = keyTo(url);
  expect(findings).toMatchObject([
    {
      subject: 'SPEECH_ENGINE_KEY',
      verdict: 'attention',
      found: `is sent over plain http to ${new URL(url).host}`,
      remedy: 'Write https:// where that server speaks it. In a network that nobody else uses, it may stay.',
    },
  ]);
  expect(JSON.stringify(findings)).not.toContain('secret');
  expect(checkKeyOnItsWay({ SPEECH_ENGINE_URL: url })).toEqual([]);
});

test.each([
  ...['https://speech.example.com/v1', 'tcp://8.8.8.8:10200', 'http://127.0.0.1:8880/v1', 'http://[::1]:8880'],
  ...[
    'http://localhost:8880',
    'http://kokoro:8880/v1',
    'http://0.0.0.0:8880',
    'http://[::]:8880',
    'http://tts.default.svc',
    'http://nas.tail1234.ts.net',
    'http://tts.default.svc.cluster.local',
  ],
])('a key for %s is not', (url) => {
  expect(keyTo(url)).toEqual([]);
});

test('keys in the file of engines are told with the engine', () => {
  const read = parseEngines(
    '[[engines]]\nname = "cloud"\nkind = "openai"\nurl = "http://e.io/v1"\nkey = "k"\ncredits_per_character = 0\n',
  );
  expect(checkKeysOnTheirWay(read.ok ? read.engines : [])).toMatchObject([
    { subject: 'SPEECH_ENGINES', found: 'the key of engine cloud is sent over plain http to e.io' },
  ]);
});
