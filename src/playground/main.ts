import { join } from 'node:path';
import { assemble, type Cast, logFile } from './demo/cast.ts';
import { type DemoOptions, parseDemoOptions, USAGE } from './demo/options.ts';
import { readLines } from './demo/prompt.ts';
import { createStage, type Stage } from './demo/stage.ts';

const FOLDER = join('data', 'playground');
const LOG = join(FOLDER, 'bot.log');
const FIRST_WORDS = 'Hello! This is Crier, speaking on a Discord of its own.';

/** One `/say` and its report; the exit code is 0 when it was heard. */
async function sayOnce(stage: Stage, options: DemoOptions & { say: string }): Promise<number> {
  const { ok, shown, replies, heard, credits, requestId } = await stage.say(options.say, options.voice);
  const screen = options.json ? process.stderr : process.stdout;
  screen.write(`${shown.join('\n')}\n`);
  if (options.json) {
    const line = { replies, heard: heard ?? null, credits: credits ?? null, requestId: requestId ?? null };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  return ok ? 0 : 1;
}

/** The demonstration and the prompt (or the lines of a pipe); 1 when any line of a pipe failed, or the bot ended by itself. */
async function converse(cast: Cast, stage: Stage): Promise<number> {
  const print = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n\n`);
  let failures = 0;
  let botEnded = false;
  const noteEnd = () => {
    botEnded = true;
  };
  cast.bot.ended.then(noteEnd, noteEnd);
  const runShown = async (line: string) => {
    const { ok, shown } = await stage.run(line);
    if (!ok) failures += 1;
    print(shown);
  };
  print([`${stage.prompt}/say text:${FIRST_WORDS}`]);
  await runShown(`/say text:${FIRST_WORDS}`);
  const interactive = Boolean(process.stdin.isTTY);
  if (interactive)
    print(['Now it is your turn: /say, /voices, /credits, /settings … (help lists everything, quit ends).']);
  for await (const line of readLines(stage, { historyFile: join(FOLDER, 'history'), ended: cast.bot.ended })) {
    if (line === 'quit' || line === 'exit') break;
    if (!interactive) process.stdout.write(`${stage.prompt}${line}\n`);
    await runShown(line);
  }
  if (botEnded) {
    process.stderr.write(`The bot ended by itself; the end of its log is in ${LOG}.\n`);
    return 1;
  }
  return interactive || failures === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  const options = parseDemoOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const say = options.say;
  const screen = say === undefined ? process.stdout : process.stderr;
  const record = logFile(LOG);
  screen.write('Starting a Discord on loopback, the speech service and the bot …\n');
  const cast = await assemble({
    ...(options.data === undefined ? {} : { data: options.data }),
    configuredVoice: options.configuredVoice,
    onLogLine: (line) => {
      record(line);
      if (options.verbose) process.stderr.write(`${JSON.stringify(line)}\n`);
    },
  });
  // Ctrl-C ends as quit does: the bot leaves its channel, and nothing stays behind.
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(130));
  });
  try {
    const { world, bot } = cast;
    world.member('olga').joins('General');
    screen.write(
      [
        `  Discord         ${world.botEnv.DISCORD_API_URL} (loopback; voice at ${world.voiceServer.endpoint})`,
        `  speech service  ${cast.speechAddress ?? 'embedded'}`,
        `  bot             process ${bot.pid}, its log in ${LOG}`,
        '',
        '',
      ].join('\n'),
    );
    const stage = createStage(cast, { folder: FOLDER, ...(options.out === undefined ? {} : { out: options.out }) });
    const work = say === undefined ? converse(cast, stage) : sayOnce(stage, { ...options, say });
    return await Promise.race([work, interrupted]);
  } finally {
    await cast.close();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
