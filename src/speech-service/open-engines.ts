import { type EngineSettings, havePrices, priceOf } from '../speech/engines/engines-file.ts';
import type { EngineEntry } from './api/engine-states.ts';
import { createEmbeddedEngine } from './synthesis/embedded/embedded-engine.ts';
import type { SpeechEngine } from './synthesis/engine.ts';
import { createOpenAiEngine } from './synthesis/openai-engine.ts';
import { createWyomingEngine } from './synthesis/wyoming-engine.ts';

/** Opens the engines of the file that SPEECH_ENGINES names; the service closes them. */
export function openEngines(settings: readonly EngineSettings[], deadlineMs?: number): EngineEntry[] {
  return settings.map((one) => ({
    name: one.name,
    engine: open(one, deadlineMs),
    creditsPerCharacter: priceOf(one, settings),
    isPriced: havePrices(settings),
    ...(one.fallback !== undefined && { fallback: one.fallback }),
    watched: one.kind === 'embedded' ? {} : { server: serverOf(one) },
  }));
}

function open(one: EngineSettings, deadlineMs: number | undefined): SpeechEngine {
  const limit = deadlineMs === undefined ? {} : { deadlineMs };
  switch (one.kind) {
    case 'embedded':
      return createEmbeddedEngine();
    case 'openai': {
      const { url, key, model } = one;
      return createOpenAiEngine({
        ...{ url, ...limit },
        ...(key !== undefined && { apiKey: key }),
        ...(model !== undefined && { model }),
      });
    }
    case 'wyoming':
      return createWyomingEngine({ url: one.url, ...limit });
  }
}

function serverOf(one: Exclude<EngineSettings, { kind: 'embedded' }>) {
  const { voices, languages } = one;
  const named = voices?.map((voice) => ({
    name: voice.name,
    ...(voice.server_name !== undefined && { serverName: voice.server_name }),
    ...(voice.languages && { languages: voice.languages }),
  }));
  return {
    takesStyle: one.kind === 'openai' && one.style,
    ...(named && { voices: named }),
    ...(languages && { languages }),
  };
}
