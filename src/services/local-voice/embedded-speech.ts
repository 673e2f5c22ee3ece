import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import * as z from 'zod';
import { OperatorError } from '../../errors/operator-error.ts';
import { NODE_FLAGS } from '../../process/node-flags.ts';

interface EmbeddedSpeechOptions {
  /** The address of its page for this machine; with port 0 any free one is taken. Undefined: it has none. */
  readonly dashboard: { readonly host: string; readonly port: number } | undefined;
  readonly dataPath: string;
  readonly apiKey: string;
  /** The child's whole environment, besides its key. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
  readonly signal?: AbortSignal;
  /** The service's entry; another one only in tests. */
  readonly entry?: string;
  readonly startDeadlineMs?: number;
  /** Pause before the first restart; doubled each time up to a minute. */
  readonly restartDelayMs?: number;
}

/** Loading a synthesizer takes seconds on a small machine. */
const START_DEADLINE_MS = 30_000;
/** Less than the app's deadline for each resource: a child that ignores the signal must not outlive this process. */
const STOP_DEADLINE_MS = 2_000;
const RESTART_DELAY_MS = 500;
const MAX_RESTART_DELAY_MS = 60_000;
/** For a restart on new ports, with one that failed before it; each of a request's attempts waits this long. */
const RESTART_WAIT_MS = 6_000;
/** A child that ran this long was healthy: the next restart is quick again. */
const STEADY_MS = 30_000;
const LAST_WORDS = 20;
/** The child's synthesizer unloads after 15 minutes without a request or a wake-up. */
const WAKE_EVERY_MS = 60_000;

/** The exit code for settings with which another start would fail in the same way (src/speech-service/program.ts). */
const WRONG_SETTING = 78;

const ANY_PORTS = ['--port', '0', '--audio-port', '0'];

/** In the words that Node ends a program with whose port is in use. */
const PORT_TAKEN = /EADDRINUSE/;

/**
 * glibc would keep what a start took for the time being, up to 30 MB: with a threshold of one's own it returns what is above it.
 * deploy/ and the Dockerfile start the bot itself with it.
 */
const GIVES_MEMORY_BACK = { MALLOC_TRIM_THRESHOLD_: '131072' };

const ENTRY = fileURLToPath(new URL('../../speech-service/main.ts', import.meta.url));

const announcementSchema = z.object({ url: z.url(), audioUrl: z.url(), dashboardUrl: z.url().optional() });

const WARN_LEVEL = 40;
/** A line of pino's; further fields belong to that line alone. */
const logLineSchema = z.looseObject({
  level: z.number(),
  msg: z.string().default(''),
  time: z.unknown().optional(),
  err: z.object({ message: z.string() }).optional(),
});

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  /** Aborted when the process is gone; its output may end later. */
  readonly end: AbortSignal;
  readonly url: URL;
  readonly audioUrl: URL;
  readonly dashboardUrl: URL | undefined;
}

/**
 * Starts the embedded speech service as a child process and resolves once it answers; from then on it is restarted
 * whenever it ends.
 */
export async function startEmbeddedSpeech(options: EmbeddedSpeechOptions) {
  const { log, restartDelayMs = RESTART_DELAY_MS } = options;
  const closing = new AbortController();
  const restarts = new EventEmitter();
  let latest = await startChild(options, ANY_PORTS, options.signal);
  let ports = portsOf(latest);
  let running: Running | undefined = latest;
  let nextWakeMs = 0;
  const supervising = supervise();

  async function supervise(): Promise<void> {
    let delayMs = restartDelayMs;
    while (!closing.signal.aborted) {
      const startedAtMs = performance.now();
      if (running) {
        await running.exited;
        running = undefined;
        if (closing.signal.aborted) return;
        if (performance.now() - startedAtMs > STEADY_MS) delayMs = restartDelayMs;
        log.warn({ delayMs }, 'The built-in speech service ended: restarting it');
      }
      // Rejects only when the service is being closed.
      await sleep(delayMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted) return;
      delayMs = Math.min(delayMs * 2, MAX_RESTART_DELAY_MS);
      try {
        latest = running = await startChild(options, ports, closing.signal);
        ports = portsOf(latest);
        restarts.emit('restarted');
        const { url, dashboardUrl } = latest;
        log.info(
          { speechUrl: url.origin, dashboardUrl: withoutToken(dashboardUrl) },
          'The built-in speech service was restarted',
        );
      } catch (error) {
        if (closing.signal.aborted) return;
        // Another program has taken a port since, and may keep it.
        if (PORT_TAKEN.test((error as Error).message)) ports = ANY_PORTS;
        log.error({ err: error, delayMs }, 'The built-in speech service does not start: retrying');
      }
    }
  }

  return {
    /** Stays the same across restarts, unless another program has taken a port meanwhile: to be read for each request. */
    get url() {
      return latest.url;
    },
    /**
     * Waits a few seconds for a restart that is under way; resolves with a signal that is aborted when the child at `url` has
     * ended, which it has already where the restart takes longer.
     */
    async currentEnd(signal: AbortSignal): Promise<AbortSignal> {
      if (latest.end.aborted) {
        const enough = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(RESTART_WAIT_MS)]);
        // Rejects only when that is enough: the child's end then says it.
        await once(restarts, 'restarted', { signal: enough }).catch(() => undefined);
      }
      return latest.end;
    },
    /** The page with balance, keys, without its one-time token; undefined when it is off. */
    get dashboardUrl() {
      return withoutToken(latest.dashboardUrl);
    },
    /** Wakes the child, at most once a minute, when a member may soon ask for speech. */
    wake() {
      if (!running || performance.now() < nextWakeMs) return;
      nextWakeMs = performance.now() + WAKE_EVERY_MS;
      running.child.stdin?.write('\n');
    },
    /** Ends the child. Idempotent. */
    async close() {
      closing.abort();
      if (running) await stopChild(running.child, running.exited);
      await supervising;
      // It may have been restarted during the close.
      if (running) await stopChild(running.child, running.exited);
    },
  };
}

