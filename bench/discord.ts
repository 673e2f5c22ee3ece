import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorld, type World, type WorldOptions } from '../src/playground/world/world.ts';
import { API_KEY, type SpeechApi, type SpeechApiOptions, startSpeechApi } from './speech-api.ts';

type Variables = Readonly<Record<string, string>>;

interface Surroundings {
  readonly world: World;
  readonly api: SpeechApi;
  readonly dataDir: string;
  /** A bot with these settings is at this Discord and speech service, and keeps its data in `dataDir`. */
  readonly env: Variables;
  /** The variables for Node and the C library that the image and the systemd unit set. */
  readonly deployed: Variables;
}

/** Runs `work` with a Discord on loopback, a speech service and a folder of its own. */
export async function withDiscord<Result>(
  { world: worldOptions, ...apiOptions }: SpeechApiOptions & { readonly world?: WorldOptions },
  work: (surroundings: Surroundings) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-'));
  const dataDir = join(folder, 'data');
  const api = await startSpeechApi(apiOptions);
  const world = await startWorld(worldOptions);
  const env = { ...world.botEnv, VOICE_API_URL: api.url, VOICE_API_KEY: API_KEY, DATA_DIR: dataDir };
  const deployed = { NODE_COMPILE_CACHE: join(folder, 'compiled'), MALLOC_TRIM_THRESHOLD_: '131072' };
  try {
    return await work({ world, api, dataDir, env, deployed });
  } finally {
    await world.close();
    api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
