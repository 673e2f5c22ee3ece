const ESCAPE = String.raw`\u001b`;
const TOKENS = new RegExp(String.raw`${ESCAPE}\[([\d;?]*)([A-Za-z])|\r|\n|\u0008|[^${ESCAPE}\r\n\u0008]+`, 'g');

/** A terminal's screen after this output: carriage returns, erased lines and cursor columns applied, no colors. */
export function screen(output: string): string {
  const lines: string[] = [''];
  let column = 0;
  const current = () => lines.at(-1) ?? '';
  const put = (text: string) => {
    lines[lines.length - 1] = current().padEnd(column).slice(0, column) + text + current().slice(column + text.length);
    column += text.length;
  };
  for (const [token, parameter, action] of output.matchAll(TOKENS)) {
    if (token === '\r') column = 0;
    else if (token === '\n') {
      lines.push('');
      column = 0;
    } else if (token === '\u0008') column = Math.max(0, column - 1);
    else if (action === 'K') lines[lines.length - 1] = parameter === '2' ? '' : current().slice(0, column);
    else if (action === 'J') lines[lines.length - 1] = current().slice(0, column);
    else if (action === 'G') column = Math.max(0, Number(parameter || 1) - 1);
    else if (action === 'C') column += Number(parameter || 1);
    else if (action === 'D') column = Math.max(0, column - Number(parameter || 1));
    else if (action === undefined) put(token);
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}
