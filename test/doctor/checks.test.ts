import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { checkNode } from '../../src/doctor/finding.ts';
import { checkNeuralVoices } from '../../src/doctor/neural-voices.ts';
import { checkSpeechService } from '../../src/doctor/speech.ts';
import { checkStore } from '../../src/doctor/store.ts';
import { checkFfmpeg, checkOpus, checkVoiceLibrary } from '../../src/doctor/voice.ts';
import { openDatabase } from '../../src/services/storage/database.ts';
import { serverThat } from '../loopback-server.ts';
import { silentLog } from '../silent-log.ts';
import { installTinyVoice } from '../speech-service/synthesis/neural/tiny-voice.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const signal = AbortSignal.timeout(60_000);

describe('the doctor on this machine', () => {
  test.each([
    ['22.18.9', 'blocking'],
    ['22.19.0', 'good'],
  ])('judges Node %s', (version, verdict) => {
    expect(checkNode(version).verdict).toBe(verdict);
  });

  test('says why the native Opus encoder is not used, what that costs and how to get it', () => {
    const finding = checkOpus({ reason: 'compiled against another Node' });
    expect(finding.found).toMatch(/^libopus-wasm.* \(the native one: compiled against another Node\)$/);
    expect(finding).toMatchObject({ verdict: 'attention', remedy: expect.stringContaining('npm run build:opus') });
  });

  test('can do without ffmpeg, and says what cannot be played then', async () => {
    const finding = await checkFfmpeg(join(temporaryFolder(), 'ffmpeg'), signal);
    expect(finding).toMatchObject({ verdict: 'attention', found: 'none' });
    expect(finding.means).toContain('neither WAV nor MP3');
  });

  test('tells that the voice library is not the version whose insides are used', async () => {
    expect(await checkVoiceLibrary()).toMatchObject({ verdict: 'good', found: expect.stringContaining('0.19.2') });
    const other = await checkVoiceLibrary((name) => (name === '@discordjs/voice' ? '0.19.3' : '0.1.12'));
    expect(other).toMatchObject({ verdict: 'attention', found: '@discordjs/voice 0.19.3 instead of 0.19.2' });
  });
});

describe('the doctor on the store', () => {
  test('does not create a folder that is not there yet', () => {
    const folder = join(temporaryFolder(), 'deep', 'data');
    expect(checkStore(folder)).toMatchObject({ verdict: 'good', found: expect.stringContaining('will be created') });
    expect(existsSync(folder)).toBe(false);
  });

  test('points out files that other users can read, not a folder that can merely be listed', () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(join(folder, 'speech'), { recursive: true });
    for (const name of ['speech-key', 'heartbeat', 'speech/speech-service.sqlite']) {
      writeFileSync(join(folder, name), '', { mode: 0o600 });
    }
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'speech'), 0o755);
    expect(checkStore(folder).verdict).toBe('good');
    chmodSync(join(folder, 'speech-key'), 0o644);
    chmodSync(join(folder, 'speech/speech-service.sqlite'), 0o640);
    expect(checkStore(folder)).toMatchObject({
      verdict: 'attention',
      found: expect.stringMatching(/open to others: speech\/speech-service\.sqlite, speech-key$/),
      remedy: `chmod -R go= '${folder}'`,
    });
    chmodSync(folder, 0o700);
    expect(checkStore(folder).verdict).toBe('good');
  });

  test('leaves the group of a folder alone that it reaches by that group, as Kubernetes mounts one', () => {
    const folder = join(temporaryFolder(), 'data');
    mkdirSync(folder);
    chmodSync(folder, 0o2770);
    writeFileSync(join(folder, 'speech-key'), '');
    chmodSync(join(folder, 'speech-key'), 0o660);
    expect(checkStore(folder)).toMatchObject({ verdict: 'attention', remedy: `chmod -R go= '${folder}'` });
    vi.spyOn(process, 'getuid').mockReturnValue(statSync(folder).uid + 1);
    expect(checkStore(folder).verdict).toBe('good');
    chmodSync(folder, 0o2777);
    expect(checkStore(folder)).toMatchObject({ verdict: 'attention', remedy: `chmod -R o= '${folder}'` });
  });

  test('finds settings that are damaged further on, where a start does not look', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'crier.sqlite');
    const database = openDatabase(file, silentLog);
    database.exec("INSERT INTO entries VALUES ('a', 'b', 'c', NULL)");
    database.close();
    expect(checkStore(folder).verdict).toBe('good');
    // Behind the first page, which has the schema.
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(7, 4096));
    expect(checkStore(folder)).toMatchObject({
      verdict: 'blocking',
      found: expect.stringContaining(`${file} is damaged`),
      remedy: 'Move it away, and the bot starts with empty settings; or put a backup in its place.',
    });
    expect(readFileSync(file)).toEqual(bytes);
    expect(readdirSync(folder)).toEqual(['crier.sqlite']);
  });
});

describe('the doctor on installed voices', () => {
  test('lists them with the memory that they take, and broken ones with a remedy', () => {
    const dataDir = temporaryFolder();
    installTinyVoice(dataDir);
    mkdirSync(join(dataDir, 'voices', 'broken'));
    writeFileSync(join(dataDir, 'voices', 'broken', 'voice.json'), '{');
    expect(checkNeuralVoices(dataDir, undefined)).toMatchObject([
      { verdict: 'good', found: 'tiny (about 90 MB of memory)' },
      { verdict: 'attention', found: expect.stringContaining('broken: voice.json is not JSON') },
    ]);
  });

  test('does not let those keep the bot from running that cannot be run on this machine', () => {
    const dataDir = temporaryFolder();
    installTinyVoice(dataDir);
    expect(checkNeuralVoices(dataDir, 'The package is missing.')).toMatchObject([
      { verdict: 'attention', means: 'The package is missing. Built-in voices speak in their place.' },
    ]);
  });
});

describe('the doctor on the speech service', () => {
  const key = 'key-that-nobody-may-see';

  const check = (url: string, deadlineMs?: number) =>
    checkSpeechService({ url: new URL(url), key, authHeaderPrefix: 'Bearer' }, signal, deadlineMs);
  const ask = async (answer: RequestListener, deadlineMs?: number) => check(await serverThat(answer), deadlineMs);

  const refuse =
    (status: number, code: string): RequestListener =>
    (_request, response) => {
      const error = { message: `about ${key}`, type: 'some_error', code, param: null };
      // The wait is longer than any deadline, so nothing is asked again.
      const headers = { 'content-type': 'application/json', 'retry-after': '3600' };
      response.writeHead(status, headers).end(JSON.stringify({ error }));
    };

  test('tells a refused key without it, and holds no outage of the service against this machine', async () => {
    const refused = await ask(refuse(401, 'invalid_api_key'));
    expect(refused).toMatchObject({ verdict: 'blocking', remedy: expect.stringContaining('VOICE_API_KEY') });
    expect(JSON.stringify(refused)).not.toContain(key);
    expect((await ask(refuse(503, 'service_unavailable'))).verdict).toBe('attention');
  });

  test('tells that nothing listens there, and waits for one that never answers until its deadline', async () => {
    const blocking = { verdict: 'blocking', remedy: expect.stringContaining('VOICE_API_URL') };
    const gone = await check('http://127.0.0.1:1/below?secret', 2_000);
    expect(gone).toMatchObject({ ...blocking, found: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/below, with/) });
    expect(await ask(() => undefined, 300)).toMatchObject(blocking);
  });
});
