import type { Logger } from 'pino';
import { unspeakableWords } from '../../language/speakable-words.ts';
import { languageNamesIn } from '../../speech/engines/language-tags.ts';
import { isKnownModelId } from '../../speech/interface/models.ts';
import type { ModelInfo, Voice } from '../../speech/interface/schemas.ts';
import {
  EngineError,
  type ServerVoice,
  type SpeechEngine,
  type SynthesisedAudio,
  type SynthesisJob,
  type SynthesisOptions,
} from '../synthesis/engine.ts';
import {
  type CatalogueVoice,
  listed,
  modelInfo,
  OWN_MODELS,
  ownVoices,
  serverRules,
  serverVoice,
} from './catalogue.ts';

/** One of the engines behind the service, with what its operator says of it. */
export interface EngineEntry {
  /** The model of a server's own voices. */
  readonly name: string;
  readonly engine: SpeechEngine;
  readonly creditsPerCharacter: number;
  /** The operator has named prices, for this engine or another: credits stand for money. */
  readonly isPriced?: boolean;
  /** The name of the engine that speaks while this one is down. */
  readonly fallback?: string;
  /**
   * Present where the engine is one of several: while it is down, its voices are listed with the one that speaks in the place
   * of each, or not at all. Absent for a service's only one, whose failures each request is told.
   */
  readonly watched?: {
    /** Of a server, whose voices are its own; the other engines speak the service's. */
    readonly server?: {
      readonly voices?: readonly (ServerVoice & { readonly serverName?: string })[];
      readonly languages?: readonly string[];
      readonly takesStyle: boolean;
    };
  };
}

interface EngineState {
  readonly entry: EngineEntry;
  /** Also while it is down: its voices are known then, and spoken by the fallback. */
  voices: readonly CatalogueVoice[];
  /** Why it cannot speak, if so. */
  problem: string | undefined;
  /** Requests to speak that it has not finished. */
  underWay: number;
  /** How many times in a row it did not answer in time. */
  silentAsks: number;
}

/** A voice and the engine that speaks it. */
export interface Speaker {
  readonly voice: CatalogueVoice;
  readonly state: EngineState;
}

interface Wanted {
  readonly text: string;
  readonly format: string;
  readonly characters: number;
  /** As in `unspeakableWords`. */
  readonly areKanji: boolean;
}

interface EnginesOptions {
  readonly log: Logger;
  /** How often a server that is there is asked, and one that is down. */
  readonly askEveryMs?: number;
  readonly askAgainMs?: number;
  readonly askDeadlineMs?: number;
}

export type Engines = ReturnType<typeof createEngines>;

/** As in the file of engines. */
const MAX_VOICE_NAME = 100;
const ASK_EVERY_MS = 15_000;
const ASK_AGAIN_MS = 3_000;
const ASK_DEADLINE_MS = 5_000;
/** An engine that computes speech may answer nothing else meanwhile: silence means down after so many, or while it has no work. */
const MAX_SILENT_ASKS = 3;

