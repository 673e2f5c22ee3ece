/** What a rule of the style guide in CONTRIBUTING.md forbids, found in text. */
interface Finding {
  readonly rule: 'word' | 'opener' | 'length' | 'log';
  readonly found: string;
}

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

const words = (text: string): Finding[] => (text.match(BANNED) ?? []).map((found) => ({ rule: 'word', found }));

export function findingsInPage(markdown: string): Finding[] {
  const sentences = sentencesOf(markdown);
  const long = sentences.filter((sentence) => wordsIn(sentence) > MAX_SENTENCE_WORDS);
  return [...sentences.flatMap(words), ...long.map((found): Finding => ({ rule: 'length', found }))];
}

export function findingsInSource(source: string): Finding[] {
  const comments = commentsOf(source);
  const logLines = logLinesOf(source);
  const openers = comments.filter((comment) => HEADLESS.test(comment));
  const longLogLines = logLines.filter((line) => wordsIn(line) > MAX_LOG_WORDS);
  return [
    ...[...comments, ...logLines].flatMap(words),
    ...longLogLines.map((found): Finding => ({ rule: 'log', found })),
    ...openers.map((comment): Finding => ({ rule: 'opener', found: comment.slice(0, 60) })),
  ];
}
