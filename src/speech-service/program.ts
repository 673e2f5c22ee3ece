import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { compactHeap, exitPromptly } from '../process/heap.ts';
import { WRONG_SETTING } from '../process/package.ts';
import { readServiceOptions, SERVICE_USAGE, UsageError } from './options.ts';
import { ADDRESS_FILE, type SpeechService, STARTING_CREDITS, startSpeechService } from './server.ts';
import { createLedger } from './store/account.ts';
import { databaseFile, openLedgerDatabase } from './store/database.ts';
import { findEspeak } from './synthesis/embedded/espeak.ts';

/** Only results, such as addresses and the first API key, go to stdout. Logs and errors go to stderr. */

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
      // Node's own exit can hang (src/process/heap.ts), so the process kills itself: nobody needs its exit code.
      leave = () => process.kill(process.pid, 'SIGKILL');
      process.stdin.on('end', end).on('close', end).on('error', end).resume();
    }
    const espeak = findEspeak();
    if (options.engines === undefined && 'problem' in espeak) throw new SilentError(espeak.problem);
    const service = await startSpeechService({
      ...options.service,
      // The code for engines that are servers takes 20 MB of memory, so it is only loaded if one is configured.
      engines:
        options.engines && (await import('./open-engines.ts')).openEngines(options.engines, options.engineDeadlineMs),
      log,
    });
    close = service.close;
    if (closing.signal.aborted) await close();
    else {
      if (service.problem !== undefined) log.error(service.problem);
      const { url, audioUrl, dashboardUrl, apiKey, installed } = service;
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ url, audioUrl, dashboardUrl, apiKey, installed: installed.length > 0 ? installed : undefined })}\n`
          : describe(service, options.service),
      );
      compactHeap();
      // The bot writes a line to stdin when a member may soon ask for speech: the synthesizer then loads early.
      if (options.exitWithParent) process.stdin.on('data', service.wake);
    }
  }
} catch (error) {
  const message = portTaken(error) ?? (error instanceof Error ? error.message : String(error));
  process.stderr.write(`${message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : error instanceof SilentError ? WRONG_SETTING : 1;
  // If the start failed, the process must end, but with --exit-with-parent the open stdin would keep it running.
  process.stdin.pause();
}

function end(): void {
  if (closing.signal.aborted) return;
  closing.abort();
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

function portTaken(error: unknown): string | undefined {
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code !== 'EADDRINUSE') return undefined;
  return `Port ${port} of ${address} is in use (${code}): end the program that uses it, or choose others, as --port 0 does.`;
}

function withSeparators(credits: number): string {
  return credits.toLocaleString('en-US');
}

function topUpAndReport(dataDir: string, amount: number): string {
  // `--top-up` must not create a new database if the operator has misspelled the folder's name.
  if (!existsSync(databaseFile(dataDir))) {
    throw new Error(
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

/** Describes the started service. The API key is printed last, because the operator has to copy it. */
function describe(
  { url, audioUrl, dashboardUrl, apiKey, installed }: SpeechService,
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
  const voices = installed.length === 0 ? '' : `Installed  ${installed.join('\n           ')}\n`;
  return `Speech API ${url}\nAudio      ${audioUrl}\n${dashboard}${voices}${key}`;
}