function dashboardFlags({ dashboard }: EmbeddedSpeechOptions): readonly string[] {
  if (dashboard === undefined) return ['--no-dashboard'];
  return ['--dashboard-host', dashboard.host, '--dashboard-port', String(dashboard.port)];
}

/** Given after the options' own: the last ones count. */
function portsOf({ url, audioUrl, dashboardUrl }: Running): readonly string[] {
  const dashboard = dashboardUrl === undefined ? [] : ['--dashboard-port', dashboardUrl.port];
  return ['--port', url.port, '--audio-port', audioUrl.port, ...dashboard];
}

/** For the log, which more people read than the file in the data folder. */
function withoutToken(page: URL | undefined): string | undefined {
  return page && `${page.origin}${page.pathname}`;
}

async function startChild(
  options: EmbeddedSpeechOptions,
  ports: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Running> {
  const { dataPath, apiKey, environment, log, entry = ENTRY, startDeadlineMs = START_DEADLINE_MS } = options;
  signal?.throwIfAborted();
  const flags = ['--json', '--data', dataPath, '--exit-with-parent', ...dashboardFlags(options)];
  const child = spawn(process.execPath, [...NODE_FLAGS, entry, ...flags, ...ports], {
    env: { ...GIVES_MEMORY_BACK, ...environment, SPEECH_SERVICE_KEY: apiKey },
    // Its standard input is a lifeline: when this process dies, however suddenly, the pipe closes and the child ends.
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C in a terminal reaches the whole process group; a playing utterance still needs its voice.
    detached: true,
  });
  // Without a file descriptor left for its pipes they are missing, and the 'error' event follows.
  if (child.stdin === undefined) {
    const [cause]: Error[] = await once(child, 'error');
    throw new OperatorError(`The built-in voice could not be started: ${cause?.message}`, { cause });
  }
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const end = new AbortController();
  child.once('exit', () => end.abort());
  child.stdin?.on('error', (error) =>
    log.debug({ err: error }, 'The built-in speech service closed its standard input'),
  );

  const lastWords: string[] = [];
  let isWrongSetting = false;
  const errors = createInterface({ input: child.stderr as NonNullable<typeof child.stderr> }).on('line', (line) => {
    lastWords.push(line);
    if (lastWords.length > LAST_WORDS) lastWords.shift();
    passOn(line, log);
  });
  const output = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });

  const deadline = AbortSignal.timeout(startDeadlineMs);
  const giveUp = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    const announced = once(output, 'line', { signal: giveUp }).then(([line]) => String(line));
    const died = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code, endedBy) => {
        isWrongSetting = code === WRONG_SETTING;
        reject(new Error(`it ended at once (${endedBy ?? `exit ${code}`})`));
      });
    });
    const line = await Promise.race([announced, died]);
    const { url, audioUrl, dashboardUrl } = announcementSchema.parse(JSON.parse(line));
    log.debug({ localVoicePid: child.pid, localVoiceUrl: url }, 'The built-in speech service answers');
    return {
      child,
      exited,
      end: end.signal,
      url: new URL(url),
      audioUrl: new URL(audioUrl),
      dashboardUrl: dashboardUrl === undefined ? undefined : new URL(dashboardUrl),
    };
  } catch (error) {
    if (child.pid !== undefined) await stopChild(child, exited);
    signal?.throwIfAborted();
    const why = deadline.aborted ? `it said nothing for ${startDeadlineMs} ms` : (error as Error).message;
    if (isWrongSetting) throw new OperatorError(lastWords.join(' '), { isWrongSetting, cause: error });
    throw new OperatorError(`The built-in voice could not be started: ${why}\n${lastWords.join('\n')}`.trimEnd(), {
      cause: error,
    });
  } finally {
    // Later output on stdout is irrelevant, but must not fill the pipe.
    output.on('line', () => undefined);
    void exited.then(() => {
      errors.close();
      output.close();
    });
  }
}

/** The child's own log lines: its warnings are logged as warnings, other lines for debugging. */
function passOn(line: string, log: Logger): void {
  const parsed = logLineSchema.safeParse(parseJson(line));
  if (!parsed.success) {
    log.debug({ program: 'speech-service' }, line);
    return;
  }
  const { level, msg, time: _, err, ...fields } = parsed.data;
  log[level >= WARN_LEVEL ? 'warn' : 'debug']({ reason: err?.message, ...fields }, msg);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  await exited;
  clearTimeout(killer);
}
