import type { Logger } from 'pino';
import { readsAll, writtenWords } from '../../language/speakable-words.ts';
import { isKnownModelId } from '../../speech/interface/models.ts';
import type { ModelInfo, Voice } from '../../speech/interface/schemas.ts';
import { EngineError, type SpeechEngine, type SynthesisJob, type SynthesizedAudio } from '../synthesis/engine.ts';
import {
  type CatalogVoice,
  listed,
  modelInfo,
  OWN_MODELS,
  ownVoices,
  type ServedVoice,
  serverRules,
  serverVoice,
} from './catalog.ts';

export interface EngineEntry {
  /** The model of a server's voices. */
  readonly name: string;
  readonly engine: SpeechEngine;
  readonly creditsPerCharacter: number;
  /** The operator has named a price for this engine: its credits stand for money. */
  readonly costsMoney: boolean;
  /** The name of the engine that speaks while this one is down, for the same price or less. */
  readonly fallback: string | undefined;
  /** A server speaks its own voices; the embedded synthesizer speaks the service's. */
  readonly server:
    | {
        readonly voices: readonly ServedVoice[] | undefined;
        readonly languages: readonly string[] | undefined;
        readonly takesStyle: boolean;
      }
    | undefined;
}

interface EngineState {
  readonly entry: EngineEntry;
  /** Also while it is down: its fallback speaks for them. */
  voices: readonly CatalogVoice[];
  problem: string | undefined;
  failures: number;
  /** Until then its fallback speaks, since it failed texts (performance.now()). */
  restsUntilMs: number;
  underWay: number;
}

export interface Speaker {
  readonly voice: CatalogVoice;
  readonly state: EngineState;
}

/** A text, as far as it decides which voice can speak it. */
export interface Wanted {
  readonly text: string;
  readonly format: string;
  readonly characters: number;
  /** The same as in `unspeakableWords`. */
  readonly areKanji: boolean;
}

interface EnginesOptions {
  readonly log: Logger;
  readonly whileUpMs: number;
  readonly whileDownMs: number;
  readonly askDeadlineMs: number;
}

export interface Engines {
  readonly ready: Promise<unknown>;
  readonly costMoney: boolean;
  problem(): string | undefined;
  describe(): string;
  /** The voices that clients see: only those that an engine can speak at the moment. */
  voices(): Voice[];
  models(): readonly ModelInfo[];
  hasModel(model: string): boolean;
  /** Every voice that is known, also those of engines that are down. */
  find(isIt: (voice: CatalogVoice) => boolean): Speaker[];
  /** The one that speaks for a voice: itself, or the fallback while its engine is down or rests; undefined for none. */
  speakerFor(asked: Speaker, wanted: Wanted): Speaker | undefined;
  fallbackFor(asked: Speaker, wanted: Wanted): Speaker | undefined;
  /** Lets an engine speak; it counts as busy until the audio has ended. */
  synthesize(state: EngineState, job: SynthesisJob, signal: AbortSignal): Promise<SynthesizedAudio>;
  wake(): void;
  close(): Promise<void>;
}

/** The limit of the engines file. */
const MAX_VOICE_NAME = 100;
/** A failure may pass. After a second one in a row each text might wait for its deadline, whatever lists the server answers. */
const MAX_FAILURES = 2;
const REST_MS = 60_000;
/** Clients wait no longer for speech that is listened to. */
const LONG_WAIT_MS = 60_000;

/**
 * The engines of a service: their voices, and which one speaks. The first one's voices come first. Servers are asked again and
 * again whether they are there, until the service ends.
 */
