import { commandOf, howToInstall } from '../process/package.ts';
import { installedVoices } from '../speech-service/synthesis/neural/installed-voices.ts';
import { runtimeProblem } from '../speech-service/synthesis/neural/runtime.ts';
import { attention, type Finding, good } from './finding.ts';

/** `problem` tells why no neural voice can speak on this machine; undefined if they can. */
export function checkNeuralVoices(dataDir: string, problem = runtimeProblem()): Finding[] {
  const { voices, problems } = installedVoices(dataDir);
  const listed = voices.map(({ name, memoryMb }) => `${name} (about ${memoryMb} MB of memory)`).join(', ');
  const unusable = problems.map((found) => {
    const remedy = `Remove it with ${commandOf('voices', 'remove', 'NAME')}, and add it again.`;
    return attention('installed voices', found, 'The bot does not offer this voice.', remedy);
  });
  if (voices.length === 0) return unusable;
  if (problem === undefined) return [good('installed voices', listed), ...unusable];
  const means = `${problem} Built-in voices speak in their place.`;
  return [attention('installed voices', listed, means, howToInstall), ...unusable];
}
