import { readsAll, writtenWords } from '../../language/speakable-words.ts';
import { isKnownModelId } from '../../speech/interface/models.ts';
import type { ModelInfo, Voice } from '../../speech/interface/schemas.ts';
import { type CatalogueVoice, listed, modelInfo, OWN_MODELS } from './catalogue.ts';
import {
  createEngineStates,
  type EngineEntry,
  type EngineState,
  type EngineStatesOptions,
  rulesOf,
} from './engine-states.ts';

/** Its credits stand for money. */
export const costsMoney = ({ isPriced = false, creditsPerCharacter }: EngineEntry): boolean =>
  isPriced && creditsPerCharacter > 0;

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

export type Engines = ReturnType<typeof createEngines>;

/** The engines of a service: their voices, and which one speaks. The first one's come first. */
export function createEngines(entries: readonly EngineEntry[], options: EngineStatesOptions) {
  const engines = createEngineStates(entries, options);
  const { all: states, isThere, isFailing } = engines;

  /** The fallback of an engine, if it has one that is there. */
  const fallbackOf = ({ entry }: EngineState): EngineState | undefined =>
    states.find((other) => other.entry.name === entry.fallback && isThere(other));

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

  return {
    ready: engines.ready,
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
    /** As clients are told: without those that nobody can speak at the moment. */
    voices: (): Voice[] =>
      states.flatMap((state) => (isThere(state) || fallbackOf(state) ? state.voices.map(listed) : [])),
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
    /** The one that speaks for a voice: itself, or what its engine's settings say while that is down or failing; undefined for none. */
    speakerFor(asked: Speaker, wanted: Wanted): Speaker | undefined {
      if (!isThere(asked.state)) return instead(asked, wanted);
      return (isFailing(asked.state) ? instead(asked, wanted) : undefined) ?? asked;
    },
    /** The one that speaks for a voice whose engine is there and has refused a text; undefined for none. */
    fallbackFor: instead,
    synthesise: engines.synthesise,
    failed: engines.failed,
    fails: isFailing,
    wake: engines.wake,
    close: engines.close,
  };
}
