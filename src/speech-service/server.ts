import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { createPageAccess } from '../loopback-page/loopback-page.ts';
import { isKnownModelId } from '../speech/interface/models.ts';
import { createApiServer } from './api/api-server.ts';
import { costsMoney, createEngines, type EngineEntry } from './api/engines.ts';
import { noFaults } from './api/faults.ts';
import { createRateLimiter } from './api/rate-limit.ts';
import { createAudioServer } from './audio-server.ts';
import { lockDataDir, openLedgerDatabase, privateFile } from './store/database.ts';
import { createKeyStore } from './store/keys.ts';
import { createLedger } from './store/ledger.ts';
import { createEmbeddedEngine } from './synthesis/embedded/embedded-engine.ts';
import type { SpeechEngine, SynthesisedAudio } from './synthesis/engine.ts';

/**
 * One key may make 60 requests a minute of at most 1000 characters: 86.4 million in a day. So a first day never ends
 * for want of credits.
 */
export const STARTING_CREDITS = 100_000_000;
const REQUESTS_PER_MINUTE = 60;
/** In the data folder, for the account that the service runs as: the dashboard's present one-time address. */
export const ADDRESS_FILE = 'dashboard-address';

export interface SpeechServiceOptions {
  /** Where keys, credits and history are kept. One running service for each folder. */
  dataDir: string;
  /** Default: loopback. */
  host?: string;
  /** 0 (the default) takes any free port. */
  port?: number;
  audioPort?: number;
  /** 'off': there is no dashboard. */
  dashboardPort?: number | 'off';
  /** Default: loopback. It is opened by a name of this machine all the same: for a container whose port is published there. */
  dashboardHost?: string;
  /** Made valid, in place of the key given this way before. */
  apiKey?: string;
  /** How clients reach the audio when that is not the address they reach the API on, e.g. behind a proxy. */
  audioBaseUrl?: string;
  requestsPerMinute?: number;
  /** Only counts when the account is made, at the first start. */
  startingCredits?: number;
  audioLifetimeMs?: number;
  audioMaxBytes?: number;
  /** Lets the fault switches be turned on the dashboard's address; off by default. */
  faultsOverHttp?: boolean;
  /** What speaks the service's own voices: the embedded synthesiser unless another one is given; closed with the service. */
  engine?: SpeechEngine;
  /** In its place. */
  engines?: readonly EngineEntry[];
  /** How often the servers among them are asked whether they are there, and those that are down. */
  askEnginesEveryMs?: { whileUpMs: number; whileDownMs: number; askDeadlineMs?: number };
  log?: Logger;
  now?: () => number;
}

export type SpeechService = Awaited<ReturnType<typeof startSpeechService>>;

/**
 * Of finished audio, some ten minutes of speech: it is fetched within seconds. With 256 MiB the process came to 930 MiB,
 * beyond what the files of deploy/ give to it and the bot together.
 */
const AUDIO_MAX_BYTES = 32 * 1024 * 1024;

