import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { AudioError } from '../audio-error.ts';
import { type AddressKind, addressKind, hostAllowed } from './address.ts';

/** Limits of one download; the excess is cut off and reported, and never buffered without bound. */
export interface DownloadLimits {
  maxBytes: number;
  /** From the request to the response headers, retries included. */
  headersTimeoutMs: number;
  /** From the request to the last byte. */
  downloadTimeoutMs: number;
  /** Silence on the socket after which a download is aborted. */
  idleTimeoutMs: number;
}

export interface DownloaderOptions {
  allowLoopback: boolean;
  allowedHosts?: readonly string[];
  limits: DownloadLimits;
  /** Resolves names; the system's by default. */
  lookup?: typeof systemLookup;
}

/** Some hosts refuse a request without one. */
const USER_AGENT = 'Crier';
/** Attempts before the first byte; repeating a GET costs nothing. */
const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;
/** Messages come in bursts: undici's 4 s would close the connection between two of them. */
const KEEP_ALIVE_MS = 90_000;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Read from the socket ahead of the consumer: 20 s of speech. When a host hangs up while the consumer is behind, received
 * but unread bytes would be lost. A much larger buffer would be processed in one go when it arrives at once, and delay
 * all servers' packets.
 */
const READ_AHEAD_BYTES = 1024 * 1024;
/** Passed on at a time, so that no consumer processes megabytes in one go. */
const PIECE_BYTES = 64 * 1024;

/** The kinds of address that a scheme may reach: http never leaves this machine. */
function allowedKinds(protocol: string, allowLoopback: boolean): readonly AddressKind[] {
  const local: readonly AddressKind[] = allowLoopback ? ['loopback'] : [];
  return protocol === 'https:' ? ['public', ...local] : protocol === 'http:' ? local : [];
}

