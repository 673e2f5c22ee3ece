import { type EngineSettings, priceOf } from '../speech/engines/engines-file.ts';
import type { EngineEntry } from './api/engines.ts';
import { createEmbeddedEngine } from './synthesis/embedded/embedded-engine.ts';
import type { SpeechEngine } from './synthesis/engine.ts';
import { createOpenAiEngine } from './synthesis/openai-engine.ts';
import { createWyomingEngine } from './synthesis/wyoming-engine.ts';

export function openEngines(settings: readonly EngineSettings[], deadlineMs: number): EngineEntry[] {
  return settings.map((one) => ({
    name: one.name,
    engine: open(one, deadlineMs),
    creditsPerCharacter: priceOf(one, settings),
    costsMoney: (one.credits_per_character ?? 0) > 0,
    fallback: one.fallback,
    server:
      one.kind === 'embedded'
        ? undefined
        : { voices: one.voices, languages: one.languages, takesStyle: one.kind === 'openai' && one.style },
  }));
}

function open(one: EngineSettings, deadlineMs: number): SpeechEngine {
  switch (one.kind) {
    case 'embedded':
      return createEmbeddedEngine();
    case 'openai':
      return createOpenAiEngine({ url: one.url, apiKey: one.key, model: one.model, deadlineMs });
    case 'wyoming':
      return createWyomingEngine({ url: one.url, deadlineMs });
  }
}
