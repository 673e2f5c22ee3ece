import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorld, type World, type WorldOptions } from '../src/playground/world/world.ts';
import { API_KEY, type SpeechApi, type SpeechApiOptions, startSpeechApi } from './speech-api.ts';

interface Surroundings {
  readonly world: World;
  readonly api: SpeechApi;
  readonly folder: string;
  /** A bot with these settings is at this Discord and speech service, and keeps its data in the folder. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs `work` with a Discord on loopback, a speech service and a folder of its own. */
export async function withDiscord<Result>(
  { world: worldOptions, ...apiOptions }: SpeechApiOptions & { readonly world?: WorldOptions },
  work: (surroundings: Surroundings) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-'));
  const api = await startSpeechApi(apiOptions);
  const world = await startWorld(worldOptions);
  const env = { ...world.botEnv, VOICE_API_URL: api.url, VOICE_API_KEY: API_KEY, DATA_DIR: join(folder, 'data') };
  try {
    return await work({ world, api, folder, env });
  } finally {
    await world.close();
    api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
