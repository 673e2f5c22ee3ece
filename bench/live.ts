import { fileURLToPath } from 'node:url';
import { resultOfChild } from './child-result.ts';
import type { LiveRequest, LiveUtterance } from './live-bot.ts';
import { pinnedNode, SINK_CORE } from './machine.ts';

const TIMEOUT_MS = 120_000;

/** Utterances through the real bot, its process on one core and everything around it on the other. */
export function speakLive(request: LiveRequest): Promise<LiveUtterance[]> {
  const file = fileURLToPath(new URL('./live-bot.ts', import.meta.url));
  const name = "The live bot's process";
  return resultOfChild(pinnedNode(SINK_CORE, file, JSON.stringify(request)), { timeoutMs: TIMEOUT_MS, name });
}
