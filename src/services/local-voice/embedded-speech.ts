import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import * as z from 'zod';
import { OperatorError } from '../../errors/operator-error.ts';
import { NODE_FLAGS } from '../../process/child-environment.ts';
import { WRONG_SETTING } from '../../process/package.ts';
import { parseJson } from '../../speech/interface/schemas.ts';

interface EmbeddedSpeechOptions {
  /** Where the built-in voice's dashboard listens; port 0 takes any free port. Undefined: no dashboard. */
  readonly dashboard: { readonly host: string; readonly port: number } | undefined;
  readonly dataPath: string;
  readonly apiKey: string;
  /** The built-in speech service's process gets only these environment variables and its API key, not the bot token. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly entry?: string;
}

/** How long the built-in speech service may take to start: loading a synthesizer takes seconds on a small machine. */
const START_DEADLINE_MS = 30_000;
/** Time until a stopping service is killed: shorter than the bot's own shutdown, which the service must not outlive. */
const STOP_DEADLINE_MS = 2_000;
/** Pause before the first restart of the built-in speech service; doubles with each restart, up to a minute. */
const RESTART_DELAY_MS = 500;
const MAX_RESTART_DELAY_MS = 60_000;
/** How long a speech request waits until the built-in speech service has restarted: enough for two attempts. */
const RESTART_WAIT_MS = 6_000;
/** A service that has run this long counts as healthy, and is restarted after a short pause. */
const STEADY_MS = 30_000;
const LAST_WORDS = 20;
/** The synthesizer unloads after 15 minutes without a request or a wake-up, so one wake-up a minute is enough. */
const WAKE_EVERY_MS = 60_000;

/** Makes glibc return freed memory, which saves up to 30 MB. deploy/ and the Dockerfile set the same value. */
const GIVES_MEMORY_BACK = { MALLOC_TRIM_THRESHOLD_: '131072' };

const ENTRY = fileURLToPath(new URL('../../speech-service/main.ts', import.meta.url));

const announcementSchema = z.object({
  url: z.url(),
  dashboardUrl: z.url().transform(withoutToken).optional(),
  installed: z.array(z.string()).default([]),
});

const WARN_LEVEL = 40;
const logLineSchema = z.looseObject({
  level: z.number(),
  msg: z.string().default(''),
  time: z.unknown().optional(),
  err: z.object({ message: z.string() }).optional(),
});

/** Starts the built-in speech service, resolves when it answers, and restarts it whenever it exits. */
export async function startEmbeddedSpeech(options: EmbeddedSpeechOptions) {
  const { log } = options;
  const closing = new AbortController();
  const restarts = new EventEmitter();
  let latest = await startChild(options, options.signal);
  let running: typeof latest | undefined = latest;
  let nextWakeMs = 0;
  const supervising = supervise();

  async function supervise(): Promise<void> {
    let delayMs = RESTART_DELAY_MS;
    while (!closing.signal.aborted) {
      const startedAtMs = performance.now();
      if (running) {
        await running.exited;
        running = undefined;
        if (closing.signal.aborted) return;
        if (performance.now() - startedAtMs > STEADY_MS) delayMs = RESTART_DELAY_MS;
        log.warn({ delayMs }, 'The built-in speech service ended: restarting it');
      }
      await sleep(delayMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted) return;
      delayMs = Math.min(delayMs * 2, MAX_RESTART_DELAY_MS);
      try {
        latest = running = await startChild(options, closing.signal);
        restarts.emit('restarted');
        const { url, dashboardUrl } = latest;
        log.info({ speechUrl: url.origin, dashboardUrl }, 'Restarted the built-in speech service: it answers again');
      } catch (error) {
        if (closing.signal.aborted) return;
        log.error({ err: error, delayMs }, 'The built-in speech service did not start: retrying');
      }
    }
  }

  return {
    /** The address must be read for each request, because a restart of the built-in speech service changes it. */
    get url() {
      return latest.url;
    },
    /** A signal that aborts when the process at `url` ends. If it has ended, first waits for a restart. */
    async currentEnd(signal: AbortSignal): Promise<AbortSignal> {
      if (latest.end.aborted) {
        const enough = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(RESTART_WAIT_MS)]);
        // Without a restart in time, the returned signal has already aborted, and the speech request fails at once.
        await once(restarts, 'restarted', { signal: enough }).catch(() => undefined);
      }
      return latest.end;
    },
    /** One line for each installed neural voice, with the memory that it takes. */
    installed: latest.installed,
    dashboardUrl: latest.dashboardUrl,
    /** Makes the service load its synthesizer early. Must be called when a member may soon ask for speech, as when one enters voice. */
    wake() {
      if (!running || performance.now() < nextWakeMs) return;
      nextWakeMs = performance.now() + WAKE_EVERY_MS;
      running.child.stdin?.write('\n');
    },
    async close() {
      closing.abort();
      if (running) await stopChild(running.child, running.exited);
      await supervising;
      // A restart may have begun just before close(), and its new process must be stopped too.
      if (running) await stopChild(running.child, running.exited);
    },
  };
}

