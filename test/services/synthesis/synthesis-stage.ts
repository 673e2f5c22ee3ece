import type { Buffer } from 'node:buffer';
import { type Clip, type ClipWriter, createClip } from '../../../src/audio/clips/clip.ts';
import type { AudioPipeline, ClipOptions } from '../../../src/audio/making/pipeline.ts';
import { createLostAudioWatch } from '../../../src/services/spending/lost-audio-watch.ts';
import type { Reservation, Spending } from '../../../src/services/spending/spending.ts';
import type { RenderOptions } from '../../../src/services/synthesis/parts.ts';
import {
  createCacheKey,
  createPurchases,
  createSoundStore,
  type Purchases,
} from '../../../src/services/synthesis/sound-store.ts';
import { createSynthesizer } from '../../../src/services/synthesis/synthesis.ts';
import { readAudio } from '../../../src/sound/audio-file.ts';
import type { CallOptions, CallProgress, SpeechClient, SpeechResult } from '../../../src/speech/client/client.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { SpeechRequest } from '../../../src/speech/interface/schemas.ts';
import { packetsOf } from '../../audio/opus-sounds.ts';
import { speechLike } from '../../audio/sounds.ts';
import { silentLog } from '../../silent-log.ts';
import { speechResult } from '../../speech/speech-result.ts';

export const CREDITS = 7;
/** 240 ms that are heard from their first to their last packet. */
export const SOUND: readonly Buffer[] = await packetsOf(speechLike(24_000, 0.24));

/** What no limit holds back. */
export const reservationOf = (about: number): Reservation => ({
  about,
  isPlausible: () => true,
  ownLeft: () => undefined,
  confirm: async () => {},
  settle: async () => {},
  release: async () => {},
  unknown: async () => {},
});
export type SpendingDouble = Pick<Spending, 'reserve' | 'cached'>;
const freeSpending: SpendingDouble = { reserve: async () => reservationOf(1), cached: async () => {} };

/** A request that reached the service and that the test answers when it wants to. */
function createBilled(number: number, request: SpeechRequest, options: CallOptions) {
  const { signal = new AbortController().signal, onProgress } = options;
  const { promise, resolve, reject } = Promise.withResolvers<SpeechResult>();
  let isSent = false;
  signal.addEventListener('abort', () =>
    reject(new SpeechError({ kind: 'aborted', message: 'given up', creditsMayBeSpent: isSent })),
  );
  return {
    ...{ request, signal, options, promise },
    /** The service's answer; its sound can be fetched from then on. */
    answer: (result?: Partial<SpeechResult>) =>
      resolve(
        speechResult({
          audioUrl: new URL(`https://audio.example.com/${number}`),
          creditsUsed: CREDITS,
          creditsRemaining: 1000 - CREDITS * number,
          requestId: `req_${number}`,
          ...result,
        }),
      ),
    fail: reject,
    /** Whether the service works on it, or it waits for another attempt. */
    progress(step: CallProgress): void {
      isSent = step.kind === 'sent';
      onProgress?.(step);
    },
  };
}

interface Scenery {
  readonly memoryBytes?: number;
  readonly spending?: Partial<SpendingDouble>;
  readonly limit?: number;
  /** Answers and fills by itself. */
  readonly isAutomatic?: boolean;
  /** Requests are sent at once, unless they wait for their turn. */
  readonly isPaced?: boolean;
  readonly file?: Buffer;
  /** Why a sound cannot be fetched, if so; the attempts are counted from 1. */
  readonly fetching?: (url: URL, attempt: number) => Error | undefined;
  readonly purchases?: Purchases;
  readonly isFree?: boolean;
}

export function stage({ isAutomatic = false, isPaced = false, fetching, file, ...scenery }: Scenery = {}) {
  const billed: ReturnType<typeof createBilled>[] = [];
  /** Sounds that are being fetched and that the test fills. */
  const fetched: { readonly url: URL; readonly options: ClipOptions; readonly writer: ClipWriter }[] = [];
  /** What listeners waited for each later part. */
  const partWaitsMs: number[] = [];

  function fill(writer: ClipWriter, seconds = 0): void {
    do for (const packet of SOUND) writer.push(packet);
    while (writer.clip.durationMs < seconds * 1_000);
    writer.complete();
  }

  const synthesizer = createSynthesizer({
    store: createSoundStore({ memoryBytes: scenery.memoryBytes ?? 1_000_000, disk: undefined, log: silentLog }),
    keyOf: createCacheKey({ service: 'https://speech.example.com', apiKey: 'key' }),
    onPartAudio: (ms) => partWaitsMs.push(ms),
    paidAudio: createLostAudioWatch({ notify: async () => undefined, log: silentLog, isFree: false }),
    purchases: scenery.purchases ?? createPurchases({ rows: undefined, addressesLast: true }),
    spending: { ...freeSpending, ...scenery.spending } as Spending,
    stopping: new AbortController().signal,
    isFree: scenery.isFree ?? false,
    models: () => ['orpheus', 'gpro'].map((id) => ({ id, max_input_length: scenery.limit ?? 500 })),
    speech: {
      speak(request, options = {}) {
        const one = createBilled(billed.length + 1, request, options);
        billed.push(one);
        if (!isPaced) one.progress({ kind: 'sent' });
        if (isAutomatic) one.answer();
        return one.promise;
      },
    } as SpeechClient,
    pipeline: {
      async fetchClip(url: URL, options: ClipOptions): Promise<Clip> {
        const writer = createClip();
        options.signal.addEventListener('abort', () => writer.clip.cancel());
        fetched.push({ url, options, writer });
        const failure = fetching?.(url, fetched.length);
        if (failure) throw failure;
        if (isAutomatic) fill(writer);
        return writer.clip;
      },
      async fetchFile() {
        if (!file) throw new Error('There is no file');
        return readAudio(file);
      },
    } as Partial<AudioPipeline> as AudioPipeline,
  });

  /** Everything that can go on without the test has gone on. */
  async function settled() {
    for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** The service's answer to the newest request; its sound is fetched. */
  async function pays(result?: Partial<SpeechResult>) {
    billed.at(-1)?.answer(result);
    await settled();
  }
  /** All of the newest sound: of so many seconds at least. */
  async function arrives(seconds?: number) {
    fill((fetched.at(-1) as (typeof fetched)[0]).writer, seconds);
    await settled();
  }

  return {
    synthesizer,
    /** A member asks for a text, as far as that goes by itself. */
    async asks(userId: string, input = 'Hello', more: Partial<RenderOptions> = {}) {
      const synthesis = synthesizer.render(asked(input), { ...by(userId), ...more });
      synthesis.clip.catch(() => undefined);
      await settled();
      return synthesis;
    },
    pays,
    arrives,
    async make(seconds?: number): Promise<void> {
      await pays();
      await arrives(seconds);
    },
    billed,
    fetched,
    partWaitsMs,
    inputs: () => billed.map(({ request }) => request.input),
    settled,
  };
}

export const asked = (input: string, more: Partial<SpeechRequest> = {}): SpeechRequest => ({
  input,
  voice: { kind: 'id', voiceId: 'v', model: 'orpheus' },
  ...more,
});

const { signal } = new AbortController();
const UNFOLLOWED = { guildId: 'guild', signal, wasPaidBefore: false, onProgress: undefined };
/** A member who listens, follows no progress and takes nothing back. */
export const by = (userId: string): RenderOptions => ({ ...UNFOLLOWED, userId });
