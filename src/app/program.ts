import '../process/fetch-globals.ts';
import { flushCompileCache } from 'node:module';
import { constants } from 'node:os';
import { describeProblems, loadConfig } from '../config/config.ts';
import { describeStrange, describeStrangeLine, strangeLines, strangeVariables } from '../config/strange-variables.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { flagsOrExit } from '../process/flags.ts';
import { compactHeap, exitPromptly } from '../process/heap.ts';
import { createApp } from './app.ts';
import { createLog } from './log.ts';

/** Supervisors wait 10 s before they kill the process; deployments with DRAIN_TIMEOUT_MS must wait that much longer. */
const EXIT_DEADLINE_MS = 9_500;
/** Ctrl-C under npm arrives twice at once: from the terminal and passed on by npm. */
const SAME_KEY_PRESS_MS = 300;
/** Leaving takes a message to Discord and its answer. */
const LEAVE_DEADLINE_MS = 1_500;

/** EX_CONFIG of sysexits.h: a start with the same settings would fail in the same way. deploy/crier.service knows it. */
const WRONG_SETTING = 78;

const USAGE = `Usage: npm start

Starts the bot. It takes no options: its settings are variables of the environment, or lines of the file .env (docs/reference/settings.md).
SIGTERM ends it when the current texts have been spoken, SIGINT (Ctrl+C) at once.

Exit code: 0 when it was told to stop, 78 when a setting is wrong, a package is missing, or Discord refuses the token or READ_MESSAGES=on, 1 for every other failure,
2 for wrong usage, 130 or 143 when a second signal ended it at once.
`;

flagsOrExit(USAGE, {});
const configured = loadConfig();
const { file } = configured;
const strange = [
  ...strangeVariables(process.env, file).map(describeStrange),
  ...strangeLines(file).map(describeStrangeLine),
];
if (!configured.ok) {
  for (const line of strange) process.stderr.write(`${line}\n`);
  process.stderr.write(describeProblems(configured.problems, configured.noFileIn));
  process.exit(WRONG_SETTING);
}

const logging = createLog(configured.config.logLevel);
const { log } = logging;
for (const line of strange) log.warn(line);
/** When it was first told to stop, or had to. */
let endingSince: number | undefined;
let isEnding = false;
let isLeavingAtOnce = false;

/** Why it has to end, said after all that closing says: the last line of the log. */
let lastWords: (() => void) | undefined;

const app = createApp({
  config: configured.config,
  log: logging,
  onFatal: (error) => giveUp(error, 'Crier must stop'),
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
// The reader of the log is gone. To log that would fail again, and again, faster than anything else gets its turn.
process.stdout.on('error', () => {
  if (endingSince === undefined) void end(1);
});
process.on('uncaughtException', (error) => crash(error, 'Something was thrown that nothing caught'));
process.on('unhandledRejection', (error) => crash(error, 'Something was rejected that nothing caught'));

try {
  await app.open();
  // Node itself writes its compile cache when the process ends: 1,500 files on the first run, which took a busy machine longer
  // than a supervisor waits before it kills the process.
  flushCompileCache();
  // Nothing can be spoken yet, and nothing is known yet of servers, whose data would make it take longer.
  compactHeap();
  await app.start();
} catch (error) {
  if (endingSince === undefined) giveUp(error, error instanceof Error ? error.message : 'Crier could not start');
}

/**
 * SIGTERM is an update or a shutdown: what is being spoken is finished. SIGINT is a person at the keyboard, who waits: it
 * stops speaking. Whatever comes second wants it to be over.
 */
function stop(signal: 'SIGINT' | 'SIGTERM'): void {
  if (endingSince !== undefined) {
    if (performance.now() - endingSince > SAME_KEY_PRESS_MS) void leaveAtOnce(signal);
    // A group of processes that is ended by SIGTERM, and in it one that ends the bot by SIGINT: the one that does not wait.
    else if (signal === 'SIGINT') void end(0);
    return;
  }
  endingSince = performance.now();
  if (signal === 'SIGINT') {
    log.info({ signal }, 'Stopping; a second signal stops at once');
    void end(0);
    return;
  }
  log.info(
    { signal, drainTimeoutMs: configured.ok ? configured.config.drainTimeoutMs : 0 },
    'Draining; a second signal stops at once',
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
    log.debug({ err: error }, 'Cause of the following error');
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
  // Shells report an end by a signal with this exit code.
  const code = 128 + constants.signals[signal];
  log.info({ signal }, 'Leaving at once');
  lastWords?.();
  setTimeout(() => process.exit(code), LEAVE_DEADLINE_MS).unref();
  await app.leave().catch((error: unknown) => log.warn({ err: error }, 'Leaving the channels failed'));
  exitPromptly(code);
}
