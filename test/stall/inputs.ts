import type { Person } from '../../src/playground/world/world.ts';
import type { PlaceName, Stage } from './stage.ts';
import { CRAFTED_ENTRIES, CRAFTED_WORDS, ORDINARY_ENTRIES, TEXTS } from './texts.ts';

/** What a member does to the bot. `attempt` makes each text unique, so that nothing comes from a cache. */
export interface Input {
  readonly name: string;
  use(stage: Stage, attempt: string): Promise<void>;
}

const MAX_TEXT = 4_000;
const MAX_MESSAGE = 2_000;
const MAX_QUERY = 100;
const contentType = 'application/octet-stream';
const file = (content: string, name = 'words.json') => ({ name, contentType, bytes: Buffer.from(content) });

/** Resolves when the member has an answer or the text was sent to the speech service. Then stops the speech. */
async function spoken(stage: Stage, where: PlaceName, use: (member: Person) => Promise<unknown>): Promise<void> {
  const { admin, next } = stage.places[where];
  const before = stage.api.answers.length;
  let isAnswered = false;
  const answer = use(next()).finally(() => {
    isAnswered = true;
  });
  await stage.until(() => isAnswered || stage.api.answers.length > before, 1_000);
  // Tries again if `/stop` came too early: the request was for the endless text, or the text was not queued yet.
  do {
    await (await admin.types('/stop')).reply();
    await stage.until(() => isAnswered, 500);
  } while (!isAnswered);
  await answer;
}

const said =
  (where: PlaceName, options: (attempt: string) => Readonly<Record<string, string>>): Input['use'] =>
  (stage, attempt) =>
    spoken(stage, where, async (member) => (await member.command('say', options(attempt))).reply());

const readAloud =
  (where: PlaceName, text: (attempt: string) => string, files: readonly string[] = []): Input['use'] =>
  (stage, attempt) =>
    spoken(stage, where, async (member) => {
      const { messageId } = member.says(text(attempt), { files: files.map((name) => file('a', name)) });
      await stage.logs((line) => line.messageId === messageId);
    });

const completed =
  (command: string, option: string, typed: string): Input['use'] =>
  async ({ places }) => {
    await places['ordinary rules'].admin.autocompletes(command, { [option]: typed }).catch(() => []);
  };

const answered =
  (command: string, options: Parameters<Person['command']>[1], where: PlaceName = 'crafted rules'): Input['use'] =>
  async ({ places }) => {
    await (await places[where].admin.command(command, options)).reply();
  };

const texts = Object.entries(TEXTS);

/** Each text with the slowest rules, with the most ordinary rules, and alternately as a message or a script. */
const spokenTexts = texts.flatMap(([name, make], at): Input[] => [
  ...(['crafted rules', 'ordinary rules'] as const).map((rules) => ({
    name: `/say, ${rules}: ${name}`,
    use: said(rules, (attempt) => ({ text: attempt + make(MAX_TEXT - attempt.length) })),
  })),
  at % 2 === 0
    ? {
        name: `a message, no rules: ${name}`,
        use: readAloud('no rules', (attempt) => attempt + make(MAX_MESSAGE - attempt.length)),
      }
    : {
        name: `a script, ordinary rules: ${name}`,
        use: said('ordinary rules', (attempt) => ({
          as: 'script',
          text: `voice 1: ${attempt}${make(MAX_TEXT - 20)}`,
        })),
      },
]);

const searches = texts.map(
  ([name, make]): Input => ({ name: `the option voice: ${name}`, use: completed('say', 'voice', make(MAX_QUERY)) }),
);

const names = (count: number, name: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `${name(at)}: a`).join('\n');

const others: Input[] = [
  {
    name: 'a script of fifty unknown names',
    use: said('no rules', (attempt) => ({ as: 'script', text: names(50, (at) => `voica ${attempt} ${at} x y z`) })),
  },
  {
    name: 'a script of fifty voices',
    use: said('ordinary rules', (attempt) => ({ as: 'script', text: names(50, (at) => `voice ${at}`) + attempt })),
  },
  {
    name: 'a message with ten files of long names',
    use: readAloud(
      'crafted rules',
      (attempt) => attempt,
      Array.from({ length: 10 }, (_, at) => `${'il'.repeat(120)}${at}.png`),
    ),
  },
  {
    name: 'the form of /say',
    use: (stage, attempt) =>
      spoken(stage, 'crafted rules', async (member) => {
        const form = await (await member.command('say', {})).modal();
        return (await member.submits(form, { text: attempt + 'i1l!'.repeat(900) })).reply();
      }),
  },
  {
    name: 'a file of settings with 300 blocked words and as many exceptions',
    use: (stage, attempt) => {
      const words = { blockedWords: CRAFTED_WORDS, blockedWordsExceptions: CRAFTED_WORDS, blockedWordsMode: 'bleep' };
      const settings = { ...words, style: attempt };
      const upload = file(JSON.stringify({ format: 'crier-settings-1', settings }), 'settings.json');
      return filledIn(stage, 'data', 'Import', { file: upload });
    },
  },
  {
    name: 'the form of blocked words',
    use: (stage, attempt) =>
      filledIn(stage, 'words', 'settings-form:blockedWords blockedWords', {
        blockedWords: `${attempt}\n${TEXTS['look-alikes, a line each']?.(3_900)}`,
      }),
  },
  { name: '/voice name', use: answered('voice name', { name: 'i1l!'.repeat(8) }) },
  { name: '/say with a style', use: said('crafted rules', (text) => ({ text, style: 'i1l!'.repeat(50) })) },
  { name: '/voices search', use: answered('voices', { search: 'v o i c e 1 2 3' }) },
  { name: '/voice set with an unknown name', use: answered('voice set', { voice: 'vioce 1 2 3 '.repeat(8) }) },
  { name: '/dictionary test, crafted rules', use: answered('dictionary test', { text: 'a'.repeat(MAX_TEXT) }) },
  { name: '/dictionary import of 1,000 entries, crafted rules', use: imported('crafted rules', CRAFTED_ENTRIES) },
  { name: '/dictionary import of 1,000 entries, ordinary rules', use: imported('ordinary rules', ORDINARY_ENTRIES) },
  {
    name: '/dictionary import of 1,000 entries that are too long',
    use: imported(
      'ordinary rules',
      ORDINARY_ENTRIES.map((entry) => ({ ...entry, from: '𝐀'.repeat(100), to: 'x' })),
    ),
  },
  { name: 'the option word of /dictionary remove', use: completed('dictionary remove', 'word', 'spoken') },
];

/** Submits a form of the settings in a server that no other input uses. */
async function filledIn({ places }: Stage, page: string, button: string, fields: Parameters<Person['submits']>[1]) {
  const { admin } = places['other rules'];
  const panel = await (await admin.types('/settings panel')).reply();
  const shown = await (await admin.selects(panel, 'settings-page', [page])).reply();
  const form = await (await admin.presses(shown, button)).modal();
  await (await admin.submits(form, fields)).reply();
}

/** Imports entries, then speaks a text that must use them. */
function imported(where: PlaceName, entries: readonly object[]): Input['use'] {
  return async (stage, attempt) => {
    const { admin } = stage.places[where];
    const upload = file(JSON.stringify([...entries.slice(1), { from: attempt, to: attempt }]));
    await (await admin.command('dictionary import', { file: upload, how: 'replace' })).reply();
    await said(where, () => ({ text: `${attempt} aaa word5.` }))(stage, attempt);
  };
}

export const INPUTS: readonly Input[] = [...spokenTexts, ...searches, ...others];
