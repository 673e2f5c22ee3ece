import { expect, it } from 'vitest';
import { read, trackedFiles } from './tracked-files.ts';

/** The longest sentence that the pages may have, in words. */
const MAX_SENTENCE_WORDS = 35;

/** Words that a reader stumbles over, and British spellings. */
const BANNED =
  /\b(anew|mend(?:s|ed|ing)?|dear(?:er|est)|in vain|for ever|all the same|at hand|whoever|likewise|thereby|thereof|is told|are told|was told|somebody|what waits|texts? that waits?|behaviours?|colours?|licences?|(?:synthesis|recognis|organis|normalis|serialis|optimis|initialis|minimis)(?:e[drs]?|ing|ation)|cancell(?:ed|ing)|favourites?|neighbours?|spelt|whilst)\b/gi;
/** A comment that starts so continues a sentence which its reader has not seen. */
const HEADLESS = /^(Of|Nor|Those|Whose|As of)\b/;

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}][\p{L}\p{N}’'.,_/-]*/gu)?.length ?? 0;

/** The sentences of a page, without code, headings and generated tables. Each cell of a table is a text of its own. */
function sentencesOf(markdown: string): string[] {
  const prose = markdown
    .replaceAll(/<!-- (\w+):begin -->[\s\S]*?<!-- \1:end -->/g, '')
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '\n')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/^#+ .*$|^\|[ :|-]+\|$/gm, '')
    .replaceAll(/^\s*(?:[-*]|\d+\.) /gm, '\n\n')
    .replaceAll(/^\|(.*)\|$/gm, (_, row: string) => `\n\n${row.split(/(?<!\\)\|/).join('\n\n')}\n\n`);
  return prose
    .split(/\n\s*\n/)
    .flatMap((block) => block.replaceAll(/\s+/g, ' ').split(/(?<=[.!?][)”"*_]*) (?=[\p{Lu}\p{N}*_(“"]|code)/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsIn(sentence) > 0);
}

/** The comments of a source file, each with the lines that belong together. */
function commentsOf(source: string): string[] {
  const blocks = source.matchAll(/^[ \t]*\/\*\*?([\s\S]*?)\*\/|(?:^[ \t]*\/\/.*\n)+/gm);
  return [...blocks].map(([all]) =>
    all
      .replaceAll(/^[ \t]*(\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

/** The messages that a source file logs. */
function logLinesOf(source: string): string[] {
  const calls = source.matchAll(
    /\blog\??\.(?:trace|debug|info|warn|error|fatal)\(\s*(?:[^'"`;]{0,300},\s*)?(['"`])(.+?)\1/g,
  );
  return [...calls].map(([, , message]) => message ?? '');
}

/** A log line says event and consequence; data goes into fields. */
const MAX_LOG_WORDS = 10;

const words = (text: string) => (text.match(BANNED) ?? []).map((found) => `word: ${found}`);

function findingsInPage(markdown: string): string[] {
  const sentences = sentencesOf(markdown);
  const long = sentences.filter((sentence) => wordsIn(sentence) > MAX_SENTENCE_WORDS);
  return [...sentences.flatMap(words), ...long.map((found) => `length: ${found}`)];
}

function findingsInSource(source: string): string[] {
  const comments = commentsOf(source);
  const logLines = logLinesOf(source);
  return [
    ...[...comments, ...logLines].flatMap(words),
    ...logLines.filter((line) => wordsIn(line) > MAX_LOG_WORDS).map((found) => `log: ${found}`),
    ...comments.filter((comment) => HEADLESS.test(comment)).map((comment) => `opener: ${comment.slice(0, 60)}`),
  ];
}

/** The sentences of one page are samples of speech. */
const isPage = (file: string) =>
  /^(README|CONTRIBUTING|ARCHITECTURE|CHANGELOG)\.md$|^docs\/.*\.md$/.test(file) &&
  file !== 'docs/engineering/phonemes.md';
const isSource = (file: string) => /^src\/.*\.(ts|js)$/.test(file) && !file.startsWith('src/texts/');

it('the style guide is kept', () => {
  const found = trackedFiles().flatMap((file) => {
    const here = isPage(file) ? findingsInPage(read(file)) : isSource(file) ? findingsInSource(read(file)) : [];
    return here.map((finding) => `${file}: ${finding}`);
  });
  expect(found).toEqual([]);
});