/** Refuses URLs that are unacceptable by themselves; names are checked by their addresses when connecting. */
function checkUrl(url: URL, options: { allowLoopback: boolean; allowedHosts?: readonly string[] }): void {
  const kinds = allowedKinds(url.protocol, options.allowLoopback);
  if (kinds.length === 0) {
    throw new AudioError('refused-address', `Audio is only fetched over https, not ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new AudioError('refused-address', 'The audio URL carries a user name or password');
  }
  if (options.allowedHosts && options.allowedHosts.length > 0 && !hostAllowed(url.hostname, options.allowedHosts)) {
    throw new AudioError('refused-address', `The audio host ${url.hostname} is not one of AUDIO_HOSTS`);
  }
  // A name has no colon and does not end in a number: the URL parser turned everything else into an address.
  const isLiteral = url.hostname.startsWith('[') || /^[\d.]+$/.test(url.hostname);
  const isLocalName = /^(.+\.)?localhost$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLiteral && !isLocalName) {
    throw new AudioError('refused-address', `Audio is only fetched over https from ${url.hostname}`);
  }
  if (isLiteral && !kinds.includes(addressKind(url.hostname))) {
    throw new AudioError('refused-address', `The audio address ${url.hostname} is not on the public internet`);
  }
}

/** Wraps a resolver so that it only returns addresses of the given kinds, whatever the name. */
function guardedLookup(resolve: typeof systemLookup, kinds: readonly AddressKind[]): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const good = addresses.filter(({ address }) => kinds.includes(addressKind(address)));
      const first = good[0];
      if (!first) {
        const refusal = new AudioError('refused-address', `The audio host ${hostname} is not on the public internet`);
        return callback(refusal, '', 0);
      }
      if (options.all) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };
}

function createAgent(options: DownloaderOptions): Agent {
  const connectors = new Map(
    ['http:', 'https:'].map((protocol) => {
      const kinds = allowedKinds(protocol, options.allowLoopback);
      const lookup = guardedLookup(options.lookup ?? systemLookup, kinds);
      return [protocol, buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS, allowH2: false })];
    }),
  );
  return new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect(target, callback) {
      const connect = connectors.get(target.protocol);
      if (connect) connect(target, callback);
      else callback(new AudioError('refused-address', `Not fetched over ${target.protocol}`), null);
    },
  });
}

/** Any failure below HTTP as an AudioError; the abort reason of our own deadlines is one already. */
function toAudioError(error: unknown, host: string): unknown {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AudioError) return cause;
  }
  const code = (error as { code?: unknown } | null)?.code;
  const isTimeout = typeof code === 'string' && /TIMEOUT|ETIMEDOUT/.test(code);
  return isTimeout
    ? new AudioError('timeout', `The audio host ${host} is too slow`, { cause: error })
    : new AudioError('network', `The audio could not be fetched from ${host}${code ? ` (${code})` : ''}`, {
        cause: error,
      });
}

function isWorthAnotherTry(error: unknown): boolean {
  if (!(error instanceof AudioError)) return false;
  if (error.kind === 'network') return true;
  return error.kind === 'http-status' && (error.status ?? 0) >= 500;
}

function checkAnswer(response: Dispatcher.ResponseData, host: string, maxBytes: number): void {
  const { statusCode, headers } = response;
  if (statusCode >= 300 && statusCode < 400) {
    throw new AudioError('refused-redirect', `The audio host ${host} answered with a redirect, which is not followed`, {
      status: statusCode,
    });
  }
  if (statusCode !== 200) {
    throw new AudioError('http-status', `The audio host ${host} answered ${statusCode}`, { status: statusCode });
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    throw new AudioError('too-large', `The audio has ${headers['content-length']} bytes, more than ${maxBytes}`);
  }
}

/** Deadlines of one download as an abort signal; the reason is the error to report. */
function createDeadlines(host: string, limits: DownloadLimits, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const after = (ms: number, what: string) =>
    setTimeout(
      () => controller.abort(new AudioError('timeout', `The audio host ${host} took more than ${ms} ms ${what}`)),
      ms,
    );
  const total = after(limits.downloadTimeoutMs, 'to send everything');
  const headers = after(limits.headersTimeoutMs, 'to answer');
  return {
    signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
    answered: () => clearTimeout(headers),
    done() {
      clearTimeout(headers);
      clearTimeout(total);
    },
  };
}

type Deadlines = ReturnType<typeof createDeadlines>;

/** Downloads from untrusted hosts: see checkUrl and guardedLookup for the refusals. Sends no credentials. */
export function createDownloader(options: DownloaderOptions) {
  const agent = createAgent(options);
  const { limits } = options;

  async function attempt(url: URL, deadlines: Deadlines): Promise<Dispatcher.ResponseData> {
    try {
      const response = await request(url, {
        dispatcher: agent,
        signal: deadlines.signal,
        headers: { 'user-agent': USER_AGENT, accept: 'audio/*', 'accept-encoding': 'identity' },
        headersTimeout: limits.headersTimeoutMs,
        bodyTimeout: limits.idleTimeoutMs,
        highWaterMark: READ_AHEAD_BYTES,
      });
      try {
        checkAnswer(response, url.host, limits.maxBytes);
      } catch (error) {
        // Its body is irrelevant; unread it would hold the connection.
        response.body.on('error', () => undefined).destroy();
        throw error;
      }
      return response;
    } catch (error) {
      throw deadlines.signal.aborted ? deadlines.signal.reason : toAudioError(error, url.host);
    }
  }

  async function withRetries(url: URL, deadlines: Deadlines): Promise<Dispatcher.ResponseData> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(url, deadlines);
      } catch (error) {
        if (attempts >= MAX_ATTEMPTS || !isWorthAnotherTry(error)) throw error;
        const pauseMs = Math.random() * FIRST_PAUSE_MS * 2 ** attempts;
        await sleep(pauseMs, undefined, { signal: deadlines.signal }).catch(() => {
          throw deadlines.signal.reason;
        });
      }
    }
  }

  async function* read(
    url: URL,
    { body, headers }: Dispatcher.ResponseData,
    deadlines: Deadlines,
  ): AsyncIterable<Uint8Array> {
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
      if (deadlines.signal.aborted) throw deadlines.signal.reason;
      // A host that closes the connection after the last byte is reported as a failure while that byte was being read.
      if (total !== declared) throw toAudioError(error, url.host);
    } finally {
      deadlines.done();
    }
  }

  return {
    /**
     * Resolves once the answer is 200 and not too large; the bytes follow while they arrive. Rejects with an AudioError or
     * the signal's reason, and so does the iteration. Leaving the iteration early closes the connection.
     */
    async open(url: URL, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
      checkUrl(url, options);
      const deadlines = createDeadlines(url.host, limits, signal);
      try {
        const response = await withRetries(url, deadlines);
        deadlines.answered();
        return read(url, response, deadlines);
      } catch (error) {
        deadlines.done();
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

export type Downloader = ReturnType<typeof createDownloader>;