export function createEngines(entries: readonly EngineEntry[], options: EnginesOptions): Engines {
  const { log, whileUpMs, whileDownMs, askDeadlineMs } = options;
  const closing = new AbortController();
  const states = entries.map((entry): EngineState => {
    return { entry, voices: voicesOf(entry), problem: undefined, failures: 0, restsUntilMs: 0, underWay: 0 };
  });
  const timers = new Map<EngineState, NodeJS.Timeout>();
  const asking = new Map<EngineState, Promise<void>>();

  const isThere = ({ problem }: EngineState): boolean => problem === undefined;
  const fallbackOf = ({ entry }: EngineState): EngineState | undefined =>
    states.find((other) => other.entry.name === entry.fallback && isThere(other));

  function note(state: EngineState, problem: string | undefined): void {
    const wasThere = isThere(state);
    state.problem = problem;
    if (isThere(state) === wasThere) return;
    const { name: engine, fallback } = state.entry;
    if (problem === undefined) log.info({ engine, voices: state.voices.length }, 'An engine is back');
    else if (fallback === undefined)
      log.warn({ engine, reason: problem }, 'An engine is down: its voices are not listed');
    else log.warn({ engine, reason: problem, fallback }, 'An engine is down: its fallback speaks, if that is there');
  }

  /** Asks a server whether it is there, and for its voices; and again later. */
  function look(state: EngineState): Promise<void> {
    const { engine, server } = state.entry;
    const { ask } = engine;
    if (server === undefined || ask === undefined || closing.signal.aborted) return Promise.resolve();
    const running = asking.get(state);
    if (running) return running;
    clearTimeout(timers.get(state));
    const deadline = AbortSignal.timeout(askDeadlineMs);
    const asked = ask(AbortSignal.any([closing.signal, deadline]))
      .then(
        (voices) => {
          if (server.voices === undefined) state.voices = voicesOf(state.entry, voices);
          note(state, state.voices.length > 0 ? undefined : 'It names no voices: list them in the file of engines.');
        },
        (error: unknown) => {
          // While an engine computes speech, it may answer no other request.
          if (closing.signal.aborted || (deadline.aborted && state.underWay > 0)) return;
          note(state, deadline.aborted ? 'It does not answer in time.' : reasonOf(error));
        },
      )
      .finally(() => {
        asking.delete(state);
        if (closing.signal.aborted) return;
        timers.set(state, setTimeout(() => void look(state), isThere(state) ? whileUpMs : whileDownMs).unref());
      });
    asking.set(state, asked);
    return asked;
  }

  function noteFailure(state: EngineState, error: EngineError): void {
    if (closing.signal.aborted) return;
    if (!othersMeet(error)) {
      // It has read a text that it refuses for what it says.
      if (error.kind !== 'busy') state.failures = 0;
      return;
    }
    // Nothing was sent, or the key was refused.
    if (error.kind === 'down' || error.kind === 'refused') note(state, error.message);
    void look(state);
    state.failures += 1;
    if (state.failures < MAX_FAILURES || !isThere(state) || !fallbackOf(state)) return;
    state.restsUntilMs = performance.now() + REST_MS;
    const { name: engine, fallback } = state.entry;
    log.warn({ engine, reason: error.message, fallback }, 'An engine fails: for a minute its fallback speaks');
  }

  /** The fallback's voice that is nearest to the asked one by language, of those that can speak the text. */
  function instead({ voice, state }: Speaker, { text, format, characters, areKanji }: Wanted): Speaker | undefined {
    const other = fallbackOf(state);
    const speaksIts = ({ languages }: Voice) => voice.languages?.some((one) => languages?.includes(one)) ?? false;
    const distance = (one: Voice) => (!speaksIts(one) ? 2 : one.languages?.length === 1 ? 0 : 1);
    const written = writtenWords(text);
    const nearest = other?.voices
      .toSorted((a, b) => distance(a) - distance(b))
      .find(
        ({ formats, rules, languages }) =>
          formats.includes(format) &&
          characters <= rules.maxInputLength &&
          (languages === undefined || readsAll(written, languages, areKanji)),
      );
    return other && nearest && { voice: nearest, state: other };
  }

  const ready = Promise.all(
    states.map((state) => {
      const { problem } = state.entry.engine;
      if (problem === undefined) return look(state);
      note(state, problem);
      return undefined;
    }),
  );

  return {
    ready,
    costMoney: entries.some(({ costsMoney }) => costsMoney),
    problem() {
      if (states.some(isThere)) return undefined;
      if (states.length === 1) return states[0]?.problem;
      return states.map(({ entry, problem }) => `${entry.name}: ${problem}`).join(' ');
    },
    describe: () => states.map((state) => `${state.entry.engine.name}${isThere(state) ? '' : ' (down)'}`).join(', '),
    voices: () =>
      states.filter((state) => isThere(state) || fallbackOf(state)).flatMap(({ voices }) => voices.map(listed)),
    models() {
      const own = entries.some(({ server }) => server === undefined) ? OWN_MODELS : [];
      const served = entries.filter(({ server }) => server !== undefined);
      return own.concat(served.map((entry) => modelInfo(rulesOf(entry), `Voices of ${entry.name}`)));
    },
    hasModel: (model) =>
      isKnownModelId(model) || entries.some(({ name, server }) => server !== undefined && name === model),
    find: (isIt) => states.flatMap((state) => state.voices.filter(isIt).map((voice) => ({ voice, state }))),
    speakerFor(asked, wanted) {
      if (!isThere(asked.state)) return instead(asked, wanted);
      return (performance.now() < asked.state.restsUntilMs ? instead(asked, wanted) : undefined) ?? asked;
    },
    fallbackFor: instead,
    async synthesize(state, job, signal) {
      state.underWay += 1;
      let isOver = false;
      const end = (outcome: Outcome) => {
        if (isOver) return;
        isOver = true;
        state.underWay -= 1;
        if (outcome instanceof EngineError) noteFailure(state, outcome);
        else if (outcome === 'whole') state.failures = 0;
      };
      try {
        const audio = await state.entry.engine.synthesize(job, signal);
        if (audio.rest !== undefined) return { ...audio, rest: endedBy(audio.rest, end) };
        end('whole');
        return audio;
      } catch (error) {
        // What fails after its client has gone says nothing about the engine.
        end(error instanceof EngineError && !signal.aborted ? error : 'left');
        throw error;
      }
    },
    wake() {
      for (const { engine } of entries) engine.wake?.();
    },
    async close() {
      closing.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...asking.values(), ...entries.map(({ engine }) => engine.close())]);
    },
  };
}

