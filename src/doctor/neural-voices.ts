import { commandOf } from '../process/package.ts';
import { installedVoices } from '../speech-service/synthesis/neural/installed-voices.ts';
import { attention, type Finding, good } from './finding.ts';

/** Lists the neural voices in the data folder, and folders without a usable voice. No finding if there are neither. */
export function checkNeuralVoices(dataDir: string, runtimeVersion: string | undefined): Finding[] {
  const { voices, problems } = installedVoices(dataDir);
  const listed = voices.map(({ name, memoryMb }) => `${name} (about ${memoryMb} MB of memory)`).join(', ');
  const findings = problems.map((problem) => {
    const remedy = `Remove it with ${commandOf('voices', 'remove', 'NAME')}, and add it again.`;
    return attention('neural voices', problem, 'The bot does not offer this voice.', remedy);
  });
  if (voices.length === 0) return findings;
  const found =
    runtimeVersion === undefined
      ? attention(
          'neural voices',
          `${listed}, without the package sherpa-onnx-node`,
          'The bot does not offer these voices.',
          'Run npm install sherpa-onnx-node.',
        )
      : good('neural voices', `${listed}, with sherpa-onnx-node ${runtimeVersion}`);
  return [found, ...findings];
}
