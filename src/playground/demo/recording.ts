import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { wavFile } from '../../sound/wav-file.ts';
import type { Listener, TimeSpan } from '../voice/protocol/types.ts';
import { type HeardReport, reportHeard } from './show.ts';

/** Where the file of the next recording goes. */
export type RecordTo = () => string;

const HEARD_RATE_HZ = 48_000;
const QUIET_MS = 300;
/** The last packets have been sent when the bot reports the end; the next speech may follow at once. */
const LAST_PACKETS_MS = 1_000;

/** How many acts are followed at each listener at the moment. */
const followedAt = new WeakMap<Listener, number>();

/** The acts that are followed at any of these, who are in one channel and so hear the same. */
export const actsFollowedAt = (listeners: readonly Listener[]): number =>
  listeners.reduce((sum, listener) => sum + (followedAt.get(listener) ?? 0), 0);

/** Keeps the heard audio for as long as `act` lasts; earlier audio is cleared unless another act needs it. */
export async function listening<T>(listener: Listener, act: () => Promise<T>): Promise<T> {
  const others = followedAt.get(listener) ?? 0;
  if (others === 0) listener.clear();
  followedAt.set(listener, others + 1);
  try {
    return await act();
  } finally {
    followedAt.set(listener, (followedAt.get(listener) ?? 1) - 1);
  }
}

/** Writes a file of the audio heard in that span, the speech of one text. */
export async function record(
  listener: Listener,
  span: TimeSpan,
  { sentAtMs, recordTo }: { readonly sentAtMs: number; readonly recordTo: RecordTo },
): Promise<HeardReport> {
  // Where another text follows at once, or none is heard, this ends at its deadline; neither is an error.
  await listener.utterance({ quietMs: QUIET_MS, timeoutMs: LAST_PACKETS_MS }).catch(() => undefined);
  const heard = listener.heard(span);
  if (heard.firstAudibleAtMs === undefined) return reportHeard(heard, sentAtMs, null);
  const file = recordTo();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, wavFile(heard.pcm, HEARD_RATE_HZ));
  return reportHeard(heard, sentAtMs, file);
}