/** Starts the service and resolves once it answers (and can speak, if it can at all). */
export async function startSpeechService(options: SpeechServiceOptions) {
  const { dataDir, host = '127.0.0.1', dashboardHost = '127.0.0.1', now = Date.now } = options;
  const log = options.log ?? pino({ enabled: false });
  const lock = lockDataDir(dataDir);
  const cleanUp: (() => void | Promise<void>)[] = [() => lock.release()];
  /** Ends within two seconds; open requests are refunded. */
  const close = async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    const db = openLedgerDatabase(dataDir);
    cleanUp.push(() => db.close());
    const clock = { now: () => new Date(now()) };
    const keys = createKeyStore(db, clock);
    const ledger = createLedger(db, { ...clock, startingCredits: options.startingCredits ?? STARTING_CREDITS });
    // What costs nothing is counted at one credit a character.
    const entries = options.engines ?? [
      { name: 'only', engine: options.engine ?? createEmbeddedEngine(), creditsPerCharacter: 1 },
    ];
    // An engine with a price may have billed what it was working on; what the others would have spoken cost nothing.
    const cutOff = ledger.closeAllOpen((model) => {
      const own = entries.find(({ name, server }) => (server ? name === model : isKnownModelId(model)));
      // One that is no longer there may have had a price as well as any.
      return (own ? [own] : entries).some(costsMoney);
    });
    if (cutOff.settled + cutOff.refunded > 0) log.warn(cutOff, 'A crash had cut off requests');
    if (options.apiKey !== undefined) keys.adopt(options.apiKey);

    const engines = createEngines(entries, { log, ...options.askEnginesEveryMs });
    cleanUp.push(() => engines.close());
    /** Mutable: takes effect with the next request. */
    const faults = noFaults();
    const closing = new AbortController();
    const newRequestId = () => `req_crier_${randomBytes(16).toString('hex')}`;

    const audio = createAudioServer({
      lifetimeMs: options.audioLifetimeMs ?? 60 * 60_000,
      maxBytes: options.audioMaxBytes ?? AUDIO_MAX_BYTES,
      faults,
      newRequestId,
      now,
    });
    cleanUp.push(() => audio.close());
    // First: what they still speak ends with them.
    cleanUp.push(() => engines.close());
    // All at once: each may need the whole time of grace.
    const servers: Server[] = [];
    cleanUp.push(async () => void (await Promise.all(servers.map(closeServer))));
    cleanUp.push(() => closing.abort(new DOMException('The service is shutting down.', 'AbortError')));
    const open = (server: Server, at: string, port = 0) => {
      servers.push(server);
      return listen(server, at, port);
    };
    const audioAddress = await open(audio.server, host, options.audioPort);

    const store = (spoken: SynthesisedAudio, onCut: (error: unknown) => void) => audio.add(spoken, onCut);
    const context = { engines, ledger, keys, faults, store, newRequestId, closing: closing.signal, log };
    const shownHost = hostInUrl(isWildcard(host) ? '127.0.0.1' : host);
    const announcedAudioBase = options.audioBaseUrl?.replace(/\/+$/, '');
    const audioUrl = announcedAudioBase ?? `http://${shownHost}:${audioAddress.port}`;

    let dashboardPage: string | undefined;
    const api = createApiServer({
      ...context,
      rateLimiter: createRateLimiter({ requestsPerMinute: options.requestsPerMinute ?? REQUESTS_PER_MINUTE, now }),
      audioBase: ({ localAddress }) =>
        announcedAudioBase === undefined && isWildcard(host) && localAddress !== undefined
          ? `http://${hostInUrl(localAddress)}:${audioAddress.port}`
          : audioUrl,
      // A service for other machines has a proxy's addresses in front of it: loopback says nothing there.
      dashboardUrl: () => (isWildcard(host) ? undefined : dashboardPage),
    });
    const apiAddress = await open(api, host, options.port);
    const url = `http://${shownHost}:${apiAddress.port}`;

    const openDashboard = async (port: number | undefined) => {
      // Loaded only where there is one.
      const { createDashboardServer } = await import('./dashboard/dashboard-server.ts');
      const file = privateFile(dataDir, ADDRESS_FILE);
      const address = () => `${dashboardPage}#token=${access.token()}`;
      const keepAddress = () => writeFileSync(file, `${address()}\n`, { mode: 0o600 });
      const access = createPageAccess({
        onUsed() {
          try {
            keepAddress();
            log.info({ file }, 'The dashboard was opened: its next one-time address is in this file');
          } catch (error) {
            log.warn({ err: error, file }, 'The next one-time address of the dashboard could not be written');
          }
        },
      });
      const faultsOverHttp = options.faultsOverHttp ?? false;
      const dashboard = createDashboardServer({ ...context, apiUrl: () => url, faultsOverHttp, access });
      const listening = await open(dashboard, dashboardHost, port);
      dashboardPage = `http://127.0.0.1:${listening.port}/dashboard`;
      keepAddress();
      return address;
    };
    const { dashboardPort } = options;
    const dashboardAddress = dashboardPort === 'off' ? undefined : await openDashboard(dashboardPort);

    await engines.ready;
    let firstKey: string | undefined;
    return {
      url,
      audioUrl,
      /** With a token that is valid once; undefined when it is off. */
      get dashboardUrl() {
        return dashboardAddress?.();
      },
      /**
       * The key of the first start, when none was given. Made when it is read, for whoever shows it: it cannot be read again
       * after the next start, and a start that fails leaves none.
       */
      get apiKey() {
        if (firstKey === undefined && keys.list().length === 0) firstKey = keys.create('First key').secret;
        return firstKey;
      },
      /** Why nothing could be spoken at the start, if so. */
      problem: engines.problem(),
      faults,
      keys,
      ledger,
      /** Somebody may ask for speech soon. */
      wake: engines.wake,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Requests under way get this long to be answered once the service is ending. */
const CLOSE_GRACE_MS = 500;

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const force = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(force);
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen({ host, port });
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '';
}

function hostInUrl(host: string): string {
  const plain = host.replace(/^::ffff:(?=\d+\.)/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
}
