import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type InstalledVoice, installedVoice } from './installed-voice.ts';
import { screen } from './screen.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly bytes: Buffer;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty by default. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

const TIMEOUT_MS = 15_000;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** A home of its own, gone with the test, and the installed program in it. */
export interface VoiceProgram {
  readonly installed: InstalledVoice;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** A PATH on which `voice` and node are found. */
  readonly path: string;
  /** In the test's own process, one at a time. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** The installed program, as a process: for what goes on between processes, and for what ends one. */
  start(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** On a pseudo-terminal, as a person sees it; each step waits for a text to show up and then types. */
  inTerminal(
    args: readonly string[],
    options?: TerminalOptions,
  ): Promise<{ code: number | null; raw: string; screen: string }>;
}

interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly steps?: readonly (readonly [
    shows: RegExp,
    types: string | ((shown: RegExpExecArray) => Promise<unknown>),
  ])[];
  readonly cwd?: string;
}

export async function voiceProgram(env: Readonly<Record<string, string>> = {}): Promise<VoiceProgram> {
  const installed = await installedVoice();
  const home = await mkdtemp(join(tmpdir(), 'voice-test-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const path = [dirname(installed.binary), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const clean = {
    PATH: path,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    // A hundred starts of the same program: Node need not compile it each time.
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    ...env,
  };
  return {
    installed,
    home,
    env,
    path,
    run: (args, { env: more, input, cwd = home } = {}) => runHere(args, { env: { ...clean, ...more }, input, cwd }),
    async start(args, { env: more, input, cwd = home } = {}) {
      const child = spawn(installed.binary, [...args], { cwd, env: { ...clean, ...more }, timeout: TIMEOUT_MS });
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
      // A program that needs no input may have ended before it is written.
      child.stdin.on('error', () => undefined).end(input ?? '');
      const code = await ended(child);
      const bytes = Buffer.concat(stdout);
      return { code, bytes, stdout: bytes.toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
    },
    async inTerminal(args, { env: more, columns = 100, steps = [], cwd = home } = {}) {
      const command = `stty cols ${columns} rows 40; exec ${[installed.binary, ...args].map(quoted).join(' ')}`;
      const child = spawn('script', ['-qfec', command, '/dev/null'], {
        cwd,
        env: { ...clean, ...more },
        timeout: TIMEOUT_MS,
      });
      let raw = '';
      let seen = 0;
      const waiting = [...steps];
      let isTyping = false;
      const advance = async () => {
        if (isTyping) return;
        isTyping = true;
        for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
          const [shows, types] = next;
          const match = shows.exec(raw.slice(seen));
          if (match === null) break;
          seen += match.index + match[0].length;
          waiting.shift();
          if (typeof types === 'string') child.stdin.write(types);
          else await types(match);
        }
        isTyping = false;
      };
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        raw += text;
        advance().catch((error: unknown) => child.emit('error', error));
      });
      const code = await ended(child);
      child.stdin.destroy();
      if (waiting.length > 0) throw new Error(`never showed ${waiting[0]?.[0]}, but:\n${screen(raw)}`);
      return { code, raw, screen: screen(raw) };
    },
  };
}

/** The one that runs: they share the process's environment, folder and streams. */
let running: Promise<unknown> = Promise.resolve();

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input: string | Uint8Array | undefined;
}

function runHere(args: readonly string[], given: Surroundings): Promise<Ended> {
  const result = running.then(() => runNow(args, given));
  running = result.catch(() => undefined);
  return result;
}

async function runNow(args: readonly string[], { env, cwd, input = '' }: Surroundings): Promise<Ended> {
  const { createProgram, run } = await import('../../src/cli/program.ts');
  const before = {
    env: { ...process.env },
    cwd: process.cwd(),
    stdin: Object.getOwnPropertyDescriptor(process, 'stdin'),
  };
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const taken = [takeWrites(process.stdout, stdout), takeWrites(process.stderr, stderr)];
  setEnvironment(env);
  process.chdir(cwd);
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    value: Readable.from(input.length > 0 ? [Buffer.from(input)] : []),
  });
  try {
    const code = await run(createProgram(version), [...args]);
    const bytes = Buffer.concat(stdout);
    return { code, bytes, stdout: bytes.toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
  } finally {
    for (const giveBack of taken) giveBack();
    setEnvironment(before.env);
    process.chdir(before.cwd);
    if (before.stdin) Object.defineProperty(process, 'stdin', before.stdin);
  }
}

/** In place: Node looks up the home folder in the environment of the process, not in this object. */
function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

function takeWrites(stream: NodeJS.WriteStream, chunks: Buffer[]): () => void {
  const { write } = stream;
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    chunks.push(Buffer.from(chunk as string));
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (done) queueMicrotask(done);
    return true;
  };
  return () => {
    stream.write = write;
  };
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code));
  });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
