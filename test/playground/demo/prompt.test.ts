import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DemoSession } from '../../../src/playground/demo/demo-session.ts';
import { loadHistory, runLines, saveHistory } from '../../../src/playground/demo/prompt.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-prompt-'));
  file = join(folder, 'data', 'history');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the prompt's history", () => {
  it('is empty at the first start', () => {
    expect(loadHistory(file)).toEqual([]);
  });

  it('comes back newest first, as it was, and lies in the file in the order of typing', () => {
    saveHistory(file, ['/skip', '/say Hello', 'join General']);
    expect(readFileSync(file, 'utf8')).toBe('join General\n/say Hello\n/skip\n');
    expect(loadHistory(file)).toEqual(['/skip', '/say Hello', 'join General']);
  });

  it('keeps the newest 500 lines', () => {
    const newestFirst = Array.from({ length: 501 }, (_, index) => `line ${501 - index}`);
    saveHistory(file, newestFirst);
    expect(loadHistory(file)).toEqual(newestFirst.slice(0, 500));
  });

  it('of nothing is nothing, not an empty line', () => {
    saveHistory(file, []);
    expect(loadHistory(file)).toEqual([]);
  });

  it('skips empty lines of an edited file', () => {
    saveHistory(file, ['b']);
    writeFileSync(file, 'a\n\nb\n');
    expect(loadHistory(file)).toEqual(['b', 'a']);
  });

  it('is readable by its owner alone: it holds typed lines', () => {
    saveHistory(file, ['/say Between us']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

/** A session whose `/say` ends when the test says so, and everything else at once. */
function prompt(terminal: boolean, nextLineAfterMs = 1) {
  const run: string[] = [];
  const speech = Promise.withResolvers<void>();
  const inProgress = new Set<string>();
  const session = {
    prompt: 'olga> ',
    async run(line: string) {
      run.push(line);
      if (line.startsWith('/say')) {
        inProgress.add(line);
        await speech.promise;
        inProgress.delete(line);
      }
      return { ok: line !== '/nothing', shown: [`${line} has ended`], replies: [] };
    },
    inProgress: () => [...inProgress].map((line) => `olga> ${line}`),
    hasPending: () => run.some((line) => line.endsWith('&')) && !run.includes('wait'),
    complete: async () => [[], ''],
  } as unknown as DemoSession;
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.on('data', (chunk) => {
    shown += String(chunk);
  });
  const ended = new Promise(() => undefined);
  const interruption = new AbortController();
  const failures = runLines(session, {
    ...{ input, output, terminal, historyFile: file, ended, nextLineAfterMs },
    interrupted: interruption.signal,
  });
  return { interrupt: () => interruption.abort(), run, input, failures, endSpeech: speech.resolve, shown: () => shown };
}

describe('lines', () => {
  it('are taken at a terminal while the bot speaks, whose end is shown above the prompt with its line', async () => {
    const { run, input, failures, endSpeech, shown } = prompt(true);
    input.write('/say Hello\r/queue\r');
    await vi.waitFor(() => expect(shown()).toContain('/queue has ended'));
    expect(run).toEqual(['/say Hello', '/queue']);
    input.write('/sk');
    await vi.waitFor(() => expect(shown()).toMatch(/\/sk$/));
    endSpeech();
    await vi.waitFor(() => expect(shown()).toContain('olga> /say Hello\n/say Hello has ended\n\n'));
    input.write('ip\rquit\r');
    expect(await failures).toBe(0);
    expect(run.at(-1)).toBe('/skip');
  });

  it('that are typed ahead before the prompt is there make room for what is shown, and stay', async () => {
    const { run, input, failures, endSpeech, shown } = prompt(true, 60_000);
    input.write('/say Hello\r');
    await vi.waitFor(() => expect(run).toEqual(['/say Hello']));
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

  it('that end after Ctrl-C are not shown: the bot says there that it comes back', async () => {
    const { run, input, failures, endSpeech, interrupt, shown } = prompt(false);
    input.end('/say Hello\n');
    await vi.waitFor(() => expect(run).toEqual(['/say Hello']));
    interrupt();
    endSpeech();
    await failures;
    expect(shown()).not.toContain('has ended');
  });

  it('in the background are waited for and shown at the end of a pipe', async () => {
    const { run, input, failures, shown } = prompt(false);
    input.end('/voices &\n');
    expect(await failures).toBe(0);
    expect(run).toEqual(['/voices &', 'wait']);
    expect(shown()).toMatch(/wait has ended\n\n$/);
  });

  it('in the background are not waited for where a pipe says quit', async () => {
    const { run, input, failures } = prompt(false);
    input.end('/voices &\nquit\n');
    expect(await failures).toBe(0);
    expect(run).toEqual(['/voices &']);
  });

  it('that have not ended at quit are named, and what the bot says of its own end is not shown as theirs', async () => {
    const { run, input, failures, endSpeech, shown } = prompt(true);
    input.write('/say Hello\r');
    await vi.waitFor(() => expect(run).toEqual(['/say Hello']));
    input.write('quit\r');
    expect(await failures).toBe(0);
    expect(shown()).toMatch(/Not finished, and stopped because the playground ends:\n {2}olga> \/say Hello\n$/);
    endSpeech();
    await new Promise(setImmediate);
    expect(shown()).not.toContain('has ended');
  });

  it('that have all ended leave nothing to say at quit', async () => {
    const { input, failures, endSpeech, shown } = prompt(true);
    endSpeech();
    input.write('/say Hello\r');
    await vi.waitFor(() => expect(shown()).toContain('/say Hello has ended'));
    input.write('quit\r');
    await failures;
    expect(shown()).not.toContain('Not finished');
  });

  it.each(['quit', 'Quit', ' EXIT '])('end with %s', async (typed) => {
    const { run, input, failures } = prompt(false);
    input.end(`/queue\n${typed}\n/never\n`);
    expect(await failures).toBe(0);
    expect(run).toEqual(['/queue']);
  });

  it('of a pipe run one after the other, each to its end', async () => {
    const { run, input, failures, endSpeech, shown } = prompt(false);
    input.end('/say Hello\n/nothing\nquit\n/never\n');
    await vi.waitFor(() => expect(run).toEqual(['/say Hello']));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(run).toEqual(['/say Hello']);
    endSpeech();
    expect(await failures).toBe(1);
    expect(shown()).toBe('olga> /say Hello\n/say Hello has ended\n\nolga> /nothing\n/nothing has ended\n\n');
  });
});
