import type { Logger } from 'pino';
import { readsAll, writtenWords } from '../../language/speakable-words.ts';
import { isKnownModelId } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
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
  /** The engine's name. If the engine is a server, its voices have this name as their model id. */
  readonly name: string;
  readonly engine: SpeechEngine;
  readonly creditsPerCharacter: number;
  /** True if the operator set a price above 0 for the speech engine, so that its credits stand for money. */
  readonly costsMoney: boolean;
  /** The name of the engine that replaces this entry's engine in an outage. It must not cost more per character. */
  readonly fallback: string | undefined;
  /** The voices and languages that the engines file states for a speech server; undefined for the built-in synthesizer. */
  readonly server:
    | {
        readonly voices: readonly ServedVoice[] | undefined;
        readonly languages: readonly string[] | undefined;
        readonly takesStyle: boolean;
      }
    | undefined;
}

const stateOf = (entry: EngineEntry) => ({
  entry,
  /** An engine's voices are kept during its outage, because requests for these voices can go to its fallback engine. */
  voices: voicesOf(entry),
  problem: undefined as string | undefined,
  failures: 0,
  /** After repeated failures of an engine, its fallback engine speaks until this time (performance.now()). */
  restsUntilMs: 0,
  underWay: 0,
});
type EngineState = ReturnType<typeof stateOf>;

export interface Speaker {
  readonly voice: CatalogVoice;
  readonly state: EngineState;
}

export interface Wanted {
  readonly text: string;
  readonly format: string;
  readonly characters: number;
  /** True if the request names Japanese: Chinese characters are then read as kanji, even in a text without kana. */
  readonly areKanji: boolean;
}

/** Milliseconds between two requests to an engine's server for its voices, and the deadline of each request. */
export const PACE = { whileUpMs: 15_000, whileDownMs: 3_000, askDeadlineMs: 5_000 };

export type Engines = ReturnType<typeof createEngines>;

/** Maximum length of a voice's name: voices with longer names, which an engine's server may list, are left out. */
const MAX_VOICE_NAME = 100;
/** After this many failed texts in a row, an engine's fallback speaks, even if the engine's server lists voices. */
const MAX_FAILURES = 2;
const REST_MS = 60_000;
/** If a busy engine announces at least this wait, its fallback engine speaks, because listeners do not wait so long. */
const LONG_WAIT_MS = 60_000;

/** The first engine's voices are listed first. Engines that are servers are checked repeatedly until `close`. */
export function createEngines(entries: readonly EngineEntry[], options: typeof PACE & { readonly log: Logger }) {
  const { log, whileUpMs, whileDownMs, askDeadlineMs } = options;
  const closing = new AbortController();
  const states = entries.map(stateOf);
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
    if (problem === undefined)
      log.info({ engine, voices: state.voices.length }, 'A speech engine is back: its voices speak again');
    else if (fallback === undefined)
      log.warn({ engine, reason: problem }, 'A speech engine is down: its voices are not listed');
    else log.warn({ engine, reason: problem, fallback }, 'A speech engine is down: its fallback speaks if available');
  }

  /** Asks an engine's server for its voices: the answer shows that the server is up. Schedules the next check. */
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
          // A busy speech server may answer no other request, so a missed deadline does not count as an outage.
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
      // An engine that rejects a text for its content works, so its previous failures are forgotten.
      if (error.kind !== 'busy') state.failures = 0;
      return;
    }
    // An engine that is unreachable or rejects its API key would fail at every text, so it counts as down at once.
    if (error.kind === 'down' || error.kind === 'refused') note(state, error.message);
    void look(state);
    state.failures += 1;
    if (state.failures < MAX_FAILURES || !isThere(state) || !fallbackOf(state)) return;
    state.restsUntilMs = performance.now() + REST_MS;
    const { name: engine, fallback } = state.entry;
    log.warn(
      { engine, reason: error.message, fallback },
      'Speech engine failed repeatedly: its fallback speaks for a minute',
    );
  }

  /** Finds the fallback engine's voice that can speak the text and is nearest to the requested voice's languages. */
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
    /** Clients see only voices that an engine or its fallback engine can speak now. */
    voices: () =>
      states.filter((state) => isThere(state) || fallbackOf(state)).flatMap(({ voices }) => voices.map(listed)),
    models() {
      const own = entries.some(({ server }) => server === undefined) ? OWN_MODELS : [];
      const served = entries.filter(({ server }) => server !== undefined);
      return own.concat(served.map((entry) => modelInfo(rulesOf(entry), `Voices of ${entry.name}`)));
    },
    hasModel: (model: string) =>
      isKnownModelId(model) || entries.some(({ name, server }) => server !== undefined && name === model),
    /** Finds voices of all engines, even of engines that are down, because their fallback engines may speak. */
    find: (isIt: (voice: CatalogVoice) => boolean): Speaker[] =>
      states.flatMap((state) => state.voices.filter(isIt).map((voice) => ({ voice, state }))),
    /** Chooses the requested voice, or a fallback engine's voice in an outage or after repeated failures. */
    speakerFor(asked: Speaker, wanted: Wanted) {
      if (!isThere(asked.state)) return instead(asked, wanted);
      return (performance.now() < asked.state.restsUntilMs ? instead(asked, wanted) : undefined) ?? asked;
    },
    fallbackFor: instead,
    /** An engine is busy until its audio has ended. A busy engine that misses a check's deadline is not down. */
    async synthesize(state: EngineState, job: SynthesisJob, signal: AbortSignal): Promise<SynthesizedAudio> {
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
        // A failure after the client has disconnected says nothing about the speech engine.
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

/** True if the engine's error would also affect other texts, unless the engine is only busy for a short time. */
export function othersMeet({ kind, retryAfterMs = 0 }: EngineError): boolean {
  if (kind === 'busy') return retryAfterMs >= LONG_WAIT_MS;
  return kind !== 'rejected' && kind !== 'policy';
}

/** True if an engine with a price received the text, so that it may have billed the text despite the error. */
export const mayBePaid = (error: unknown, { state }: Speaker): boolean =>
  error instanceof EngineError && error.mayBeBilled && state.entry.costsMoney;

const rulesOf = ({ name, server }: EngineEntry) => serverRules(name, server?.takesStyle ?? false);

function voicesOf(entry: EngineEntry, asked: readonly ServedVoice[] = []): readonly CatalogVoice[] {
  const { engine, server } = entry;
  if (server === undefined) return ownVoices(engine);
  const rules = rulesOf(entry);
  // A server may list a voice twice, but voice ids are made from names, so each name is taken once.
  const names = new Set<string>();
  return (server.voices ?? asked)
    .filter(({ name }) => name.length <= MAX_VOICE_NAME && names.size < names.add(name).size)
    .map((voice) => serverVoice(rules, voice, server.languages));
}

type Rest = NonNullable<SynthesizedAudio['rest']>;
type Outcome = 'whole' | 'left' | EngineError;

/** Reports the end of an engine's audio to `onEnd`: complete, failed or canceled. `onEnd` must ignore later calls. */
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

/** The reason of an engine's failure, without the engine's address, which may contain a key. */
function reasonOf(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `It cannot be reached${code}.`;
}
