import { createApp } from './app.ts';
import { describeProblems, loadConfig } from './config.ts';
import { createLog } from './log.ts';
import { OperatorError } from './operator-error.ts';

/** Supervisors wait 10 s before they kill. */
const EXIT_DEADLINE_MS = 9_500;
/** Ctrl-C under npm arrives twice at once: from the terminal and passed on by npm. */
const SAME_KEY_PRESS_MS = 300;

const configured = loadConfig();
if (!configured.ok) {
  process.stderr.write(describeProblems(configured.problems));
  process.exit(1);
}

const logging = createLog(configured.config.log);
const { log } = logging;
let endingSince: number | undefined;

const app = createApp({ config: configured.config, log: logging, onFatal: (error) => crash(error, 'Crier must stop') });

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (endingSince === undefined) {
      log.info({ signal }, 'Stopping; a second signal stops at once');
      void end(0);
    } else if (performance.now() - endingSince > SAME_KEY_PRESS_MS) {
      process.exit(1);
    }
  });
}
// Whoever read the log is gone. To log that would fail again, and again, faster than anything else gets its turn.
process.stdout.on('error', () => void end(1));
process.on('uncaughtException', (error) => crash(error, 'Something was thrown that nothing caught'));
process.on('unhandledRejection', (error) => crash(error, 'Something was rejected that nothing caught'));

try {
  await app.start();
} catch (error) {
  if (endingSince === undefined) crash(error, error instanceof Error ? error.message : 'Crier could not start');
}

function crash(error: unknown, message: string): void {
  if (error instanceof OperatorError) {
    log.fatal(error.message);
    log.debug({ err: error }, 'Where that came from');
  } else {
    log.fatal({ err: error }, message);
  }
  void end(1);
}

async function end(code: number): Promise<void> {
  if (endingSince !== undefined) return;
  endingSince = performance.now();
  setTimeout(() => process.exit(1), EXIT_DEADLINE_MS).unref();
  await app.close();
  process.exit(code);
}
