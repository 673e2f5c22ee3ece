import { constants } from 'node:os';
import { join } from 'node:path';
import { exitPromptly } from '../process/heap.ts';
import { usualDataDir } from '../process/package.ts';
import { Demo, openDemoPage, shownLevel } from './demo/demo.ts';
import { type DemoOptions, PLAYGROUND_USAGE, parseDemoOptions, wantsPage } from './demo/program-flags.ts';
import { mustBeWritable, RunFiles } from './demo/run-files.ts';
import { createDemoSession, type DemoSession, runLines } from './demo/session.ts';
import { openBrowser, type PlaygroundPage } from './page/page-server.ts';
import { wordsOf } from './people/typed-command.ts';

const NO_ANSWER = { replies: [], heard: null, requestId: null };
const GREETING = 'Hello! This is Crier, speaking on a Discord of its own.';

async function sayOnce(
  session: DemoSession,
  options: DemoOptions & { say: string },
  interrupted: AbortSignal,
): Promise<number> {
  const { ok, shown, report } = await session.say(options.say, options.voice);
  if (interrupted.aborted) return 1;
  const screen = options.json ? process.stderr : process.stdout;
  screen.write(`${shown.join('\n')}\n`);
  if (options.json) process.stdout.write(`${JSON.stringify(report ?? NO_ANSWER)}\n`);
  return ok ? 0 : 1;
}

/** Returns the exit code: 1 if the bot ended by itself or, without a terminal, `/say` with GREETING or an input line failed. */
async function converse(
  demo: Demo,
  session: DemoSession,
  runFiles: RunFiles,
  interrupted: AbortSignal,
): Promise<number> {
  let botEnded = false;
  const noteEnd = () => {
    botEnded = true;
  };
  void demo.ended.then(noteEnd);
  const print = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n\n`);
  print([`${session.prompt}/say text:${GREETING}`]);
  const greeting = await session.run(`/say text:${GREETING}`);
  if (!interrupted.aborted) print(greeting.shown);
  // A terminal that cannot move its cursor (`TERM=dumb`) gets the same output as a pipe.
  const interactive = Boolean(process.stdin.isTTY) && process.env.TERM !== 'dumb';
  if (interactive)
    print(['Now it is your turn: /say, /voices, /voice set, /settings … (help lists everything, quit ends).']);
  const failures = await runLines(session, {
    input: process.stdin,
    output: process.stdout,
    terminal: interactive,
    ended: demo.ended,
    interrupted,
  });
  if (botEnded && !interrupted.aborted) {
    process.stderr.write(`The bot stopped unexpectedly; the end of its log is in ${runFiles.logPath}.\n`);
    return 1;
  }
  return interactive || (greeting.ok && failures === 0) ? 0 : 1;
}

/**
 * After a signal such as Ctrl-C, the playground ends as with `quit`: the bot leaves and temporary files are removed.
 * The reason of the returned AbortSignal is the exit code.
 */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => controller.abort(128 + constants.signals[signal]));
  }
  // Writing fails if the reader of the output has ended, as in `npm run playground | head`.
  process.stdout.on('error', () => controller.abort(128 + constants.signals.SIGPIPE));
  return controller.signal;
}

async function main(options: DemoOptions, interrupted: AbortSignal): Promise<number> {
  const say = options.say;
  if (options.out !== undefined) mustBeWritable(options.out);
  const screen = say === undefined ? process.stdout : process.stderr;
  const runFiles = new RunFiles();
  screen.write('Starting a Discord on loopback, the speech service and the bot …\n');
  const demo = await Demo.start({
    ...options,
    voicesFolder: join(process.env.DATA_DIR || usualDataDir, 'voices'),
    onLogLine: (line) => {
      if ((line.level ?? Number.POSITIVE_INFINITY) < shownLevel(options.settings.LOG_LEVEL)) return;
      runFiles.record(line);
      if (options.verbose) process.stderr.write(`${JSON.stringify(line)}\n`);
    },
    signal: interrupted,
  });
  const stopped = new Promise<never>((_, reject) => {
    interrupted.addEventListener('abort', () => reject(interrupted.reason), { once: true });
  });
  let page: PlaygroundPage | undefined;
  let removeOpener = () => {};
  try {
    const { world, bot } = demo;
    world.member('olga').joins('General');
    const atTerminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
    if (wantsPage(options, atTerminal)) page = await openDemoPage(demo, options.port);
    const address = page?.address();
    const opens = address !== undefined && atTerminal && !options.noOpen;
    screen.write(
      [
        `  Discord         ${world.botEnv.DISCORD_API_URL} (loopback; voice at ${world.voiceServer.endpoint})`,
        `  speech service  ${demo.speechAddress ?? 'as configured'}`,
        ...(demo.mayCost ? [`  credits         may be taken for what is spoken here, the first text too`] : []),
        `  bot             process ${bot.pid}, its log in ${runFiles.logPath}`,
        ...(address === undefined
          ? []
          : [`  page            ${opens ? 'opens in the browser; if not, open' : 'open'} ${address}`]),
        '',
        '',
      ].join('\n'),
    );
    if (opens) removeOpener = await openBrowser(address, runFiles.folder);
    const { out } = options;
    const session = createDemoSession(
      demo,
      () => out ?? runFiles.nextRecording(),
      () => page?.address(),
    );
    const work =
      say === undefined
        ? converse(demo, session, runFiles, interrupted)
        : sayOnce(session, { ...options, say }, interrupted);
    return await Promise.race([work, stopped]);
  } finally {
    removeOpener();
    await page?.close();
    await demo.close();
  }
}

function parseOptions(): DemoOptions {
  try {
    return parseDemoOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${wordsOf(error)}\n`);
    process.exit(1);
  }
}

const options = parseOptions();
if (options.help) {
  process.stdout.write(PLAYGROUND_USAGE);
  process.exit(0);
}
const interrupted = interruption();
try {
  exitPromptly(await main(options, interrupted));
} catch (error) {
  if (interrupted.aborted) exitPromptly(interrupted.reason);
  const message = wordsOf(error);
  process.stderr.write(`${message}\n`);
  if (options.json) process.stdout.write(`${JSON.stringify({ ...NO_ANSWER, error: message })}\n`);
  exitPromptly(1);
}
