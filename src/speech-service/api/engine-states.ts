import type { Logger } from 'pino';
import type { ServerVoice } from '../../speech/engines/listed-voices.ts';
import {
  EngineError,
  type SpeechEngine,
  type SynthesisedAudio,
  type SynthesisJob,
  type SynthesisOptions,
} from '../synthesis/engine.ts';
import { type CatalogueVoice, ownVoices, serverRules, serverVoice } from './catalogue.ts';

/** One of the engines behind the service, with what its operator says of it. */
export interface EngineEntry {
  /** The model of a server's own voices. */
  readonly name: string;
  readonly engine: SpeechEngine;
  readonly creditsPerCharacter: number;
  /** The operator has named prices, for this engine or another: credits stand for money. */
  readonly isPriced?: boolean;
  /** The name of the engine that speaks while this one is down, for the same price or less. */
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

export interface EngineState {
  readonly entry: EngineEntry;
  /** Also while it is down: its voices are known then, and spoken by the fallback. */
  voices: readonly CatalogueVoice[];
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

export interface EngineStatesOptions {
  readonly log: Logger;
  /** How often a server that is there is asked, and one that is down. */
  readonly askEveryMs?: number;
  readonly askAgainMs?: number;
  readonly askDeadlineMs?: number;
}

/** As in the file of engines. */
const MAX_VOICE_NAME = 100;
const ASK_EVERY_MS = 15_000;
const ASK_AGAIN_MS = 3_000;
const ASK_DEADLINE_MS = 5_000;
/** An engine that computes speech may answer nothing else meanwhile: silence means down after so many, or while it has no work. */
const MAX_SILENT_ASKS = 3;
/** A failure may pass: clients try a text again. After a second one in a row each text might wait for its deadline. */
const MAX_FAILURES = 2;
const FAILING_FOR_MS = 60_000;
const FAILURES: ReadonlySet<EngineError['kind']> = new Set(['unavailable', 'failed']);
/** It works: it has read the text. */
const REFUSALS: ReadonlySet<EngineError['kind']> = new Set(['rejected', 'policy']);

/** Which engines are there, with which voices: servers are asked again and again until the service ends. */
export function createEngineStates(entries: readonly EngineEntry[], options: EngineStatesOptions) {
  const { log, askEveryMs = ASK_EVERY_MS, askAgainMs = ASK_AGAIN_MS, askDeadlineMs = ASK_DEADLINE_MS } = options;
  const closing = new AbortController();
  const states: EngineState[] = entries.map((entry) => ({
    ...{ entry, voices: voicesOf(entry), problem: undefined, underWay: 0, silentAsks: 0, failures: 0, failedAtMs: 0 },
  }));
  const timers = new Map<EngineState, NodeJS.Timeout>();
  const asking = new Map<EngineState, Promise<void>>();

  const isThere = ({ entry, problem }: EngineState) => entry.watched === undefined || problem === undefined;

  /** What is found at the start is told once all are asked: whether a fallback speaks is known only then. */
  let isStarting = true;

  function note(state: EngineState, problem: string | undefined): void {
    const before = state.problem;
    state.problem = problem;
    if (problem !== undefined) state.failures = 0;
    if (isStarting || (problem === undefined) === (before === undefined)) return;
    const { name: engine } = state.entry;
    if (problem !== undefined) tellDown(state);
    else log.info({ engine, voices: state.voices.length }, 'An engine is back: its voices speak again');
    for (const other of states) {
      if (other.entry.fallback === engine && other.problem !== undefined) tellDown(other);
    }
  }

  const isFailing = ({ failures, failedAtMs }: EngineState): boolean =>
    failures >= MAX_FAILURES && performance.now() - failedAtMs < FAILING_FOR_MS;

  function noteSpoken(state: EngineState): void {
    state.failures = 0;
  }

  function noteFailure(state: EngineState, kind: EngineError['kind'], reason: string): void {
    if (REFUSALS.has(kind)) noteSpoken(state);
    if (!FAILURES.has(kind) || closing.signal.aborted) return;
    state.failures += 1;
    state.failedAtMs = performance.now();
    const { name: engine, fallback, watched } = state.entry;
    if (watched === undefined || fallback === undefined || !isFailing(state)) return;
    log.warn({ engine, reason, fallback }, 'An engine fails: for a minute its fallback speaks');
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

  return {
    all: states as readonly EngineState[],
    /** Resolves once each engine has answered for the first time, or could not. */
    ready,
    isThere,
    /** It is there, and has failed one text after the other until a moment ago. */
    isFailing,
    /** Has an engine speak; it counts as busy until the sound has ended. */
    async synthesise(state: EngineState, job: SynthesisJob, options: SynthesisOptions): Promise<SynthesisedAudio> {
      state.underWay += 1;
      // The one that asks it again; others need not wait for what it finds.
      if (state.failures >= MAX_FAILURES) state.failedAtMs = performance.now();
      let isOver = false;
      const end = () => {
        if (!isOver) state.underWay -= 1;
        isOver = true;
      };
      try {
        const audio = await state.entry.engine.synthesise(job, options);
        const { rest } = audio;
        if (rest !== undefined) {
          const onEnd = (how: End) => {
            if (isOver) return;
            end();
            if (how === 'whole') noteSpoken(state);
            else if (how !== 'left') noteFailure(state, 'unavailable', `It broke off: ${reasonOf(how.error)}`);
          };
          return { ...audio, rest: endedBy(rest, onEnd) };
        }
        noteSpoken(state);
        end();
        return audio;
      } catch (error) {
        end();
        if (error instanceof EngineError && !options.signal.aborted) noteFailure(state, error.kind, error.message);
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

export const rulesOf = ({ name, watched }: EngineEntry) => serverRules(name, watched?.server?.takesStyle ?? false);

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
