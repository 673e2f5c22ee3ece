import '../process/fetch-globals.ts';
import { flushCompileCache } from 'node:module';
import { constants } from 'node:os';
import { describeProblems, describeStrange, loadConfig, strangeVariables } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { compactHeap, exitPromptly } from '../process/heap.ts';
import { flagsOrExit, WRONG_SETTING } from '../process/package.ts';
import { createApp } from './app.ts';
import { createLog } from './log.ts';

/** The time limit for closing the bot. Process managers must wait DRAIN_TIMEOUT_MS plus 10 s between SIGTERM and killing the process. */
const EXIT_DEADLINE_MS = 9_500;
/** Two signals within 300 ms count as one: Ctrl-C under npm sends a signal from the terminal and another from npm. */
const SAME_KEY_PRESS_MS = 300;
/** How long leaving the voice channels may take: enough for a request to Discord and its answer. */
const LEAVE_DEADLINE_MS = 1_500;

const USAGE = `Usage: npm start

Starts the bot. It takes no options: its settings are variables of the environment, or lines of the file .env (docs/reference/settings.md).
SIGTERM ends it when the current texts have been spoken, SIGINT (Ctrl+C) at once.

Exit code: 0 when it was told to stop, 78 when a setting is wrong, a package is missing, or Discord refuses the token or READ_MESSAGES=on, 1 for every other failure,
2 for wrong usage, 130 or 143 when a second signal ended it at once.
`;

flagsOrExit(USAGE, {});
const configured = loadConfig();
const strange = strangeVariables(process.env, configured.file).map(describeStrange);
if (!configured.ok) {
  for (const line of strange) process.stderr.write(`${line}\n`);
  process.stderr.write(describeProblems(configured.problems, configured.noFileIn));
  process.exit(WRONG_SETTING);
}

const logging = createLog(configured.config.logLevel);
const { log } = logging;
for (const line of strange) log.warn(line);
let endingSince: number | undefined;
let isEnding = false;
let isLeavingAtOnce = false;

/** Logs why the process ends; called last, so that the reason is the log's last line. */
let lastWords: (() => void) | undefined;

const app = createApp({
  config: configured.config,
  log: logging,
  onFatal: (error) => giveUp(error, 'Crier must stop'),
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
// If writing to stdout fails, nobody reads the log, so the bot ends. Logging the error would fail again in an endless loop.
process.stdout.on('error', () => {
  if (endingSince === undefined) void end(1);
});
process.on('uncaughtException', (error) => crash(error, 'Uncaught exception: Crier ends'));
process.on('unhandledRejection', (error) => crash(error, 'Unhandled rejection: Crier ends'));

try {
  await app.open();
  // Node's compile cache is saved now: the first start adds 1,500 files, and saving them at exit takes too long on a busy machine.
  flushCompileCache();
  // Compacting the heap is fast before the login: no speech has run, and no data of Discord servers is loaded.
  compactHeap();
  await app.start();
} catch (error) {
  if (endingSince === undefined) giveUp(error, error instanceof Error ? error.message : 'Crier could not start');
}

/** SIGTERM finishes the current texts first, SIGINT stops speaking, and a second signal ends the process at once. */
function stop(signal: 'SIGINT' | 'SIGTERM'): void {
  if (endingSince !== undefined) {
    if (performance.now() - endingSince > SAME_KEY_PRESS_MS) void leaveAtOnce(signal);
    // If a process group gets SIGTERM, npm may send SIGINT to the bot at the same time: SIGINT wins over SIGTERM.
    else if (signal === 'SIGINT') void end(0);
    return;
  }
  endingSince = performance.now();
  if (signal === 'SIGINT') {
    log.info({ signal }, 'Stopping without finishing texts: repeat the signal to force it');
    void end(0);
    return;
  }
  log.info(
    { signal, drainTimeoutMs: configured.ok ? configured.config.drainTimeoutMs : 0 },
    'Finishing texts being spoken: another signal stops them at once',
  );
  void app.drain().then(() => end(0));
}

function giveUp(error: unknown, message: string): void {
  lastWords ??= () => tell(error, message);
  void end(error instanceof OperatorError && error.isWrongSetting ? WRONG_SETTING : 1);
}

function crash(error: unknown, message: string): void {
  tell(error, message);
  void end(1);
}

function tell(error: unknown, message: string): void {
  if (error instanceof OperatorError) {
    log.debug({ err: error }, 'Details of the fatal error in the next log line');
    log.fatal(error.message);
  } else {
    log.fatal({ err: error }, message);
  }
}

async function end(code: number): Promise<void> {
  if (isEnding || isLeavingAtOnce) return;
  isEnding = true;
  endingSince ??= performance.now();
  setTimeout(() => {
    lastWords?.();
    process.exit(code || 1);
  }, EXIT_DEADLINE_MS).unref();
  await app.close();
  if (isLeavingAtOnce) return;
  if (lastWords) lastWords();
  else log.info('Crier has stopped');
  exitPromptly(code);
}

async function leaveAtOnce(signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  if (isLeavingAtOnce) return;
  isLeavingAtOnce = true;
  // Shells use the exit code 128 plus the signal's number for a process that a signal ended.
  const code = 128 + constants.signals[signal];
  log.info({ signal }, 'Received a second signal: leaving voice and ending at once');
  lastWords?.();
  setTimeout(() => process.exit(code), LEAVE_DEADLINE_MS).unref();
  await app
    .leave()
    .catch((error: unknown) => log.warn({ err: error }, 'Could not leave the voice channels: ending anyway'));
  exitPromptly(code);
}
