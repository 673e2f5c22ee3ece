import '../../src/process/fetch-globals.ts';
// Loaded by the bot when it needs it: in the time of a test, that would be long.
import 'libopus-wasm';
import { readFileSync } from 'node:fs';
import { setDefaultCACertificates } from 'node:tls';
import { createApp } from '../../src/app/app.ts';
import { createLog } from '../../src/app/log.ts';
import { readConfig } from '../../src/config/config.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { type BotLogLine, type BotProcess, createBotLog } from '../../src/playground/demo/bot/bot-process.ts';

const trusted = new Set<string>();

/** As a process does that is started with NODE_EXTRA_CA_CERTS. */
function trust(file: string | undefined): void {
  if (file === undefined) return;
  trusted.add(readFileSync(file, 'utf8'));
  setDefaultCACertificates([...trusted]);
}

/** The bot in the test's own process and time, by the settings that a process of its own would be given. */
export function startBotHere(options: {
  readonly env: Readonly<Record<string, string>>;
  readonly onLogLine?: (line: BotLogLine) => void;
}): BotProcess {
  trust(options.env.NODE_EXTRA_CA_CERTS);
  const read = readConfig({ METRICS_PORT: 'off', ...options.env });
  if (!read.ok) throw new Error(`Wrong settings: ${JSON.stringify(read.problems)}`);
  const { promise: ended, resolve: end } = Promise.withResolvers<{ code: number; signal: null }>();
  const { log, logged, take } = createBotLog({ ended, onLogLine: options.onLogLine });
  const logging = createLog(read.config.logLevel, { write: take });
  const app = createApp({ config: read.config, log: logging, onFatal: (error) => void fail(error) });
  const close = async (code: number) => {
    await app.close();
    end({ code, signal: null });
  };
  const fail = (error: unknown) => {
    logging.log.fatal({ err: error }, error instanceof Error ? error.message : 'Crier could not start');
    return close(error instanceof OperatorError && error.isWrongSetting ? 78 : 1);
  };
  app.start().catch(fail);
  return {
    pid: -1,
    ended,
    log,
    logged,
    signal(signal) {
      if (signal !== 'SIGTERM' && signal !== 'SIGINT')
        throw new Error(`Only a process of its own can be told ${signal}`);
      const finished = signal === 'SIGTERM' ? app.drain() : Promise.resolve();
      void finished.then(() => close(0));
    },
    stop: () => close(0),
  };
}