/** Removes the one-time token from the dashboard's address, because more people read the log than the data folder. */
function withoutToken(page: string): string {
  const { origin, pathname } = new URL(page);
  return `${origin}${pathname}`;
}

async function startChild(options: EmbeddedSpeechOptions, signal: AbortSignal) {
  const { dashboard, dataPath, apiKey, environment, log, entry = ENTRY } = options;
  signal.throwIfAborted();
  const ports = ['--port', '0', '--audio-port', '0'];
  const page = dashboard
    ? ['--dashboard-host', dashboard.host, '--dashboard-port', String(dashboard.port)]
    : ['--no-dashboard'];
  const flags = ['--json', '--data', dataPath, '--exit-with-parent', ...ports, ...page];
  const child = spawn(process.execPath, [...NODE_FLAGS, entry, ...flags], {
    env: { ...GIVES_MEMORY_BACK, ...environment, SPEECH_SERVICE_KEY: apiKey },
    // Standard input is a lifeline: if the bot dies in any way, the pipe closes and the child exits.
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C signals the whole process group. In a group of its own, the service can finish the current audio.
    detached: true,
  });
  // Without free file descriptors, the child has no pipes, and Node emits an 'error' event with the cause.
  if (child.stdin === undefined) {
    const [cause]: Error[] = await once(child, 'error');
    throw new OperatorError(`The built-in voice could not be started: ${cause?.message}`, { cause });
  }
  const { promise: exited, resolve: onClosed } = Promise.withResolvers<void>();
  child.once('close', () => onClosed());
  const end = new AbortController();
  child.once('exit', () => end.abort());
  child.stdin?.on('error', (error) =>
    log.debug({ err: error }, 'Could not wake the built-in voice: speech may start late'),
  );

  const lastWords: string[] = [];
  let isWrongSetting = false;
  const errors = createInterface({ input: child.stderr as NonNullable<typeof child.stderr> }).on('line', (line) => {
    lastWords.push(line);
    if (lastWords.length > LAST_WORDS) lastWords.shift();
    passOn(line, log);
  });
  const output = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });

  const deadline = AbortSignal.timeout(START_DEADLINE_MS);
  const giveUp = AbortSignal.any([signal, deadline]);
  try {
    const announcing = once(output, 'line', { signal: giveUp }).then(([line]) => String(line));
    const died = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code, endedBy) => {
        isWrongSetting = code === WRONG_SETTING;
        reject(new Error(`it ended at once (${endedBy ?? `exit ${code}`})`));
      });
    });
    const line = await Promise.race([announcing, died]);
    const { url, ...announced } = announcementSchema.parse(JSON.parse(line));
    log.debug({ localVoicePid: child.pid, localVoiceUrl: url }, 'Started the built-in speech service: it answers');
    return {
      child,
      exited,
      /** Aborts when the built-in speech service's process has exited; its last output may arrive later. */
      end: end.signal,
      url: new URL(url),
      ...announced,
    };
  } catch (error) {
    if (child.pid !== undefined) await stopChild(child, exited);
    signal.throwIfAborted();
    const why = deadline.aborted ? `it said nothing for ${START_DEADLINE_MS} ms` : (error as Error).message;
    if (isWrongSetting) throw new OperatorError(lastWords.join(' '), { isWrongSetting, cause: error });
    throw new OperatorError(`The built-in voice could not be started: ${why}\n${lastWords.join('\n')}`.trimEnd(), {
      cause: error,
    });
  } finally {
    // From the second line on, the output is read and dropped, because a full pipe would block the service.
    output.on('line', () => undefined);
    void exited.then(() => {
      errors.close();
      output.close();
    });
  }
}

function passOn(line: string, log: Logger): void {
  const parsed = logLineSchema.safeParse(parseJson(line));
  if (!parsed.success) {
    log.debug({ program: 'speech-service' }, line);
    return;
  }
  const { level, msg, time: _, err, ...fields } = parsed.data;
  log[level >= WARN_LEVEL ? 'warn' : 'debug']({ reason: err?.message, ...fields }, msg);
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  await exited;
  clearTimeout(killer);
}
