import { inspectCacheServer } from '../services/storage/cache-server.ts';
import { withDeadline } from '../services/time/deadline.ts';
import { attention, type Finding, good, reason } from './finding.ts';

const TIMEOUT_MS = 5_000;

/** The Valkey or Redis of CACHE_URL: whether it answers, and makes room by itself. Changes nothing there. */
export async function checkSharedCache(url: string, isOfUse: boolean, signal: AbortSignal): Promise<Finding> {
  const { host } = new URL(url);
  if (!isOfUse) {
    return attention('CACHE_URL', {
      found: `${host}, which is not used`,
      means: 'What the local voice says is not bought, and each process has a key of its own for it.',
      remedy: 'Leave CACHE_URL empty, or set VOICE_API_URL and VOICE_API_KEY.',
    });
  }
  try {
    const asking = inspectCacheServer(url, TIMEOUT_MS);
    const { version, maxBytes, eviction } = await withDeadline(asking, {
      timeoutMs: TIMEOUT_MS + 1_000,
      what: 'Asking it',
      signal,
    });
    const found = `${version} at ${host}`;
    if (maxBytes > 0 && eviction !== 'noeviction') return good('CACHE_URL', found);
    return attention('CACHE_URL', {
      found: `${found}, ${maxBytes > 0 ? 'which makes no room' : 'without a limit of memory'}`,
      means:
        maxBytes > 0
          ? 'Once it is full, nothing new is kept there until something has expired.'
          : 'It grows until sound has been there for AUDIO_CACHE_DAYS, or until the machine has no more memory.',
      remedy: 'Start it with --maxmemory 256mb --maxmemory-policy allkeys-lru, for example.',
    });
  } catch (error) {
    return attention('CACHE_URL', {
      found: `${host}: ${reason(error)}`,
      means: 'The bot works without it: what another process has bought is bought again.',
      remedy: 'Check the address and the password, and that the server runs and lets this machine in.',
    });
  }
}
