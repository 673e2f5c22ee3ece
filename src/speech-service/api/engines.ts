import type { Logger } from 'pino';
import { readsAll, writtenWords } from '../../language/speakable-words.ts';
import type { ServerVoice } from '../../speech/engines/listed-voices.ts';
import { isKnownModelId } from '../../speech/interface/models.ts';
import type { ModelInfo, Voice } from '../../speech/interface/schemas.ts';
import {
  EngineError,
  type SpeechEngine,
  type SynthesisJob,
  type SynthesisOptions,
  type SynthesizedAudio,
} from '../synthesis/engine.ts';
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

/** One of the engines behind the service, with what its operator says of it. */
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
  /** Why it cannot speak, if so. */
  problem: string | undefined;
  /** Requests to speak that it has not finished. */
  underWay: number;
  /** How many times in a row it did not answer in time. */
  silentAsks: number;
  /** How many texts in a row it failed, whatever it answers when asked for its voices, and when it did last (performance.now()). */
  failures: number;
  failedAtMs: number;
}

/** A voice and the engine that speaks it. */
export interface Speaker {
  readonly voice: CatalogVoice;
  readonly state: EngineState;
}

/** A text, as far as it decides which voice can speak it. */
interface Wanted {
  readonly text: string;
  readonly format: string;
  readonly characters: number;
  /** The same as in `unspeakableWords`. */
  readonly areKanji: boolean;
}

interface EnginesOptions {
  readonly log: Logger;
  /** How often a server that is there is asked, and one that is down. */
  readonly whileUpMs: number;
  readonly whileDownMs: number;
  readonly askDeadlineMs: number;
}

/** The limit of the engines file. */
const MAX_VOICE_NAME = 100;
/**
 * While an engine computes speech, it may answer no other request. It counts as down after this many silent requests,
 * or if it is silent without work.
 */
const MAX_SILENT_ASKS = 3;
/** A failure may pass: clients try a text again. After a second one in a row each text might wait for its deadline. */
const MAX_FAILURES = 2;
const FAILING_FOR_MS = 60_000;
/** Clients wait no longer for speech that is listened to. */
const LONG_WAIT_MS = 60_000;

export type Engines = ReturnType<typeof createEngines>;

/**
 * The engines of a service: their voices, and which one speaks. The first one's voices come first. Servers are asked again and
 * again whether they are there, until the service ends.
 */