/** Whether other texts would fail as well: the failure is neither the text's, nor over in a moment. */
export function othersMeet({ kind, retryAfterMs = 0 }: EngineError): boolean {
  if (kind === 'busy') return retryAfterMs >= LONG_WAIT_MS;
  return kind !== 'rejected' && kind !== 'policy';
}

/** An engine with a price was sent the text, and may have billed it. */
export const mayBePaid = (error: unknown, { state }: Speaker): boolean =>
  error instanceof EngineError && error.mayBeBilled && state.entry.costsMoney;

const rulesOf = ({ name, server }: EngineEntry) => serverRules(name, server?.takesStyle ?? false);

function voicesOf(entry: EngineEntry, asked: readonly ServedVoice[] = []): readonly CatalogVoice[] {
  const { engine, server } = entry;
  if (server === undefined) return ownVoices(engine);
  const rules = rulesOf(entry);
  // A server may list one twice, and its id is made from its name.
  const names = new Set<string>();
  return (server.voices ?? asked)
    .filter(({ name }) => name.length <= MAX_VOICE_NAME && names.size < names.add(name).size)
    .map((voice) => serverVoice(rules, voice, server.languages));
}

type Rest = NonNullable<SynthesizedAudio['rest']>;
type Outcome = 'whole' | 'left' | EngineError;

/** The rest of a sound that tells how it ended: whole, in an error, or because nothing more of it is wanted. */
function endedBy({ chunks, cancel }: Rest, onEnd: (outcome: Outcome) => void): Rest {
  async function* watched() {
    try {
      yield* chunks;
      onEnd('whole');
    } catch (error) {
      onEnd(new EngineError('unavailable', `It broke off: ${reasonOf(error)}`, { cause: error }));
      throw error;
    } finally {
      onEnd('left');
    }
  }
  return {
    chunks: watched(),
    cancel() {
      onEnd('left');
      cancel();
    },
  };
}

/** Without an address, which may hold a key. */
function reasonOf(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `It cannot be reached${code}.`;
}
