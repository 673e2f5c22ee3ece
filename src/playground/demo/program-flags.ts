import { nearestWord } from '../../process/nearest-word.ts';
import { parseFlags } from '../../process/package.ts';
import { SETTING_NAMES } from './bot/bot-process.ts';

export type DemoOptions = ReturnType<typeof parseDemoOptions>;

export const PLAYGROUND_USAGE = `Usage: npm run playground -- [options]

Starts a Discord on loopback, the embedded speech service and the bot, says one sentence in a voice
channel, shows what people see and hear, and then takes commands at a prompt (or from a pipe). At a
terminal it also opens a page in the browser that looks like Discord, with sound.

  --say TEXT           run one /say and end: exit 0 if it was heard, 1 otherwise
  --voice NAME         the voice for --say
  --out FILE.wav       where to write what the listener heard (default data/playground/heard-N.wav)
  --no-open            print the page's address without opening a browser
  --no-page            no page
  --port N             port of the page (default 8650, or a free one where that is taken)
  --json               with --say: one line of JSON on stdout, everything else on stderr
  --data DIR           keep the bot's settings and usage in DIR (default: a temporary folder);
                       recordings and the bot's log stay in data/playground
  --voice-engine NAME  flite (default): Flite speaks English for three of the built-in voices;
                       espeak: eSpeak NG speaks all of it; or an installed voice, which then comes first
                       (npm run voices): all of them are there, unless --data DIR has others
  --configured-voice   speak through VOICE_API_URL with VOICE_API_KEY, within the limits of
                       SPENDING_PER_DAY and the like (this may cost credits)
  --set NAME=VALUE     run the bot with this setting of .env.example (can be repeated)
  --verbose            show the bot's log on stderr
  --help               this text
`;

export function parseDemoOptions(argv: readonly string[]) {
  const { values } = parseFlags({
    args: [...argv],
    options: {
      say: { type: 'string' },
      voice: { type: 'string' },
      out: { type: 'string' },
      data: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      'voice-engine': { type: 'string' },
      'configured-voice': { type: 'boolean', default: false },
      'no-open': { type: 'boolean', default: false },
      'no-page': { type: 'boolean', default: false },
      port: { type: 'string' },
    },
  });
  if (values.say !== undefined && values.say.trim() === '') throw new Error('--say needs a text to speak.');
  for (const name of ['voice', 'json'] as const) {
    if (values[name] && values.say === undefined) throw new Error(`--${name} needs --say TEXT.`);
  }
  if (values.out !== undefined && !/\.wav$/i.test(values.out)) {
    throw new Error(`--out ${values.out}: what is heard is written as WAV; choose a name that ends in .wav.`);
  }
  if (values['voice-engine'] !== undefined && values['configured-voice']) {
    throw new Error('--voice-engine is for the built-in voice: leave out --configured-voice.');
  }
  if (values.port !== undefined && (values['no-page'] || values.say !== undefined)) {
    throw new Error(`--port needs the page: leave out ${values['no-page'] ? '--no-page' : '--say'}.`);
  }
  return {
    ...values,
    voiceEngine: values['voice-engine'],
    configuredVoice: values['configured-voice'],
    noOpen: values['no-open'],
    noPage: values['no-page'],
    port: readPort(values.port),
    settings: Object.fromEntries(values.set.map(readSetting)),
  };
}

/** True if the playground serves its page. If input or output is a pipe, the page needs `--port` or `--no-open`. */
export const wantsPage = ({ noPage, say, port, noOpen }: DemoOptions, atTerminal: boolean): boolean =>
  !noPage && say === undefined && (atTerminal || port !== undefined || noOpen);

function readPort(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535) {
    throw new Error(`--port ${given}: a port is a whole number from 0 to 65535.`);
  }
  return Number(given);
}

function readSetting(given: string): [string, string] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined) {
    throw new Error(`--set ${given} is not a setting: write it as in .env, for example --set LOG_LEVEL=info.`);
  }
  if (!SETTING_NAMES.includes(name)) {
    const nearest = nearestWord(name, SETTING_NAMES);
    const hint = nearest === undefined ? '' : `the nearest name is ${nearest}; `;
    throw new Error(`--set ${name}: the bot has no such setting; ${hint}.env.example lists all of them.`);
  }
  if (name === 'DATA_DIR') {
    throw new Error(`--set ${given}: --data DIR is for that, and keeps the bot's settings and usage in DIR.`);
  }
  return [name, value];
}
