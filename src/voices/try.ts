import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { commandOf } from '../process/package.ts';
import { readAudio } from '../sound/audio-file.ts';
import { EngineError, plainJob } from '../speech-service/synthesis/engine.ts';
import { installedVoices } from '../speech-service/synthesis/neural/installed-voices.ts';
import { createNeuralEngine } from '../speech-service/synthesis/neural/neural-engine.ts';

export interface TryOptions {
  readonly dataDir: string;
  readonly signal: AbortSignal;
  /** The name of one of the model's voices; undefined for its first voice. */
  readonly speaker: string | undefined;
  /** The path of the WAV file; undefined for a file named after the model and its voice. */
  readonly output: string | undefined;
}

/** Writes a WAV file with the text as the bot would speak it. Throws an OperatorError that explains a failure. */
export async function tryVoice(name: string, text: string, { dataDir, signal, speaker, output }: TryOptions) {
  const { voices, problems } = installedVoices(dataDir);
  const model = voices.find((one) => one.name === name);
  if (model === undefined) {
    for (const problem of problems) console.error(`Not usable: ${problem}`);
    throw new OperatorError(`${name} is not installed`, { remedy: `${commandOf('voices', 'add', name)} installs it` });
  }
  const [voice] = model.voices.filter((one) => one.name === (speaker ?? model.voices[0]?.name));
  if (voice === undefined) {
    const names = model.voices.map((one) => one.name).join(', ');
    throw new OperatorError(`${name} has no voice ${speaker}`, { remedy: `its voices are: ${names}` });
  }
  const job = { ...plainJob(text, voice.name), serverVoice: String(voice.speaker) };
  const engine = createNeuralEngine(model);
  try {
    if (engine.problem !== undefined) throw new EngineError('down', engine.problem);
    const startedAtMs = performance.now();
    const { bytes, rest } = await engine.synthesize(job, signal);
    const firstAudioMs = performance.now() - startedAtMs;
    const chunks: Uint8Array[] = [bytes];
    for await (const chunk of rest?.chunks ?? []) chunks.push(chunk);
    const tookMs = performance.now() - startedAtMs;
    const audio = readAudio(Buffer.concat(chunks));
    const file = resolve(output ?? `${name}-${voice.name}.wav`);
    writeFileSync(file, audio.bytes);
    return { file, voice: voice.name, seconds: audio.seconds, firstAudioMs, tookMs };
  } catch (error) {
    if (error instanceof EngineError) throw new OperatorError(error.message, { cause: error });
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    if (syscall !== 'open' && syscall !== 'write') throw error;
    throw new OperatorError(`${path ?? output} cannot be written (${code})`, {
      remedy: '--output FILE names another file',
      cause: error,
    });
  } finally {
    await engine.close();
  }
}
