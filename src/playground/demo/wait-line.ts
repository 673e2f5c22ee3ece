import { setTimeout as delay } from 'node:timers/promises';
import type { VisibleMessage, World } from '../interface/world-types.ts';
import { type LineOutcome, refuse, tell } from './follow.ts';
import { onScreen, type Screen } from './screen.ts';
import { describeMessage } from './show.ts';

/** `3`, `for TEXT`, or `3 for TEXT`. */
const WAIT = /^(\d+(?:\.\d+)?)?\s*(?:\bfor\s+(\S.*))?$/i;
const SECONDS = 60;
const MOST_SECONDS = 600;

/** Waits some seconds, or until a message says something. */
export async function waitAsTold(world: Pick<World, 'until'>, screen: Screen, words: string): Promise<LineOutcome> {
  const [typed, given, said] = WAIT.exec(words) ?? [];
  if (typed === undefined) return refuse('Type wait alone, wait 3 (seconds), wait for TEXT, or wait 3 for TEXT.');
  const seconds = Number(given ?? SECONDS);
  if (seconds > MOST_SECONDS) return refuse(`The playground waits ${MOST_SECONDS} seconds at most.`);
  if (said === undefined) {
    await delay(seconds * 1000, undefined, { ref: false });
    return tell(`Waited ${seconds} s.`);
  }
  const message = await messageSaying(world, screen, { said, timeoutMs: seconds * 1000 });
  if (!message) return refuse(`No message here said “${said}” within ${seconds} s.`);
  return { ok: true, shown: [describeMessage(message, screen.person.language)], replies: [] };
}

/** Of those since the bot was last asked for something; undefined where none comes in time. */
async function messageSaying(
  world: Pick<World, 'until'>,
  screen: Screen,
  { said, timeoutMs }: { readonly said: string; readonly timeoutMs: number },
): Promise<VisibleMessage | undefined> {
  const find = () =>
    onScreen(screen).findLast(
      ({ createdAtMs, text }) => createdAtMs >= screen.askedAtMs && text.toLowerCase().includes(said.toLowerCase()),
    );
  // Told as a refused line.
  await world.until(() => find() !== undefined, { timeoutMs, what: said }).catch(() => undefined);
  return find();
}
