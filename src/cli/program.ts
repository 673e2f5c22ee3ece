import { Command, CommanderError } from 'commander';
import { MODEL_IDS, SPEED_RANGE, TEMPERATURE_RANGE } from '../speech/interface/models.ts';
import { EXIT, type ExitCode } from './terminal/terminal.ts';

/* Actions are loaded when they run, so that `voice --help` starts fast. */

const AFTER_HELP = `
Settings (flag before variable before file):
  VOICE_API_URL             the service: its base address or the full speech URL (also --api-url)
  VOICE_API_KEY             the key (or voice login, which saves one)
  VOICE_AUTH_HEADER_PREFIX  the word before the key in the Authorization header (Bearer)
  VOICE_ALLOW_HTTP          hosts the key may be sent to over plain http:// (also --allow-http)
  ~/.voice/voice.toml       api_url, api_key, auth_header_prefix, [env.NAME] tables, default_env
  An environment has an address and a key of its own, or none.
  With --env NAME the variables are ignored.

Exit codes:
  0 done   1 failed   2 wrong usage or settings   3 not logged in, or key refused
  4 no credits left   5 service not available   130 interrupted   143 terminated`;

const VOICE_HELP = `
Without --voice, the first voice of the model (or of the service) that makes the format is used. A name that
several models share needs --model-id. The model "grok" is accepted for "ext".
Standard input is read for -, and where there is neither a text nor --file; otherwise it is ignored.`;

const TTS_EXAMPLES = `
Examples:
  voice tts "Hear ye, hear ye!"                      play it
  voice tts "Hear ye, hear ye!" -o hear-ye.mp3       save it
  voice tts --file news.txt -v aria -m ext -p        play a file in one voice
  voice tts "Hear ye!" -v aria -m ext --speed 0.8    slower
  echo "Hear ye!" | voice tts -f wav -o - | aplay    from one program to the next`;

const SEE_HELP = 'voice --help lists the commands, voice COMMAND --help the options of one.\n';

function connecting(command: Command): Command {
  return command
    .option('--env <name>', 'use the environment [env.NAME] of the file, its key and its address')
    .option('--api-url <url>', 'address of the service')
    .option('--allow-http', 'send the key over plain http:// to another machine')
    .option('--verbose', 'show attempts on stderr (never the key)');
}

function speaking(command: Command): Command {
  return command
    .argument('[text...]', 'the text, or - for standard input')
    .option('--file <file>', 'read the text from a file')
    .option('-v, --voice <name>', 'voice name')
    .option('-m, --model-id <id>', `model id: ${MODEL_IDS.join(', ')} (grok means ext)`)
    .option('--voice-id <uuid>', 'voice by its id, instead of name and model')
    .option('-f, --format <format>', 'wav or mp3')
    .option('--style <text>', 'how to speak, for voices that take a style')
    .option('--seed <number>', 'makes the speech repeatable (not with ext)')
    .option('--temperature <number>', `${TEMPERATURE_RANGE.min} to ${TEMPERATURE_RANGE.max}: how varied (gpro voices)`)
    .option('--speed <number>', `${SPEED_RANGE.min} to ${SPEED_RANGE.max} (ext voices)`)
    .addHelpText('after', VOICE_HELP)
    .configureOutput({
      outputError: (text, write) => write(`${text}${dashedText(text, command.name())}${SEE_HELP}`),
    });
}

