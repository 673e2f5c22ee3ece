import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { startWorld } from '../../src/playground/world/world.ts';

const TIMEOUT_MS = 60_000;
/** Servers in which texts are spoken at the same time. */
const SERVERS = 5;

/**
 * Has each text spoken by the real bot with the local voice on the loopback Discord, and says what came of it: the seconds that
 * a listener decrypted, or the refusal as its requester reads it.
 */
export async function saidThroughTheBot(texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'crier-languages-'));
  const world = await startWorld();
  const bot = startBotProcess({ env: { ...world.botEnv, DATA_DIR: dataDir, LOG_LEVEL: 'info' } });
  const outcomes = new Map<string, string>();
  const waiting = [...texts];
  const speakIn = async (number: number) => {
    const server = world.newServer(`Server ${number}`);
    for (let words = waiting.shift(); words !== undefined; words = waiting.shift()) {
      // Each by somebody else: a member may have five texts spoken in ten seconds.
      const member = server.newMember(`member-${waiting.length}`);
      const listener = member.joins('General');
      const { text } = await (await member.types(`/say text:${words}`)).reply({ timeoutMs: TIMEOUT_MS });
      const isSpoken = text.startsWith('Spoken in');
      outcomes.set(words, isSpoken ? `${listener.heard().seconds.toFixed(1)} s` : (text.split('\n')[0] ?? ''));
      member.leaves();
    }
  };
  try {
    await bot.logged(({ msg }) => msg === 'Crier is ready', TIMEOUT_MS);
    await Promise.all(Array.from({ length: SERVERS }, (_, index) => speakIn(index + 1)));
    return outcomes;
  } finally {
    await bot.stop();
    await world.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
