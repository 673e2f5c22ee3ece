/** One word of a POSIX shell: nothing in single quotes means anything, and a single quote is written outside of them. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Text inside double quotes, where `$`, backticks, double quotes and backslashes keep their meaning. */
export function insideDoubleQuotes(text: string): string {
  return text.replace(/[$`"\\]/g, (character) => `\\${character}`);
}
