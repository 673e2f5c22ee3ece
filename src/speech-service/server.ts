import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { createPageAccess } from '../loopback-page/loopback-page.ts';
import { isKnownModelId } from '../speech/interface/models.ts';
import { createApiServer } from './api/api-server.ts';
import { createEngines, type EngineEntry, PACE } from './api/engines.ts';
import { noFaults, type ServerContext } from './api/speech.ts';
import { createAudioServer } from './audio-server.ts';
import { createKeyStore, createLedger, type Ledger } from './store/account.ts';
import { lockDataDir, openLedgerDatabase, privateFile } from './store/database.ts';
import { createEmbeddedEngine } from './synthesis/embedded/embedded-engine.ts';
import type { SpeechEngine } from './synthesis/engine.ts';
import { VOICES_FOLDER } from './synthesis/neural/installed-voices.ts';

/** The credits of a new account last a day: 60 requests a minute of 1000 characters cost 86.4 million. */
export const STARTING_CREDITS = 100_000_000;
/** The file in the data folder with the dashboard's current address, whose token works once. Only the file's owner can read it. */
export const ADDRESS_FILE = 'dashboard-address';

const DEFAULTS = {
  host: '127.0.0.1',
  /** The port of the speech API. 0 takes any free port, as for the other ports. */
  port: 0,
  audioPort: 0,
  dashboardPort: 0 as number | 'off',
  /** The dashboard only accepts names of this machine, even if a container needs it to listen on another address. */
  dashboardHost: '127.0.0.1',
  apiKey: undefined as string | undefined,
  /** The address for audio downloads, if clients cannot use the audio server's own, for example behind a proxy. */
  audioBaseUrl: undefined as string | undefined,
  requestsPerMinute: 60,
  startingCredits: STARTING_CREDITS,
  audioLifetimeMs: 60 * 60_000,
  /** 32 MiB of audio hold ten minutes. With 256 MiB, the service took 930 MiB, more than deploy/ allows. */
  audioMaxBytes: 32 * 1024 * 1024,
  faultsOverHttp: false,
  /** In tests, replaces the built-in synthesizer for the service's own voices. The service closes this engine. */
  engine: undefined as SpeechEngine | undefined,
  engines: undefined as readonly EngineEntry[] | undefined,
  /** The DATA_DIR with the installed neural voices; undefined offers only the built-in voices. */
  voicesIn: undefined as string | undefined,
  /** `flite` or `espeak` speaks English. The name of an installed voice selects `flite` and lists the voice first. */
  voiceEngine: 'flite',
  askEnginesEveryMs: PACE,
  log: pino({ enabled: false }) as Logger,
  now: Date.now,
};

/** `dataDir` holds API keys, credits and history. Only one service at a time can use a folder. */
export type SpeechServiceOptions = Partial<typeof DEFAULTS> & { readonly dataDir: string };

export type SpeechService = Awaited<ReturnType<typeof startSpeechService>>;

