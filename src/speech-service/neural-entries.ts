import type { Logger } from 'pino';
import type { EngineEntry } from './api/engines.ts';
import { installedVoices } from './synthesis/neural/installed-voices.ts';
import { createNeuralEngine } from './synthesis/neural/neural-engine.ts';

/** Each installed neural voice becomes an engine at the price of the built-in voices, which are its fallback. */
export function withInstalledVoices(
  entries: readonly EngineEntry[],
  { voicesIn, voiceEngine, log }: { readonly voicesIn: string; readonly voiceEngine: string; readonly log: Logger },
) {
  const builtIn = entries.find(({ server }) => server === undefined);
  if (builtIn === undefined) return { entries, memory: [] };
  const { voices: found, problems } = installedVoices(voicesIn);
  const taken = new Set(entries.map(({ name }) => name));
  const voices = found.filter(({ name }) => !taken.has(name));
  for (const { name } of found.filter((one) => taken.has(one.name))) {
    problems.push(`The installed voice ${name} has the name of an engine in the file of SPEECH_ENGINES.`);
  }
  for (const reason of problems) log.warn({ reason }, 'Installed voice is unusable: other voices are still offered');
  const memory = voices.map(({ name, memoryMb }) => `${name} (about ${memoryMb} MB of memory while it speaks)`);
  const installed = voices.map((voice) => ({
    name: voice.name,
    engine: createNeuralEngine(voice),
    creditsPerCharacter: builtIn.creditsPerCharacter,
    costsMoney: builtIn.costsMoney,
    fallback: builtIn.name,
    server: {
      voices: voice.voices.map(({ speaker, ...one }) => ({ ...one, server_name: String(speaker) })),
      languages: undefined,
      takesStyle: false,
    },
  }));
  const isFirst = ({ name }: EngineEntry) => name === voiceEngine;
  return { entries: [...installed.filter(isFirst), ...entries, ...installed.filter((one) => !isFirst(one))], memory };
}
