import { lookup as systemLookup } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { type AddressKind, addressKind, guardedLookup, hostAllowed, isAddress } from '../../network/address.ts';
import {
  announcedWaitMs,
  MAX_REDIRECTS,
  mayPassStatus,
  pauseAfter,
  REPEATED_FOR_MS,
  redirectTarget,
} from '../../network/downloads.ts';
import { AudioError } from '../clips/clip.ts';

/** A download over one of these limits fails, so that no host can make the bot wait or buffer without bound. */
export const DOWNLOAD_LIMITS = {
  maxBytes: 128 * 1024 * 1024,
  headersTimeoutMs: 15_000,
  /** The time after the first request in which a failed download may be tried again. */
  retryMs: REPEATED_FOR_MS,
  downloadTimeoutMs: 120_000,
  idleTimeoutMs: 10_000,
};

export interface DownloaderOptions {
  allowLoopback: boolean;
  /** AUDIO_HOSTS: the only hosts from which audio may be downloaded; undefined allows any public host. */
  allowedHosts: readonly string[] | undefined;
  limits: typeof DOWNLOAD_LIMITS;
  lookup?: typeof systemLookup;
}

/** Some hosts reject a download without a user agent. */
const USER_AGENT = 'Crier';
/** Messages come in bursts: undici's default of 4 s would close the connection between two messages. */
const KEEP_ALIVE_MS = 90_000;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * If a host hangs up, bytes that were not read yet are lost, so this buffer must not be small. A much larger buffer
 * would be processed in one go, and delay all servers' voice packets.
 */
const READ_AHEAD_BYTES = 1024 * 1024;
/** Downloaded bytes are passed on in pieces of up to 64 KiB, so that no consumer processes megabytes in one go. */
const PIECE_BYTES = 64 * 1024;

/** https reaches public addresses, and plain http none. `allowLoopback` allows both to reach this machine. */
function allowedKinds(protocol: string, allowLoopback: boolean): readonly AddressKind[] {
  const local: readonly AddressKind[] = allowLoopback ? ['loopback'] : [];
  return protocol === 'https:' ? ['public', ...local] : protocol === 'http:' ? local : [];
}

const isLocalName = (hostname: string) => /^(.+\.)?localhost$/.test(hostname);

const refused = (message: string) => new AudioError('refused-address', message);

/** Rejects URLs that are unacceptable by themselves. The addresses of host names are checked when connecting. */
function checkUrl(url: URL, options: DownloaderOptions): void {
  const kinds = allowedKinds(url.protocol, options.allowLoopback);
  if (kinds.length === 0) throw refused(`Audio is only fetched over https, not ${url.protocol.slice(0, -1)}`);
  if (url.username !== '' || url.password !== '') throw refused('The audio URL carries a user name or password');
  if (options.allowedHosts && options.allowedHosts.length > 0 && !hostAllowed(url.hostname, options.allowedHosts)) {
    throw refused(`The audio host ${url.hostname} is not one of AUDIO_HOSTS`);
  }
  const isLiteral = isAddress(url.hostname);
  if (url.protocol === 'http:' && !isLiteral && !isLocalName(url.hostname)) {
    throw refused(`Audio is only fetched over https from ${url.hostname}`);
  }
  if (isLiteral && !kinds.includes(addressKind(url.hostname))) {
    throw refused(`The audio address ${url.hostname} is not on the public internet`);
  }
}

function createAgent(options: DownloaderOptions): Agent {
  const notPublic = (hostname: string) => refused(`The audio host ${hostname} is not on the public internet`);
  const connector = (protocol: 'http:' | 'https:') => {
    const kinds = allowedKinds(protocol, options.allowLoopback);
    const lookup = guardedLookup(options.lookup ?? systemLookup, kinds, notPublic);
    return buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS, allowH2: false });
  };
  const [plain, secure] = [connector('http:'), connector('https:')];
  return new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: (target, callback) => (target.protocol === 'https:' ? secure : plain)(target, callback),
  });
}

/** Returns an AudioError for a failed connection or download, and the signal's reason if the caller aborted it. */
function toAudioError(error: unknown, host: string, { aborted, reason }: AbortSignal): unknown {
  if (aborted) {
    const isLate = reason instanceof DOMException && reason.name === 'TimeoutError';
    return isLate ? new AudioError('timeout', `The audio host ${host} takes too long`, { cause: reason }) : reason;
  }
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AudioError) return cause;
  }
  const code = (error as { code?: unknown } | null)?.code;
  if (/TIMEOUT|ETIMEDOUT/.test(String(code))) {
    return new AudioError('timeout', `The audio host ${host} is too slow`, { cause: error });
  }
  const message = `The audio could not be fetched from ${host}${code ? ` (${code})` : ''}`;
  return new AudioError('network', message, { cause: error });
}