export async function startSpeechService(given: SpeechServiceOptions) {
  const options = { ...DEFAULTS, ...given };
  const { dataDir, host, log, now, audioBaseUrl, dashboardPort } = options;
  const lock = lockDataDir(dataDir);
  const cleanUp: (() => void | Promise<void>)[] = [() => lock.release()];
  /** Closes the service within two seconds. Refunds unanswered requests unless an engine may have billed them. */
  const close = async () => {
    for (const step of cleanUp.splice(0).reverse()) await step();
  };
  try {
    const db = openLedgerDatabase(dataDir);
    cleanUp.push(() => db.close());
    const clock = { now: () => new Date(now()) };
    const keys = createKeyStore(db, clock);
    const ledger = createLedger(db, { ...clock, startingCredits: options.startingCredits });
    if (options.apiKey !== undefined) keys.adopt(options.apiKey);
    // The built-in synthesizer costs no money: its one credit per character only counts the spoken characters.
    const only = { name: 'only', creditsPerCharacter: 1, costsMoney: false, fallback: undefined, server: undefined };
    const english = options.voiceEngine === 'espeak' ? 'espeak' : 'flite';
    const configured = options.engines ?? [{ ...only, engine: options.engine ?? createEmbeddedEngine({ english }) }];
    const { voicesIn } = options;
    const { entries, memory } =
      voicesIn === undefined || !existsSync(join(voicesIn, VOICES_FOLDER))
        ? { entries: configured, memory: [] }
        : (await import('./neural-entries.ts')).withInstalledVoices(configured, { ...options, voicesIn });
    closeOpen(ledger, entries, log);

    const engines = createEngines(entries, { log, ...options.askEnginesEveryMs });
    const faults = noFaults();
    const closing = new AbortController();
    const { audioLifetimeMs: lifetimeMs, audioMaxBytes: maxBytes } = options;
    const audio = createAudioServer({ lifetimeMs, maxBytes, faults, now });
    cleanUp.push(() => audio.close());
    // Engines close before the audio server, which waits for audio that engines still speak.
    cleanUp.push(() => engines.close());
    // The HTTP servers close in parallel, because each may need the whole grace period.
    const servers: Server[] = [];
    cleanUp.push(async () => void (await Promise.all(servers.map(closeServer))));
    cleanUp.push(() => closing.abort(new DOMException('The service is shutting down.', 'AbortError')));
    const open = async (server: Server, at: string, port: number): Promise<number> => {
      servers.push(server);
      server.listen({ host: at, port });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    };

    const audioPort = await open(audio.server, host, options.audioPort);
    const shownHost = hostInUrl(isWildcard(host) ? '127.0.0.1' : host);
    const audioUrl = audioBaseUrl?.replace(/\/+$/, '') ?? `http://${shownHost}:${audioPort}`;
    const context: ServerContext = { engines, ledger, keys, faults, store: audio.add, closing: closing.signal, log };
    let dashboardPage: string | undefined;
    const api = createApiServer({
      ...context,
      requestsPerMinute: options.requestsPerMinute,
      now,
      audioBase: (localAddress) =>
        audioBaseUrl === undefined && isWildcard(host) && localAddress !== undefined
          ? `http://${hostInUrl(localAddress)}:${audioPort}`
          : audioUrl,
      // On a wildcard host, the API redirects no client to the dashboard: behind a proxy, all clients seem local.
      dashboardUrl: () => (isWildcard(host) ? undefined : dashboardPage),
    });
    const url = `http://${shownHost}:${await open(api, host, options.port)}`;

    const openDashboard = async (port: number): Promise<() => string> => {
      const { createDashboardServer } = await import('./dashboard/dashboard-server.ts');
      const file = privateFile(dataDir, ADDRESS_FILE);
      const address = () => `${dashboardPage}#token=${access.token()}`;
      const keepAddress = () => writeFileSync(file, `${address()}\n`, { mode: 0o600 });
      const access = createPageAccess({
        onUsed() {
          try {
            keepAddress();
            log.info({ file }, 'Dashboard opened: its next one-time address is in a file');
          } catch (error) {
            log.warn({ err: error, file }, 'One-time dashboard address not saved: restart for a new one');
          }
        },
      });
      const { faultsOverHttp, dashboardHost } = options;
      const dashboard = createDashboardServer({ ...context, apiUrl: url, faultsOverHttp, access });
      dashboardPage = `http://127.0.0.1:${await open(dashboard, dashboardHost, port)}/dashboard`;
      keepAddress();
      return address;
    };
    const dashboardAddress = dashboardPort === 'off' ? undefined : await openDashboard(dashboardPort);

    await engines.ready;
    let firstKey: string | undefined;
    return {
      url,
      audioUrl,
      /** The dashboard's address with a one-time token; undefined if the dashboard is off. */
      get dashboardUrl() {
        return dashboardAddress?.();
      },
      /** The API key that the first start makes. Reading the property creates it, and the store keeps only its hash. */
      get apiKey() {
        if (firstKey === undefined && keys.list().length === 0) firstKey = keys.create('First key').secret;
        return firstKey;
      },
      problem: engines.problem(),
      installed: memory,
      faults,
      keys,
      ledger,
      wake: engines.wake,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Ends the charges that a crashed speech service left open. */
function closeOpen(ledger: Ledger, entries: readonly EngineEntry[], log: Logger): void {
  const counts = ledger.closeAllOpen((model) => {
    const own = entries.find(({ name, server }) => (server ? name === model : isKnownModelId(model)));
    // If the interrupted request's engine is no longer configured, the text counts as billed only if another engine has a price.
    return (own ? [own] : entries).some(({ costsMoney }) => costsMoney);
  });
  if (counts.lost + counts.refunded > 0)
    log.warn(
      { refunded: counts.refunded, charged: counts.lost },
      'A crash interrupted speech requests: refunded or charged their credits',
    );
}

const CLOSE_GRACE_MS = 500;

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const force = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(force);
}

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::' || host === '';

function hostInUrl(host: string): string {
  const plain = host.replace(/^::ffff:(?=\d+\.)/, '');
  return plain.includes(':') ? `[${plain}]` : plain;
}
