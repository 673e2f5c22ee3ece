import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readAudio } from '../../../../src/sound/audio-file.ts';
import { joinBytes } from '../../../../src/sound/containers.ts';
import type { SynthesizedAudio } from '../../../../src/speech-service/synthesis/engine.ts';
import { installedVoices } from '../../../../src/speech-service/synthesis/neural/installed-voices.ts';
import { createNeuralEngine } from '../../../../src/speech-service/synthesis/neural/neural-engine.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { jobOf } from '../../running-service.ts';
import { installTinyVoice, WITHOUT_SAMPLE_RATE } from './tiny-voice.ts';

/** The worker of a voice that goes wrong as its texts say. */
const BAD_WORKER = new URL('./bad-worker.ts', import.meta.url);

const processes = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;

const never = new AbortController().signal;

async function engineWith(options: Parameters<typeof createNeuralEngine>[1] = {}, model?: Buffer) {
  const dataDir = temporaryFolder();
  const folder = installTinyVoice(dataDir, model);
  const [voice] = installedVoices(dataDir).voices;
  if (voice === undefined) throw new Error('The tiny voice is not usable.');
  const engine = createNeuralEngine(voice, options);
  onTestFinished(() => engine.close());
  const speak = (text: string, signal = never, changes = {}) =>
    engine.synthesize({ ...jobOf(text), serverVoice: '0', ...changes }, signal);
  return { engine, dataDir, folder, speak };
}

async function whole({ bytes, rest }: SynthesizedAudio): Promise<Uint8Array> {
  const parts: Uint8Array[] = [bytes];
  for await (const part of rest?.chunks ?? []) parts.push(part);
  return joinBytes(parts);
}

const seconds = async (audio: Promise<SynthesizedAudio>) => readAudio(await whole(await audio)).seconds;

describe('an installed voice', () => {
  test.each(['wav', 'mp3'] as const)('speaks %s, one tone a letter', async (format) => {
    const { speak } = await engineWith();
    expect(await seconds(speak('hello hello hello', never, { format }))).toBeCloseTo(1.3, 0);
  });

  test('streams: the first sentence is there before the others are spoken', async () => {
    const { speak } = await engineWith();
    const text = 'one sentence of some words and letters. '.repeat(40);
    const audio = await speak(text);
    expect(audio.rest).toBeDefined();
    expect(audio.bytes.byteLength).toBeLessThan((await whole(audio)).byteLength / 2);
  });

  test('stops after the current sentence if nobody wants the rest, and speaks the next text', async () => {
    const { speak } = await engineWith();
    const long = await speak('one sentence of some words and letters. '.repeat(100));
    long.rest?.cancel();
    expect(await seconds(speak('hello'))).toBeGreaterThan(0.3);
  });

  test('drops an abandoned request, and continues with the next', async () => {
    const { speak } = await engineWith();
    const leaving = new AbortController();
    const left = speak('i am not wanted.', leaving.signal);
    const stays = speak('i am.');
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await seconds(stays)).toBeGreaterThan(0.2);
  });

  test('gives its memory back when idle, and is back for the next text', async () => {
    const before = processes();
    const { speak } = await engineWith({ restAfterMs: 1 });
    await seconds(speak('hello'));
    await expect.poll(processes).toBe(before);
    expect(await seconds(speak('hello'))).toBeGreaterThan(0.3);
  });

  test('that does not load is told in the runtime’s words, and is tried again later', async () => {
    const { engine, dataDir, speak } = await engineWith({ againAfterMs: 0 }, WITHOUT_SAMPLE_RATE);
    const reason = "The voice tiny does not load: 'sample_rate' does not exist in the metadata";
    await expect(speak('hello')).rejects.toMatchObject({ kind: 'down', message: reason });
    installTinyVoice(dataDir);
    expect(await seconds(speak('hello'))).toBeGreaterThan(0.3);
    expect(await engine.ask?.(never)).toMatchObject([{ name: 'tina' }]);
  });

  test.each(['die', 'hang'])('whose process goes wrong (%s) loses one text and none that wait', async (text) => {
    const { speak } = await engineWith({ program: BAD_WORKER, stuckAfterMs: 5_000 });
    const failure = { kind: 'failed', message: 'The voice tiny ended while it spoke.' };
    const failing = expect(speak(text)).rejects.toMatchObject(failure);
    const waiting = seconds(speak('hello'));
    await failing;
    expect(await waiting).toBe(1);
  });

  test('ends at once while it loads', async () => {
    const before = processes();
    const program = join(temporaryFolder(), 'loads-forever.mjs');
    writeFileSync(program, 'setInterval(() => {}, 1_000_000);');
    const { engine, speak } = await engineWith({ program: pathToFileURL(program) });
    const failed = expect(speak('hello')).rejects.toThrow();
    await expect.poll(processes).toBe(before + 1);
    const closedAtMs = performance.now();
    await engine.close();
    expect(performance.now() - closedAtMs).toBeLessThan(2_000);
    await failed;
    await expect.poll(processes).toBe(before);
  });

  test('gets no key of the speech service', async () => {
    vi.stubEnv('SPEECH_SERVICE_KEY', 'secret');
    const { speak } = await engineWith({ program: BAD_WORKER });
    await expect(speak('keys')).rejects.toThrow('Its keys: none.');
  });

  test('that was removed says so', async () => {
    const { engine, folder, speak } = await engineWith();
    rmSync(folder, { recursive: true });
    await expect(speak('hello')).rejects.toMatchObject({ kind: 'down', message: 'The voice tiny was removed.' });
    await expect(engine.ask?.(never)).rejects.toThrow('removed');
  });
});