/** The engines of a service: their voices, which of them are there, and which one speaks. The first one's come first. */
export function createEngines(entries: readonly EngineEntry[], options: EnginesOptions) {
  const { log, askEveryMs = ASK_EVERY_MS, askAgainMs = ASK_AGAIN_MS, askDeadlineMs = ASK_DEADLINE_MS } = options;
  const closing = new AbortController();
  const states: EngineState[] = entries.map((entry) => ({
    ...{ entry, voices: voicesOf(entry), problem: undefined, underWay: 0, silentAsks: 0 },
  }));
  const timers = new Map<EngineState, NodeJS.Timeout>();
  const asking = new Map<EngineState, Promise<void>>();

  const isThere = ({ entry, problem }: EngineState) => entry.watched === undefined || problem === undefined;

  /** What is found at the start is told once all are asked: whether a fallback speaks is known only then. */
  let isStarting = true;

  function note(state: EngineState, problem: string | undefined): void {
    const before = state.problem;
    state.problem = problem;
    if (isStarting || (problem === undefined) === (before === undefined)) return;
    const { name: engine } = state.entry;
    if (problem !== undefined) tellDown(state);
    else log.info({ engine, voices: state.voices.length }, 'An engine is back: its voices speak again');
    for (const other of states) {
      if (other.entry.fallback === engine && other.problem !== undefined) tellDown(other);
    }
  }

  function tellDown({ entry: { name: engine, fallback }, problem: reason }: EngineState): void {
    const other = states.find(({ entry }) => entry.name === fallback);
    log.warn(
      { engine, reason, ...(fallback && { fallback }) },
      other === undefined
        ? 'An engine is down: its voices are not listed'
        : isThere(other)
          ? 'An engine is down: its fallback speaks in the place of its voices'
          : 'An engine is down, and its fallback too: its voices are not listed',
    );
  }

  /** Asks a server whether it is there, and for its voices; and again later, until the service ends. */
  function look(state: EngineState): Promise<void> {
    const { engine, watched } = state.entry;
    const { ask } = engine;
    if (watched?.server === undefined || ask === undefined || closing.signal.aborted) return Promise.resolve();
    const running = asking.get(state);
    if (running) return running;
    clearTimeout(timers.get(state));
    const deadline = AbortSignal.timeout(askDeadlineMs);
    const asked = ask(AbortSignal.any([closing.signal, deadline]))
      .then(
        (voices) => {
          state.silentAsks = 0;
          if (watched.server?.voices === undefined) state.voices = voicesOf(state.entry, voices);
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
        const isWell = state.problem === undefined && state.silentAsks === 0;
        const timer = setTimeout(() => void look(state), isWell ? askEveryMs : askAgainMs);
        timers.set(state, timer.unref());
      });
    asking.set(state, asked);
    return asked;
  }

  /** One line at the start about a service's only engine. Nothing waits for it. */
  async function warnWhereSilent({ entry: { engine } }: EngineState): Promise<void> {
    const deadline = AbortSignal.timeout(askDeadlineMs);
    try {
      await engine.ask?.(AbortSignal.any([closing.signal, deadline]));
    } catch (error) {
      if (closing.signal.aborted) return;
      const reason = deadline.aborted ? 'It does not answer in time.' : reasonOf(error);
      log.warn(
        { engine: engine.name, reason },
        error instanceof EngineError
          ? 'The server of SPEECH_ENGINE_URL answers with an error: texts may fail'
          : 'The server of SPEECH_ENGINE_URL is down: texts fail until it answers, and no restart is needed then',
      );
    }
  }

  const ready = Promise.all(
    states.map(async (state) => {
      const { problem } = await state.entry.engine.ready;
      // An engine that is closed before it was ready is not down.
      if (closing.signal.aborted) return;
      if (problem !== undefined) note(state, problem);
      else if (state.entry.watched === undefined) asking.set(state, warnWhereSilent(state));
      else await look(state);
    }),
  ).then(() => {
    isStarting = false;
    for (const state of states) if (state.problem !== undefined) tellDown(state);
  });

  /** The voices of the fallback of a down engine, the nearest to one of its own by language first. */
  function substitutes({
    voice,
    state,
  }: Speaker): { readonly other: EngineState; readonly voices: CatalogueVoice[] } | undefined {
    const other = states.find(({ entry }) => entry.name === state.entry.fallback);
    if (other === undefined || !isThere(other)) return undefined;
    const speaksIts = ({ languages }: Voice) => voice.languages?.some((one) => languages?.includes(one)) ?? false;
    const distance = (one: Voice) => (!speaksIts(one) ? 2 : one.languages?.length === 1 ? 0 : 1);
    return { other, voices: other.voices.toSorted((a, b) => distance(a) - distance(b)) };
  }

  function instead(asked: Speaker, { text, format, characters, areKanji }: Wanted): Speaker | undefined {
    const found = substitutes(asked);
    const voice = found?.voices.find(
      ({ formats, rules, languages }) =>
        formats.includes(format) &&
        characters <= rules.maxInputLength &&
        (languages === undefined || unspeakableWords(text, languages, areKanji).length === 0),
    );
    return found && voice && { voice, state: found.other };
  }

  /** A voice as clients are told of it: while its engine is down, with the one that speaks in its place, if there is one. */
  function asListed(one: Speaker): readonly Voice[] {
    const voice = listed(one.voice);
    if (isThere(one.state)) return [voice];
    const nearest = instead(one, usualWish(one.voice)) ?? instead(one, { ...usualWish(one.voice), text: '' });
    return nearest ? [{ ...voice, spoken_by: nearest.voice.id }] : [];
  }

  return {
    /** Resolves once each engine has answered for the first time, or could not. */
    ready,
    /** Why nothing can be spoken, if so. */
    problem(): string | undefined {
      if (states.some(({ problem }) => problem === undefined)) return undefined;
      if (states.length === 1) return states[0]?.problem;
      return states.map(({ entry, problem }) => `${entry.name}: ${problem}`).join(' ');
    },
    /** The engines in words, for a person. */
    describe: () =>
      states
        .map(
          ({ entry, problem }) =>
            `${entry.engine.name}${problem === undefined || states.length === 1 ? '' : ' (down)'}`,
        )
        .join(', '),
    /** As clients are told: without those that cannot be spoken at the moment. */
    voices: (): Voice[] => states.flatMap((state) => state.voices.flatMap((voice) => asListed({ voice, state }))),
    models: (): ModelInfo[] => [
      ...(states.some(({ entry }) => entry.watched?.server === undefined) ? OWN_MODELS : []),
      ...states.flatMap(({ entry }) =>
        entry.watched?.server ? [modelInfo(rulesOf(entry), `Voices of ${entry.name}`)] : [],
      ),
    ],
    /** What a character costs, by the ids of the known voices; undefined where credits cost nothing. */
    prices(): Readonly<Record<string, number>> | undefined {
      if (!states.some(({ entry }) => entry.isPriced)) return undefined;
      return Object.fromEntries(
        states.flatMap(({ voices, entry }) => voices.map(({ id }) => [id, entry.creditsPerCharacter])),
      );
    },
    /** Whether a voice can be of this model at all. */
    hasModel: (model: string) =>
      isKnownModelId(model) || states.some(({ entry }) => entry.watched?.server !== undefined && entry.name === model),
    /** Every voice that is known, also those of engines that are down. */
    find: (isIt: (voice: CatalogueVoice) => boolean): Speaker[] =>
      states.flatMap((state) => state.voices.filter(isIt).map((voice) => ({ voice, state }))),
    /** The one that speaks for a voice: itself, or what its engine's settings say while that is down; undefined for none. */
    speakerFor: (asked: Speaker, wanted: Wanted): Speaker | undefined =>
      isThere(asked.state) ? asked : instead(asked, wanted),
    /** The one that speaks for a voice whose engine is there and has refused a text; undefined for none. */
    fallbackFor: instead,
    /** Has an engine speak; it counts as busy until the sound has ended. */
    async synthesise(state: EngineState, job: SynthesisJob, options: SynthesisOptions): Promise<SynthesisedAudio> {
      state.underWay += 1;
      let isOver = false;
      const end = () => {
        if (!isOver) state.underWay -= 1;
        isOver = true;
      };
      try {
        const audio = await state.entry.engine.synthesise(job, options);
        if (audio.rest === undefined) end();
        return audio.rest === undefined ? audio : { ...audio, rest: endedBy(audio.rest, end) };
      } catch (error) {
        end();
        throw error;
      }
    },
    /** Takes note of a failure. True: the engine is down, and does not speak this text. */
    failed(state: EngineState, error: EngineError): boolean {
      if (state.entry.watched === undefined) return false;
      const isDown = error.kind === 'down' || error.kind === 'refused';
      if (isDown) note(state, error.message);
      if (isDown || error.kind === 'unavailable') void look(state);
      return isDown;
    },
    wake(): void {
      for (const { entry } of states) entry.engine.wake?.();
    },
    async close(): Promise<void> {
      closing.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.all([...asking.values(), ...states.map(({ entry }) => entry.engine.close())]);
    },
  };
}