export function createProgram(version: string): Command {
  const program = new Command('voice')
    .description('Turns text into speech through a speech-generation service.')
    .version(version, '-V, --version')
    .helpOption('-h, --help')
    .configureHelp({ showGlobalOptions: false })
    .addHelpText('after', AFTER_HELP)
    .exitOverride()
    // Sets flags that were not given to false. The help would print false if it were an option's default.
    .hook('preAction', (_program, command) => {
      const flags = command.options.filter((option) => option.isBoolean()).map((option) => option.attributeName());
      for (const flag of flags) if (!command.getOptionValue(flag)) command.setOptionValue(flag, false);
    })
    .configureOutput({ outputError: (text, write) => write(`${text}${SEE_HELP}`) });

  connecting(
    program
      .command('login')
      .description('get a key from the dashboard in a browser, and save it')
      .option('--no-browser', 'print the link instead of opening a browser')
      .option('--with-key', 'read the key from standard input instead')
      .option('--dashboard-url <url>', 'address of the dashboard, if the service does not give it')
      .option('--force', 'replace another key for this address without asking, with a key that you give'),
  ).action(async (flags) => (await import('./actions/login.ts')).login(flags));

  connecting(
    speaking(program.command('tts').description('speak a text: play it, or save it with -o'))
      .option('-o, --output <file>', 'save to a file (.wav or .mp3), or - for stdout')
      .option('-p, --play', 'play it; the default without -o')
      .option('--force', 'overwrite the file without asking')
      .option('--json', 'print one line of JSON about the result')
      .addHelpText('after', TTS_EXAMPLES),
  ).action(async (text, flags) => (await import('./actions/tts.ts')).tts(text, flags));

  connecting(
    program
      .command('voices')
      .description('list the voices')
      .option('--model <id>', 'only voices of this model')
      .option('--language <tag>', 'only voices that speak this language: a code or a name, e.g. en-GB, de, German')
      .option('--search <words>', 'only voices that match these words, e.g. female American, best first')
      .option('--json', 'print JSON'),
  ).action(async (flags) => (await import('./actions/voices.ts')).listVoices(flags));

  connecting(
    speaking(program.command('curl').description('print the request for a text as a curl command')).option(
      '--oneline',
      'on one line',
    ),
  ).action(async (text, flags) => (await import('./actions/curl.ts')).curl(text, flags));

  program
    .command('key')
    .description('print the current key, without a line break')
    .option('--env <name>', 'for this environment')
    .option('--api-url <url>', 'for this address: a key saved for another one is not printed')
    .action(async (flags) => (await import('./actions/account.ts')).key(flags));

  addConfig(program);

  program
    .command('play')
    .description("play a WAV or MP3 file with the system's player")
    .argument('<file>', 'the file, or - for standard input')
    .action(async (file) => (await import('./actions/play.ts')).play(file));

  program
    .command('logout')
    .description('remove the saved key of the current environment, and nothing else')
    .option('--env <name>', 'for this environment')
    .action(async (flags) => (await import('./actions/account.ts')).logout(flags));

  connecting(
    program.command('credits').description('show how many credits are left').option('--json', 'print JSON'),
  ).action(async (flags) => (await import('./actions/account.ts')).showCredits(flags));
  connecting(program.command('models').description('list the models').option('--json', 'print JSON')).action(
    async (flags) => (await import('./actions/account.ts')).models(flags),
  );
  connecting(program.command('openapi').description("print the service's machine-readable description")).action(
    async (flags) => (await import('./actions/account.ts')).openapi(flags),
  );

  return program;
}

function addConfig(program: Command): void {
  const config = program.command('config').description('manage ~/.voice/voice.toml and its environments');
  const load = () => import('./actions/config.ts');
  config
    .command('list')
    .description('list the environments; * marks the current one')
    .option('--json', 'print JSON')
    .action(async (flags) => (await load()).configList(flags));
  config
    .command('show')
    .description('show the current settings and where they come from, the key shortened')
    .option('--env <name>', 'for this environment')
    .option('--json', 'print JSON')
    .action(async (flags) => (await load()).configShow(flags));
  config
    .command('set')
    .description('set a value in the file')
    .argument('<key>', 'api_url, api_key, auth_header_prefix or default_env')
    .argument('[value]', 'the value; without it, or with -, it is typed or read from standard input')
    .option('--env <name>', 'in this environment, which is created if needed, instead of the one that is used')
    .option('--force', 'replace a saved key without asking')
    .action(async (key, value, flags) => (await load()).configSet(key, value, flags));
  config
    .command('add')
    .description('create an environment')
    .argument('<name>')
    .option('--api-url <url>', 'its address')
    .action(async (name, flags) => (await load()).configAdd(name, flags));
  config
    .command('rm')
    .description('remove an environment with its key')
    .argument('<name>')
    .option('--force', 'without asking')
    .action(async (name, flags) => (await load()).configRm(name, flags));
  config
    .command('use')
    .description('choose the environment that is used without --env')
    .argument('[name]')
    .option('--none', 'use the top level')
    .action(async (name, flags) => (await load()).configUse(name, flags));
  config
    .command('path')
    .description("print the file's path")
    .action(async () => (await load()).configPathCommand());
}

function dashedText(text: string, command: string): string {
  const [, typed] = /unknown option '(-(?:[\d.,]|[^\n']* ).*)'/.exec(text) ?? [];
  if (typed === undefined) return '';
  const quoted = /["$`\\!]/.test(typed) ? '"…"' : `"${typed}"`;
  // The example puts -o before `--`, because an option behind it would be spoken and billed as text.
  const example = command === 'tts' ? 'tts -o speech.wav' : command;
  return `A text that begins with a dash goes after --, options before it: voice ${example} -- ${quoted}\n`;
}

export async function run(program: Command, args: readonly string[]): Promise<ExitCode> {
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // The command line parser has already printed its error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { report } = await import('./terminal/terminal.ts');
    return report(error, args.includes('--verbose'));
  }
}
