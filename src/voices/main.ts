// `npm run voices -- list | add NAME | remove NAME | try NAME TEXT` installs neural voices in DATA_DIR/voices, and
// speaks with them. Exit code: 0 on success, 1 on failure, 2 for wrong usage, 130 after Ctrl-C.
import '../process/v8-workarounds.ts';
import { createProgress, printTable } from '../cli/terminal/table.ts';
import { loadDataDir } from '../config/config.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { commandOf, flagsOrExit } from '../process/package.ts';
import { installedVoices } from '../speech-service/synthesis/neural/installed-voices.ts';
import { CATALOG, type CatalogModel, modelCalled, release } from './catalog.ts';
import { addVoice, removeVoice } from './install.ts';
import { type TryOptions, tryVoice } from './try.ts';

const USAGE = `Usage: ${commandOf('voices', 'list')}
       ${commandOf('voices', 'add', 'NAME')}
       ${commandOf('voices', 'remove', 'NAME')}
       ${commandOf('voices', 'try', 'NAME', '"Some text."')} [--voice NAME] [--output FILE]

Neural voices that sound natural, free, without an account, on this machine's processor: list shows them, add downloads
one into DATA_DIR/voices, remove deletes it there, and try speaks a text into a WAV file. An interrupted download goes on
where it stopped. Restart the bot after changes.

  --voice NAME   try: one of the model's voices; without it, the first one
  --output FILE  try: the file to write; without it, NAME-VOICE.wav in this folder

Exit code: 0 when it was done, 1 when it was not, 2 for wrong usage, 130 after Ctrl-C.
`;

const ACTIONS = ['list', 'add', 'remove', 'try'] as const;
type Action = (typeof ACTIONS)[number];

function readArguments() {
  const options = { voice: { type: 'string' }, output: { type: 'string' } } as const;
  const { positionals, values } = flagsOrExit(USAGE, { allowPositionals: true, options });
  const [action = 'list', name = '', ...words] = positionals;
  if (!ACTIONS.includes(action as Action)) wrongUsage(`There is no action ${action}.`);
  if (action === 'list' && name !== '') wrongUsage('list takes no name.');
  if (action !== 'list' && name === '') wrongUsage('Name a voice.');
  const text = words.join(' ');
  if ((action === 'try') !== (text.trim() !== '')) wrongUsage(action === 'try' ? 'Give a text.' : 'One name, please.');
  return { action: action as Action, name, text, ...values };
}

function wrongUsage(complaint: string): never {
  process.stderr.write(`${complaint}\n\n${USAGE}`);
  process.exit(2);
}

function list(dataDir: string): void {
  const { voices, problems } = installedVoices(dataDir);
  const languages = ({ voices: speakers }: CatalogModel) => [...new Set(speakers.flatMap((one) => one.languages))];
  printTable(CATALOG, [
    { heading: 'name', cell: ({ name }) => name },
    { heading: 'languages', cell: (model) => languages(model).join(', ') },
    { heading: 'voices', cell: (model) => describeSpeakers(model.voices) },
    { heading: 'download', cell: ({ megabytes }) => `${megabytes} MB`, place: 'right' },
    { heading: 'memory', cell: ({ memoryMb }) => `${memoryMb} MB`, place: 'right' },
    { heading: 'recordings', cell: ({ license }) => license },
    { heading: 'state', cell: ({ name }) => (voices.some((one) => one.name === name) ? 'installed' : '') },
  ]);
  for (const problem of problems) console.error(`Not usable: ${problem}`);
}

function describeSpeakers(speakers: CatalogModel['voices']): string {
  const [only] = speakers;
  if (speakers.length === 1 && only) return [only.name, only.gender].filter(Boolean).join(', ');
  const women = speakers.filter(({ gender }) => gender === 'female').length;
  return `${women} female, ${speakers.length - women} male`;
}

/** A second signal does not end the program at once: npm sends Ctrl-C twice, and unpacked files must be removed. */
async function interruptible(remedy: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    await work(interrupt.signal);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    console.error(`Interrupted. ${remedy}`.trim());
    process.exit(130);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

async function add(model: CatalogModel, dataDir: string, signal: AbortSignal): Promise<void> {
  const line = createProgress();
  try {
    const memory = `it takes about ${model.memoryMb} MB of memory while it speaks`;
    console.error(`Downloading ${model.name}, ${model.megabytes} MB, from ${release()}; ${memory}.`);
    await addVoice(model, { dataDir, release: release(), signal, onProgress: line.show });
  } finally {
    line.clear();
  }
  console.log(`Installed ${model.name}: ${model.voices.map(({ name }) => name).join(', ')}.`);
  console.log('Restart the bot to use it.');
  console.log(`Recordings: ${model.license}. About the model: ${model.source}`);
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

async function tryOut(name: string, text: string, options: TryOptions): Promise<void> {
  const line = createProgress();
  line.show(`Speaking with ${name}`);
  try {
    const spoken = await tryVoice(name, text, options);
    line.clear();
    const { file, voice, firstAudioMs, tookMs } = spoken;
    console.log(`${file} has ${spoken.seconds.toFixed(1)} s of speech in the voice ${voice}.`);
    console.log(
      `It took ${seconds(tookMs)}, and ${seconds(firstAudioMs)} until the first sound, with loading the model.`,
    );
  } finally {
    line.clear();
  }
}

try {
  const { action, name, text, voice: speaker, output } = readArguments();
  const dataDir = loadDataDir();
  if (action === 'list') list(dataDir);
  else if (action === 'add') {
    const model = modelCalled(name);
    const remedy = `${commandOf('voices', 'add', name)} goes on where it stopped.`;
    await interruptible(remedy, (signal) => add(model, dataDir, signal));
  } else if (action === 'try') {
    await interruptible('', (signal) => tryOut(name, text, { dataDir, signal, speaker, output }));
  } else {
    removeVoice(name, dataDir);
    console.log(`Removed ${name}. Restart the bot if it runs.`);
  }
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