/** A text in the voice's own language, which the name that the language has for itself is, with nothing else asked for. */
function usualWish({ languages: [own] = [], rules }: CatalogueVoice): Wanted {
  const text = own === undefined ? '' : (languageNamesIn(own).of(own) ?? own);
  return { text, format: rules.defaultFormat, characters: text.length, areKanji: own === 'ja' };
}

const rulesOf = ({ name, watched }: EngineEntry) => serverRules(name, watched?.server?.takesStyle ?? false);

function voicesOf(entry: EngineEntry, asked: readonly ServerVoice[] = []): readonly CatalogueVoice[] {
  const server = entry.watched?.server;
  if (server === undefined) return ownVoices(entry.engine);
  const rules = rulesOf(entry);
  // A server may list one twice, and its id is made from its name.
  const names = new Set<string>();
  return (server.voices ?? asked)
    .filter(({ name }) => name.length <= MAX_VOICE_NAME && names.size < names.add(name).size)
    .map((voice) => serverVoice(rules, voice, server.languages));
}

type Rest = NonNullable<SynthesisedAudio['rest']>;

/** The rest of a sound that says when it has ended, in whichever way. */
function endedBy({ chunks, cancel }: Rest, end: () => void): Rest {
  async function* watched() {
    try {
      yield* chunks;
    } finally {
      end();
    }
  }
  return {
    chunks: watched(),
    cancel() {
      end();
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
