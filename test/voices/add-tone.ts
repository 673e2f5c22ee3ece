// Installs the voice `tone`, as a process: `node add-tone.ts DATA_DIR RELEASE`.
import { readdirSync } from 'node:fs';
import { addVoice } from '../../src/voices/install.ts';
import { TONE } from './release.ts';

const [, , dataDir = '', release = ''] = process.argv;
try {
  await addVoice(
    { ...TONE, megabytes: 0.5 },
    { dataDir, release, signal: AbortSignal.timeout(60_000), onProgress: () => {} },
  );
} catch (error) {
  console.log((error as Error).message);
}
// A small disk is gone with the process.
console.log(readdirSync(`${dataDir}/voices`).join(' '));
