import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import type { Config } from '../config/config.ts';
import { parseBaseUrl } from '../speech/base-url.ts';
import { createSpeechClient } from '../speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../speech/errors.ts';
import { isWithoutTls, NO_TLS } from './engines.ts';
import { attention, blocking, type Finding, good, reason } from './finding.ts';

const SERVICE_DEADLINE_MS = 10_000;

/** How every SQLite database begins that is not empty; https://www.sqlite.org/fileformat.html#magic_header_string */
const SQLITE_HEADER = Buffer.from('SQLite format 3\0');

/** Which of the local voice's own files is no database; undefined when all is well, or nothing there yet. */
function damagedFile(folder: string): string | undefined {
  const files = ['speech-service.sqlite', 'speech-service.lock'].map((name) => join(folder, 'speech', name));
  return files.find((file) => {
    if (!existsSync(file) || statSync(file).size === 0) return false;
    const descriptor = openSync(file, 'r');
    try {
      const begin = Buffer.alloc(SQLITE_HEADER.length);
      readSync(descriptor, begin);
      return !begin.equals(SQLITE_HEADER);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** A finding where the local voice's own data is damaged. */
export function checkLocalData(dataDir: string): Finding | undefined {
  const damaged = damagedFile(resolve(dataDir));
  if (damaged === undefined) return undefined;
  return blocking('speech', {
    found: `${damaged} is damaged, or is not a database of the local voice`,
    means: 'Neither the local voice nor the bot starts.',
    remedy: 'Move it away, and the local voice starts with a new account; or put a backup in its place.',
  });
}

/** The embedded voice where no engine is set. espeak-ng is an optional package: its version is null where it is not installed. */
export function checkLocalVoice(espeakVersion: string | null): Finding {
  if (espeakVersion !== null) {
    return good('speech', `the local voice (espeak-ng ${espeakVersion}): VOICE_API_URL and VOICE_API_KEY are not set`);
  }
  return blocking('speech', {
    found: 'VOICE_API_URL and VOICE_API_KEY are not set, and the local voice (espeak-ng) is not installed',
    means: 'Nothing can be spoken.',
    remedy: 'Set both, or SPEECH_ENGINES or SPEECH_ENGINE_URL, or run npm install espeak-ng.',
  });
}

const NOT_A_SERVICE = {
  means: 'What answers there is not a speech service.',
  remedy: 'Check VOICE_API_URL: the base address of the service, with nothing after it.',
};

/** The meaning of a refusal of the service. Kinds that are not here are temporary. */
const MEANINGS: Partial<Record<SpeechErrorKind, { readonly means: string; readonly remedy: string }>> = {
  'invalid-api-key': {
    means: 'The service does not accept this key.',
    remedy: 'Check VOICE_API_KEY (and VOICE_AUTH_HEADER_PREFIX) against your account at the service.',
  },
  network: {
    means: 'The service cannot be reached from this machine.',
    remedy: 'Check VOICE_API_URL, the network, and firewalls.',
  },
  timeout: {
    means: 'The service cannot be reached from this machine, or is far too slow.',
    remedy: 'Check VOICE_API_URL, the network, and firewalls.',
  },
  'bad-response': NOT_A_SERVICE,
  'invalid-request': NOT_A_SERVICE,
};

/** Asks the configured service for its models, which costs nothing. The key is never shown. */
export async function checkSpeechService(
  { url, key, authHeaderPrefix }: Extract<Config['speech'], { kind: 'service' }>,
  signal: AbortSignal,
  deadlineMs = SERVICE_DEADLINE_MS,
): Promise<Finding> {
  const client = createSpeechClient({ baseUrl: url, apiKey: key, authHeaderPrefix, log: pino({ level: 'silent' }) });
  const startedAtMs = performance.now();
  const address = parseBaseUrl(url).href.replace(/\/$/, '');
  try {
    const { models } = await client.models({ signal, deadlineMs });
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    const names = models.map(({ id }) => id).join(', ');
    return good('speech', `${address} answers in ${elapsedMs} ms and accepts the key that is set; models: ${names}`);
  } catch (error) {
    const meaning = error instanceof SpeechError ? MEANINGS[error.kind] : undefined;
    const why = error instanceof SpeechError && isWithoutTls(error.cause) ? NO_TLS : reason(error);
    const found = `${address}, with the key that is set: ${why}`;
    if (meaning !== undefined) return blocking('speech', { found, ...meaning });
    const means = 'The service has a problem right now: try again later.';
    return attention('speech', { found, means, remedy: undefined });
  } finally {
    await client.close();
  }
}
