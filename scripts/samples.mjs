// Makes the audio samples of the README: npm run samples. The speech service speaks, and the voice command line saves.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSpeechService } from '../src/speech-service/server.ts';

const SAMPLES = [
  ['aria', 'Dinner in five! Bob, please bring the bread, and tell everybody that the game starts at eight.'],
  ['basil', 'Hear ye, hear ye! The raid begins in ten minutes. Meet at the north gate, and bring your potions.'],
];

const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs', 'audio');
const data = mkdtempSync(join(tmpdir(), 'crier-samples-'));
const service = await startSpeechService({ dataDir: data, dashboardPort: 'off' });
try {
  mkdirSync(folder, { recursive: true });
  for (const [voice, text] of SAMPLES) {
    const file = join(folder, `${voice}.mp3`);
    rmSync(file, { force: true });
    // Not the synchronous one: the service answers from this process.
    await promisify(execFile)(
      process.execPath,
      [join(root, 'scripts', 'voice.mjs'), 'tts', text, '-v', voice, '-m', 'ext', '-f', 'mp3', '-o', file],
      { env: { ...process.env, VOICE_API_URL: service.url, VOICE_API_KEY: service.apiKey } },
    );
  }
} finally {
  await service.close();
  rmSync(data, { recursive: true });
}
