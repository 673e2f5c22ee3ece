// Which language a text is taken for, and what the local voice says of it, also through the whole bot: `node
// bench/languages/main.ts [--write]`. With --write the tables in docs/languages.md are replaced by those of this run.
import { readFileSync, writeFileSync } from 'node:fs';
import { loadLanguageDetector } from '../../src/language/detection.ts';
import { unspeakableWords, writtenWords } from '../../src/language/speakable-words.ts';
import { flagsOrExit } from '../../src/process/flags.ts';
import { ESPEAK_SAMPLE_RATE_HZ, loadEspeak } from '../../src/speech-service/synthesis/embedded/espeak.ts';
import { loadJapanese, readsKanji } from '../../src/speech-service/synthesis/embedded/japanese.ts';
import { espeakLanguages, languageRuns } from '../../src/speech-service/synthesis/embedded/language.ts';
import { CHAT_LINES, GREETINGS, SENTENCES } from './sentences.ts';
import { saidThroughTheBot } from './through-the-bot.ts';

const PAGE = new URL('../../docs/languages.md', import.meta.url);
const USAGE = 'Usage: node bench/languages/main.ts [--write]';
const { values: flags } = flagsOrExit(USAGE, { options: { write: { type: 'boolean', default: false } } });
const detector = await loadLanguageDetector();
const espeak = await loadEspeak();
const languages = espeakLanguages(readsKanji());
const tools = { detector, readJapanese: readsKanji() ? loadJapanese() : undefined };

const languageNames = new Intl.DisplayNames('en', { type: 'language' });
/** Two of each length a language: about three words, about seven, 15 to 40. */
const LENGTHS = ['about 3 words', 'about 7 words', '15 to 40 words'] as const;

function accuracyTable(): string[] {
  const rows = LENGTHS.map((length, at) => {
    const sentences = Object.entries(SENTENCES).flatMap(([language, lines]) =>
      lines.slice(2 * at, 2 * at + 2).map((line) => ({ language, line })),
    );
    const found = sentences.filter(({ language, line }) => detector.detect(line, ['en']) === language);
    return `| ${length} | ${found.length} of ${sentences.length} |`;
  });
  const taken = CHAT_LINES.filter((line) => (detector.detect(line, ['en']) ?? 'en') !== 'en');
  const greetings = Object.entries(GREETINGS).flatMap(([language, lines]) => lines.map((line) => ({ language, line })));
  const mistaken = greetings.filter(
    ({ language, line }) => ![language, 'en'].includes(detector.detect(line, ['en']) ?? 'en'),
  );
  return [
    '| sentences | language found |',
    '|---|---|',
    ...rows,
    `| short English lines of a chat | ${CHAT_LINES.length - taken.length} of ${CHAT_LINES.length} left as English |`,
    `| greetings by name (*Hola Pedro*) | ${greetings.length - mistaken.length} of ${greetings.length} in their language, or left as English |`,
  ];
}

/** Milliseconds for 500 characters, the 95th percentile of 2,000. */
function detectionP95Ms(): number {
  const text = (SENTENCES.de?.join(' ') ?? '').repeat(2).slice(0, 509);
  const times: number[] = [];
  for (let run = 0; run < 2_200; run += 1) {
    const from = performance.now();
    detector.detect(text.slice(run % 9, (run % 9) + 500), ['en']);
    times.push(performance.now() - from);
  }
  const warm = times.slice(200).sort((one, other) => one - other);
  return warm[Math.floor(warm.length * 0.95)] ?? Number.NaN;
}

function spoken(sentence: string): string {
  const words = unspeakableWords(writtenWords(sentence), languages);
  if (words.length > 0) return `refused before it costs: ${words.join(', ')}`;
  const runs = languageRuns(sentence, 'en-us', tools);
  const seconds = runs
    .map(
      ({ text, language }) =>
        espeak.speak({ text, voice: language, wordsPerMinute: 165, pitch: 50, pitchRange: 50 }).length,
    )
    .reduce((sum, samples) => sum + samples / ESPEAK_SAMPLE_RATE_HZ, 0);
  const phonemes = runs.map(({ text, language }) => espeak.phonemes({ text, voice: language })).join(' ');
  const inOne = `\`${phonemes.replaceAll('|', '¦').replaceAll('`', "'").replaceAll(/\s+/gu, ' ')}\``;
  return `${seconds.toFixed(1)} s as ${runs.map(({ language }) => language).join(', ')}: ${inOne}`;
}

async function spokenTable(): Promise<string[]> {
  const shown = Object.entries(SENTENCES).flatMap(([language, lines]) =>
    [0, 2, 3].map((at) => ({ language, line: lines[at] ?? '' })),
  );
  const heard = await saidThroughTheBot(shown.map(({ line }) => line));
  return [
    '| language | sentence | what the local voice says, in eSpeak’s phonemes | heard through the bot |',
    '|---|---|---|---|',
    ...shown.map(
      ({ language, line }) => `| ${languageNames.of(language)} | ${line} | ${spoken(line)} | ${heard.get(line)} |`,
    ),
  ];
}

const tables = { accuracy: accuracyTable(), spoken: await spokenTable() };
for (const table of Object.values(tables)) console.log(`${table.join('\n')}\n`);
console.log(`500 characters: ${detectionP95Ms().toFixed(2)} ms (p95)`);
if (flags.write) {
  let page = readFileSync(PAGE, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    const between = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- end of ${name} -->)`, 'u');
    if (!between.test(page)) throw new Error(`docs/languages.md has no place for the table '${name}'`);
    page = page.replace(between, (_, before: string, after: string) => `${before}${table.join('\n')}\n${after}`);
  }
  writeFileSync(PAGE, page);
}
