import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { compactHeap, exitPromptly } from '../process/heap.ts';
import { readServiceOptions, SERVICE_USAGE, UsageError } from './options.ts';
import { ADDRESS_FILE, type SpeechService, STARTING_CREDITS, startSpeechService } from './server.ts';
import { databaseFile, LedgerError, openLedgerDatabase } from './store/database.ts';
import { createLedger } from './store/ledger.ts';
import { findEspeak } from './synthesis/embedded/espeak.ts';

/** The speech service as a program of its own. Only addresses (and, once, a key) go to stdout; all else to stderr. */

/** EX_CONFIG of sysexits.h. The bot knows it by the code (src/services/local-voice). */
const WRONG_SETTING = 78;

class SilentError extends Error {}

const closing = new AbortController();
let close = async (): Promise<void> => {};
let leave: (code: number) => void = exitPromptly;

try {
  const options = readServiceOptions(process.argv.slice(2), process.env);
  if (options.help) {
    process.stdout.write(SERVICE_USAGE);
  } else if (options.topUp !== undefined) {
    process.stdout.write(topUpAndReport(options.service.dataDir, options.topUp));
  } else {
    const log = pino(
      { level: options.logLevel, base: { program: 'speech-service' }, timestamp: pino.stdTimeFunctions.isoTime },
      pino.destination(2),
    );
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
    if (options.exitWithParent) {
      // Node's own exit can hang forever (src/process/heap.ts). No one watches this process by then, and no one needs
      // its exit code.
      leave = () => process.kill(process.pid, 'SIGKILL');
      process.stdin.on('end', end).on('close', end).on('error', end).resume();
    }
    if (options.engines === undefined) mustSpeakItself();
    const service = await startSpeechService({
      ...options.service,
      // What speaks to other servers takes 20 MB.
      engines:
        options.engines && (await import('./open-engines.ts')).openEngines(options.engines, options.engineDeadlineMs),
      log,
    });
    close = service.close;
    if (closing.signal.aborted) await close();
    else {
      if (service.problem !== undefined) log.error(service.problem);
      const { url, audioUrl, dashboardUrl, apiKey } = service;
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ url, audioUrl, dashboardUrl, apiKey })}\n`
          : describe(service, options.service),
      );
      compactHeap();
      // The parent program knows when a member may soon ask for speech: each line on stdin says that.
      if (options.exitWithParent) process.stdin.on('data', service.wake);
    }
  }
} catch (error) {
  const message = portTaken(error) ?? (error instanceof Error ? error.message : String(error));
  process.stderr.write(`${message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : error instanceof SilentError ? WRONG_SETTING : 1;
  // Being read with --exit-with-parent, it would keep this process for as long as the parent lives.
  process.stdin.pause();
}

function mustSpeakItself(): void {
  const found = findEspeak();
  if ('problem' in found) throw new SilentError(found.problem);
}

function end(): void {
  if (closing.signal.aborted) return;
  closing.abort();
  // A last resort, so that nothing can keep the process: closing takes milliseconds.
  setTimeout(() => leave(1), 2_000).unref();
  process.stdin.pause();
  close().then(
    () => leave(0),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`);
      leave(1);
    },
  );
}

/** Most often a second one of these, on the usual ports. The bot knows it by the code (src/services/local-voice). */
function portTaken(error: unknown): string | undefined {
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code !== 'EADDRINUSE') return undefined;
  return `Port ${port} of ${address} is in use (${code}): end the program that uses it, or choose others, as --port 0 does.`;
}

function withSeparators(credits: number): string {
  return credits.toLocaleString('en-US');
}

/** Adds credits to the account in `dataDir`, whether or not a service is running on it; returns a message. */
function topUpAndReport(dataDir: string, amount: number): string {
  // Opening would create it: credits for an unused account, because a folder was misspelled.
  if (!existsSync(databaseFile(dataDir))) {
    throw new LedgerError(
      `There is no speech service in ${resolve(dataDir)}, so nothing was added. --data DIR names the folder of one that has been started.`,
    );
  }
  const db = openLedgerDatabase(dataDir);
  try {
    const ledger = createLedger(db, { startingCredits: STARTING_CREDITS, now: () => new Date() });
    const left = ledger.topUp(amount, 'Top-up on the command line');
    return `Added ${withSeparators(amount)} credits to the account in ${resolve(dataDir)}; ${withSeparators(left)} are left.\n`;
  } finally {
    db.close();
  }
}

/** The key comes last: it is what has to be copied. */
function describe(
  { url, audioUrl, dashboardUrl, apiKey }: SpeechService,
  { dataDir, apiKey: given }: { readonly dataDir: string; readonly apiKey?: string },
): string {
  const another = `Another key: ${dashboardUrl === undefined ? 'start with SPEECH_SERVICE_KEY set to one of your own' : 'on the dashboard, under API Keys'}.`;
  const known = given === undefined ? 'Shown at the first start only.' : 'The one in SPEECH_SERVICE_KEY.';
  const key =
    apiKey === undefined
      ? `API key    ${known} ${another}\n`
      : `API key    ${apiKey}\n           Keep it: it is not shown again. ${another}\n`;
  const dashboard =
    dashboardUrl === undefined
      ? ''
      : `Dashboard  ${dashboardUrl}\n           Opens once; the next address is in ${join(dataDir, ADDRESS_FILE)}.\n`;
  return `Speech API ${url}\nAudio      ${audioUrl}\n${dashboard}${key}`;
}