export function createEngines(
  entries: readonly EngineEntry[],
  { log, whileUpMs, whileDownMs, askDeadlineMs }: EnginesOptions,
) {
  const closing = new AbortController();
  const states: EngineState[] = entries.map((entry) => ({
    entry,
    voices: voicesOf(entry),
    problem: undefined,
    underWay: 0,
    silentAsks: 0,
    failures: 0,
    failedAtMs: 0,
  }));
  const timers = new Map<EngineState, NodeJS.Timeout>();
  const asking = new Map<EngineState, Promise<void>>();

  const isThere = ({ problem }: EngineState): boolean => problem === undefined;
  /** It is there, and has failed one text after the other until a moment ago. */
  const isFailing = ({ failures, failedAtMs }: EngineState): boolean =>
    failures >= MAX_FAILURES && performance.now() - failedAtMs < FAILING_FOR_MS;
  const fallbackOf = ({ entry }: EngineState): EngineState | undefined =>
    states.find((other) => other.entry.name === entry.fallback && isThere(other));
  const speakers = (): readonly EngineState[] => states.filter((state) => isThere(state) || fallbackOf(state));

  function note(state: EngineState, problem: string | undefined): void {
    const wasThere = isThere(state);
    state.problem = problem;
    if (problem !== undefined) state.failures = 0;
    if (isThere(state) === wasThere) return;
    const { name: engine, fallback } = state.entry;
    if (problem === undefined) log.info({ engine, voices: state.voices.length }, 'An engine is back');
    else if (fallback === undefined)
      log.warn({ engine, reason: problem }, 'An engine is down: its voices are not listed');
    else log.warn({ engine, reason: problem, fallback }, 'An engine is down: its fallback speaks, if that is there');
  }

  function noteFailure(state: EngineState, kind: EngineError['kind'], reason: string): void {
    // It has read a text that it refuses for what it says.
    if (kind === 'rejected' || kind === 'policy') state.failures = 0;
    if ((kind !== 'unavailable' && kind !== 'failed') || closing.signal.aborted) return;
    state.failures += 1;
    state.failedAtMs = performance.now();
    const { name: engine, fallback } = state.entry;
    if (fallback === undefined || !isFailing(state)) return;
    log.warn({ engine, reason, fallback }, 'An engine fails: for a minute its fallback speaks');
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
          state.silentAsks = 0;
          if (server.voices === undefined) state.voices = voicesOf(state.entry, voices);
          note(state, state.voices.length > 0 ? undefined : 'It names no voices: list them in the file of engines.');
        },
        (error: unknown) => {
          if (closing.signal.aborted) return;
          state.silentAsks = deadline.aborted ? state.silentAsks + 1 : 0;
          const isBusy = deadline.aborted && state.underWay > 0 && state.silentAsks < MAX_SILENT_ASKS;
          if (!isBusy) note(state, deadline.aborted ? 'It does not answer in time.' : reasonOf(error));
        },
      )
      .finally(() => {
        asking.delete(state);
        if (closing.signal.aborted) return;
        const isWell = isThere(state) && state.silentAsks === 0;
        timers.set(state, setTimeout(() => void look(state), isWell ? whileUpMs : whileDownMs).unref());
      });
    asking.set(state, asked);
    return asked;
  }

  /** After a failure at a text: where nothing was sent, or the key was refused, the engine is down. */
  function lookAfter(state: EngineState, { kind, message }: EngineError): Promise<void> {
    const isDown = kind === 'down' || kind === 'refused';
    if (isDown) note(state, message);
    return isDown || kind === 'unavailable' ? look(state) : Promise.resolve();
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
    /** Resolves once each engine has answered for the first time, or could not. */
    ready,
    /** Why nothing can be spoken, if so. */
    problem(): string | undefined {
      if (states.some(isThere)) return undefined;
      if (states.length === 1) return states[0]?.problem;
      return states.map(({ entry, problem }) => `${entry.name}: ${problem}`).join(' ');
    },
    /** The engines in words, for a person. */
    describe: () => states.map((state) => `${state.entry.engine.name}${isThere(state) ? '' : ' (down)'}`).join(', '),
    /** The voices that clients see: only those that an engine can speak at the moment. */
    voices: (): Voice[] => speakers().flatMap(({ voices }) => voices.map(listed)),
    models(): readonly ModelInfo[] {
      const own = entries.some(({ server }) => server === undefined) ? OWN_MODELS : [];
      const served = entries.filter(({ server }) => server !== undefined);
      return own.concat(served.map((entry) => modelInfo(rulesOf(entry), `Voices of ${entry.name}`)));
    },
    /** Whether credits stand for money with any of them. */
    costMoney: entries.some(({ costsMoney }) => costsMoney),
    /** Whether a voice can be of this model at all. */
    hasModel: (model: string) =>
      isKnownModelId(model) || entries.some(({ name, server }) => server !== undefined && name === model),
    /** Every voice that is known, also those of engines that are down. */
    find: (isIt: (voice: CatalogVoice) => boolean): Speaker[] =>
      states.flatMap((state) => state.voices.filter(isIt).map((voice) => ({ voice, state }))),
    /** The one that speaks for a voice: itself, or the fallback while its engine is down or failing; undefined for none. */
    speakerFor(asked: Speaker, wanted: Wanted): Speaker | undefined {
      if (!isThere(asked.state)) return instead(asked, wanted);
      return (isFailing(asked.state) ? instead(asked, wanted) : undefined) ?? asked;
    },
    /** The one that speaks a text which the engine of its voice was just found not to take; undefined for none. */
    speakerAfter(asked: Speaker, error: EngineError, wanted: Wanted): Speaker | undefined {
      const { state } = asked;
      const isOffForLong =
        error.kind === 'quota' || (error.kind === 'busy' && (error.retryAfterMs ?? 0) >= LONG_WAIT_MS);
      const other =
        !isThere(state) || isOffForLong || (isFailing(state) && !mayBePaid(error, asked))
          ? instead(asked, wanted)
          : undefined;
      if (other && isOffForLong) {
        log.warn({ engine: state.entry.name, err: error }, 'An engine takes no text: its fallback is asked');
      }
      return other;
    },
    /** Lets an engine speak; it counts as busy until the audio has ended. */
    async synthesize(state: EngineState, job: SynthesisJob, options: SynthesisOptions): Promise<SynthesizedAudio> {
      state.underWay += 1;
      // The one that asks it again; others need not wait for what it finds.
      if (state.failures >= MAX_FAILURES) state.failedAtMs = performance.now();
      let isOver = false;
      const end = () => {
        if (!isOver) state.underWay -= 1;
        isOver = true;
      };
      const onEnd = (how: End) => {
        if (isOver) return;
        end();
        if (how === 'whole') state.failures = 0;
        else if (how !== 'left') noteFailure(state, 'unavailable', `It broke off: ${reasonOf(how.error)}`);
      };
      try {
        const audio = await state.entry.engine.synthesize(job, options);
        if (audio.rest !== undefined) return { ...audio, rest: endedBy(audio.rest, onEnd) };
        onEnd('whole');
        return audio;
      } catch (error) {
        end();
        if (error instanceof EngineError && !options.signal.aborted) noteFailure(state, error.kind, error.message);
        if (error instanceof EngineError) void lookAfter(state, error);
        throw error;
      }
    },
    wake(): void {
      for (const { engine } of entries) engine.wake?.();
    },
    async close(): Promise<void> {
      closing.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...asking.values(), ...entries.map(({ engine }) => engine.close())]);
    },
  };
}

/** An engine with a price was sent the text, and may have billed it. */
export const mayBePaid = (error: unknown, { state }: Speaker): boolean =>
  error instanceof EngineError && error.mayBeBilled && state.entry.costsMoney;

const rulesOf = ({ name, server }: EngineEntry) => serverRules(name, server?.takesStyle ?? false);

function voicesOf(entry: EngineEntry, asked: readonly ServerVoice[] = []): readonly CatalogVoice[] {
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

type End = 'whole' | 'left' | { readonly error: unknown };

/** The rest of a sound that tells its end, or that nothing more of it is wanted. */
function endedBy({ chunks, cancel }: Rest, onEnd: (end: End) => void): Rest {
  async function* watched() {
    let end: End = 'left';
    try {
      yield* chunks;
      end = 'whole';
    } catch (error) {
      end = { error };
      throw error;
    } finally {
      onEnd(end);
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