/** `mayBeLate`: the audio was made just now, so 404 may mean 'not yet'. */
function isWorthAnotherTry(error: unknown, mayBeLate: boolean): error is AudioError {
  if (!(error instanceof AudioError)) return false;
  if (error.kind === 'network') return true;
  const { status = 0 } = error;
  return error.kind === 'http-status' && mayPassStatus(status) && (mayBeLate || status !== 404);
}

function problemOf({ statusCode: status, headers }: Dispatcher.ResponseData, host: string, maxBytes: number) {
  if (status >= 300 && status < 400) {
    const message = `The audio host ${host} answered ${status} without a usable address`;
    return new AudioError('refused-redirect', message, { status });
  }
  if (status !== 200) {
    const retryAfterMs = announcedWaitMs(headers, 'retry-after', Date.now());
    return new AudioError('http-status', `The audio host ${host} answered ${status}`, { status, retryAfterMs });
  }
  if (Number(headers['content-length'] ?? 0) <= maxBytes) return undefined;
  return new AudioError('too-large', `The audio has ${headers['content-length']} bytes, more than ${maxBytes}`);
}

/** Audio addresses come from the speech service and are not trusted. Downloads send no credentials. */
export function createDownloader(options: DownloaderOptions) {
  const { limits } = options;
  const agent = createAgent(options);
  // A redirect from another machine must not make this machine send requests to itself.
  const publicOptions = { ...options, allowLoopback: false };
  const publicAgent = options.allowLoopback ? createAgent(publicOptions) : agent;

  async function get(url: URL, dispatcher: Agent, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await request(url, {
        dispatcher,
        signal,
        headers: { 'user-agent': USER_AGENT, accept: 'audio/*', 'accept-encoding': 'identity' },
        headersTimeout: limits.headersTimeoutMs,
        bodyTimeout: limits.idleTimeoutMs,
        highWaterMark: READ_AHEAD_BYTES,
      });
    } catch (error) {
      throw toAudioError(error, url.host, signal);
    }
  }

  /** Follows redirects, and checks each target like the first address. A retry starts at the first address again. */
  async function attempt(first: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    let url = first;
    let rules = options;
    for (let redirects = 0; ; redirects++) {
      checkUrl(url, rules);
      const response = await get(url, rules === options ? agent : publicAgent, signal);
      const target = redirectTarget(url, response);
      const problem = target ? undefined : problemOf(response, url.host, limits.maxBytes);
      if (!target && !problem) return response;
      // A response that is not used is destroyed, because its unread body would keep the connection occupied.
      response.body.on('error', () => undefined).destroy();
      if (!target) throw problem;
      if (redirects >= MAX_REDIRECTS) {
        const { statusCode: status } = response;
        const message = `The audio host ${first.host} answered with more than ${MAX_REDIRECTS} redirects in a row`;
        throw new AudioError('refused-redirect', message, { status });
      }
      // A redirect from another machine must not lead to this machine. Names under localhost mean this machine, whatever a resolver says.
      if (addressKind(url.hostname) !== 'loopback' && !isLocalName(url.hostname)) rules = publicOptions;
      url = target;
    }
  }

  async function withRetries(url: URL, signal: AbortSignal, mayBeLate: boolean): Promise<Dispatcher.ResponseData> {
    const lastStartAtMs = performance.now() + limits.retryMs;
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(url, signal);
      } catch (error) {
        if (!isWorthAnotherTry(error, mayBeLate)) throw error;
        const pauseMs = pauseAfter(attempts, error.retryAfterMs);
        if (performance.now() + pauseMs > lastStartAtMs) throw error;
        await sleep(pauseMs, undefined, { signal }).catch((reason: unknown) => {
          throw toAudioError(reason, url.host, signal);
        });
      }
    }
  }

  async function* read(url: URL, { body, headers }: Dispatcher.ResponseData, signal: AbortSignal) {
    const declared = Number(headers['content-length'] ?? Number.NaN);
    let total = 0;
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        total += chunk.length;
        if (total > limits.maxBytes) {
          throw new AudioError('too-large', `The audio has more than ${limits.maxBytes} bytes`);
        }
        for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
      }
    } catch (error) {
      // Reading may fail after the last byte, if a host closes the connection at once.
      if (signal.aborted || total !== declared) throw toAudioError(error, url.host, signal);
    }
  }

  return {
    /**
     * Resolves once the response is 200 and not too large. Opening and reading reject with an AudioError or the
     * signal's reason. `mayBeLate` is true for new audio: a 404 is retried, because the audio may not be ready yet.
     */
    async open(url: URL, signal?: AbortSignal, mayBeLate = true): Promise<AsyncIterable<Uint8Array>> {
      checkUrl(url, options);
      const deadline = AbortSignal.timeout(limits.downloadTimeoutMs);
      const whole = signal ? AbortSignal.any([signal, deadline]) : deadline;
      return read(url, await withRetries(url, whole, mayBeLate), whole);
    },
    async close(): Promise<void> {
      await Promise.all([...new Set([agent, publicAgent])].map((one) => one.destroy()));
    },
  };
}
