import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BotProcess, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import type { WorldServer } from '../../src/playground/world/world.ts';
import type { Scene } from './scene.ts';

/** One more of the same bot, with a folder of its own. */
export function startAnotherProcess({ world, service }: Scene, env: Readonly<Record<string, string>>): BotProcess {
  const folder = mkdtempSync(join(tmpdir(), 'crier-cell-'));
  const bot = startBotProcess({
    env: {
      ...world.botEnv,
      ...{ VOICE_API_URL: service.url, VOICE_API_KEY: 'scene-key-0123456789abcdef' },
      ...{ DATA_DIR: folder, ...env },
    },
  });
  onTestFinished(async () => {
    await bot.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return bot;
}

/** Seconds for which the bot was not in the channel after it had been there first, each time. */
export function watchAbsences({ world }: Scene, server: WorldServer): () => readonly number[] {
  const absences: number[] = [];
  let leftAtMs: number | undefined;
  let wasThere = false;
  onTestFinished(
    world.onChange(() => {
      const isThere = server.channel('General').members.includes('bot');
      if (wasThere && !isThere) leftAtMs = performance.now();
      if (isThere && leftAtMs !== undefined) {
        absences.push((performance.now() - leftAtMs) / 1_000);
        leftAtMs = undefined;
      }
      wasThere = isThere;
    }),
  );
  return () => [...absences, ...(leftAtMs === undefined ? [] : [Number.POSITIVE_INFINITY])];
}
