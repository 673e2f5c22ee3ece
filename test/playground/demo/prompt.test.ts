import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type DemoSession, runLines } from '../../../src/playground/demo/session.ts';

// Node's readline moves no cursor on a dumb terminal, where the playground does not use it as one.
beforeEach(() => void vi.stubEnv('TERM', 'xterm'));

/** A session whose `/say` ends when the test says so, and everything else at once. */
function prompt(terminal: boolean) {
  const run: string[] = [];
  const speech = Promise.withResolvers<void>();
  const session = {
    prompt: 'olga> ',
    async run(line: string) {
      run.push(line);
      if (line.startsWith('/say')) await speech.promise;
      return { ok: line !== '/nothing', shown: [`${line} has ended`] };
    },
    complete: async () => [[], ''],
  } as unknown as DemoSession;
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.on('data', (chunk) => {
    shown += String(chunk);
  });
  const interruption = new AbortController();
  const failures = runLines(session, {
    input,
    output,
    terminal,
    ended: new Promise(() => undefined),
    interrupted: interruption.signal,
  });
  return { interrupt: () => interruption.abort(), run, input, failures, endSpeech: speech.resolve, shown: () => shown };
}

describe('lines', () => {
  it('are taken at a terminal while the bot speaks, whose end is shown above the prompt and what is typed', async () => {
    const { run, input, failures, endSpeech, shown } = prompt(true);
    input.write('/say Hello\r/queue\r');
    await vi.waitFor(() => expect(shown()).toContain('/queue has ended'));
    expect(run).toEqual(['/say Hello', '/queue']);
    input.write('/sk');
    await vi.waitFor(() => expect(shown()).toMatch(/\/sk$/));
    endSpeech();
    // Back to the first column, and all below it cleared: not behind what was typed.
    await vi.waitFor(() => expect(shown()).toContain('\x1b[1G\x1b[0J/say Hello has ended\n\n'));
    await vi.waitFor(() => expect(shown()).toMatch(/olga> \/sk[^/]*$/));
    input.write('ip\rquit\r');
    expect(await failures).toBe(0);
    expect(run.at(-1)).toBe('/skip');
  });

  it.each(['Ctrl-C', 'quit'])('that end after %s are not shown: the bot says there that it comes back', async (end) => {
    const { run, input, failures, endSpeech, interrupt, shown } = prompt(end === 'quit');
    input.write('/say Hello\n');
    await vi.waitFor(() => expect(run).toEqual(['/say Hello']));
    if (end === 'quit') input.write('quit\r');
    else interrupt();
    if (end === 'quit') await failures;
    endSpeech();
    input.end();
    await failures;
    await new Promise(setImmediate);
    expect(shown()).not.toContain('has ended');
  });

  it('of a pipe run one after the other, each to its end, until quit or exit', async () => {
    const { run, input, failures, endSpeech, shown } = prompt(false);
    input.end('/say Hello\n/nothing\n EXIT \n/never\n');
    await vi.waitFor(() => expect(run).toEqual(['/say Hello']));
    await new Promise(setImmediate);
    expect(run).toEqual(['/say Hello']);
    endSpeech();
    expect(await failures).toBe(1);
    expect(shown()).toBe('olga> /say Hello\n/say Hello has ended\n\nolga> /nothing\n/nothing has ended\n\n');
  });
});
