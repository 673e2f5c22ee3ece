import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createProgram, run } from '../../src/cli/program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { screen } from './screen.ts';

/*
 * The commands in the test's own process, with streams and an environment of their own: in a pipe, or on a terminal. One command
 * line at a time.
 */

type Env = Readonly<Record<string, string>>;

/** The words of a command line, or the line itself, in which double quotes hold words together. */
type CommandLine = string | readonly string[];

const wordsOf = (line: CommandLine): readonly string[] =>
  typeof line === 'string' ? (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', '')) : line;

/** Waits for a text to show up and then types, or does something. */
type Step = readonly [shows: RegExp, types: string | ((shown: RegExpExecArray) => unknown)];

export type VoiceProgram = ReturnType<typeof voiceProgram>;

/** A PATH on which `voice` and node are found. */
const PATH = [join(import.meta.dirname, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');

/** The command line in a home of its own, gone with the test. */
export function voiceProgram(env: Env = {}) {
  const home = temporaryFolder();
  const clean = { PATH, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env };
  return {
    home,
    settingsFile: join(home, '.voice', 'voice.toml'),
    env,
    path: PATH,
    async run(args: CommandLine, { env: more = {} as Env, input = '' as string | Uint8Array } = {}) {
      const [stdout, stderr] = [new Taken(), new Taken()];
      const stdin = Readable.from(input.length > 0 ? [Buffer.from(input)] : []);
      const code = await inOwnPlace({ ...clean, ...more }, home, { stdin, stdout, stderr }, args);
      const { bytes } = stdout;
      return { code, bytes, stdout: bytes.toString('utf8'), stderr: stderr.bytes.toString('utf8') };
    },
    /** As a person sees it; resolves with all that was written, and with the screen at the end. */
    async inTerminal(args: CommandLine, { env: more = {} as Env, columns = 100, steps = [] as readonly Step[] } = {}) {
      const terminal = new Taken(columns);
      const keyboard = Object.assign(new PassThrough(), { isTTY: true, isRaw: false, setRawMode: rawMode });
      const waiting = [...steps];
      const interrupt = interruption();
      let seen = 0;
      let looked = 0;
      let typing: Promise<void> | undefined;
      let failure: { readonly error: unknown } | undefined;
      const advance = async () => {
        for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
          const [shows, types] = next;
          looked = terminal.text.length;
          const match = shows.exec(terminal.text.slice(seen));
          if (match === null) break;
          seen += match.index + match[0].length;
          waiting.shift();
          if (typeof types !== 'string') await types(match);
          // A terminal makes a signal of Ctrl-C, unless a prompt takes the keys as they are.
          else if (types === '\u0003' && !keyboard.isRaw) interrupt();
          else keyboard.write(types);
        }
      };
      terminal.onWrite = () => {
        typing ??= new Promise((resolve) => setImmediate(resolve))
          .then(advance)
          .catch((error: unknown) => {
            failure = { error };
            // The command ends as well: the next one waits for it.
            interrupt();
          })
          .finally(() => {
            typing = undefined;
            // Written after the last look.
            if (!failure && waiting.length > 0 && terminal.text.length > looked) terminal.onWrite();
          });
      };
      const streams = { stdin: keyboard, stdout: terminal, stderr: terminal };
      const code = await inOwnPlace({ ...clean, ...more }, home, streams, args);
      await typing;
      if (failure) throw failure.error;
      if (waiting.length > 0) throw new Error(`never showed ${waiting[0]?.[0]}, but:\n${screen(terminal.text)}`);
      return { code, raw: terminal.text, screen: screen(terminal.text) };
    },
  };
}

/** Runs a command line of sh, in which `voice` is the program, in the home of this one. */
export async function inShell(voice: VoiceProgram, command: string, env: Env = voice.env) {
  const shell = spawn('sh', ['-c', command], {
    cwd: voice.home,
    env: { PATH: voice.path, HOME: voice.home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')]);
  return { code: code as number | null, stdout, stderr };
}

/** Ctrl-C for the command that is about to run: others, such as a browser's driver, would end the process. */
function interruption(): () => void {
  const others = new Set(process.listeners('SIGINT'));
  return () => {
    for (const listener of process.listeners('SIGINT')) if (!others.has(listener)) listener('SIGINT');
  };
}

function rawMode(this: { isRaw: boolean }, on: boolean) {
  this.isRaw = on;
  return this;
}

/** The same with a settings file in it, and that file's path. */
export function withSettings(text: string): { readonly voice: VoiceProgram; readonly file: string } {
  const voice = voiceProgram();
  const { settingsFile: file } = voice;
  mkdirSync(dirname(file), { mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
  return { voice, file };
}

/** What is written to one of the process's streams, or to a terminal of so many columns. */
class Taken {
  private readonly chunks: Buffer[] = [];
  private readonly columns: number | undefined;
  onWrite: () => void = () => undefined;
  constructor(columns?: number) {
    this.columns = columns;
  }
  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
  /** Line ends as a terminal gets them. */
  get text(): string {
    return this.bytes.toString('utf8').replace(/\r?\n/g, '\r\n');
  }
  /** Takes the place of the stream's own writing until the returned function is called. */
  from(stream: NodeJS.WriteStream): () => void {
    const write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
      this.chunks.push(Buffer.from(chunk as string));
      const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
      if (done) queueMicrotask(done);
      this.onWrite();
      return true;
    };
    return replaced(stream, { write, isTTY: this.columns !== undefined, columns: this.columns });
  }
}

/** Gives an object these properties until the returned function is called. */
function replaced(object: object, properties: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(properties).map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const);
  for (const [name, value] of Object.entries(properties))
    Object.defineProperty(object, name, { configurable: true, writable: true, value });
  return () => {
    for (const [name, own] of before) {
      if (own) Object.defineProperty(object, name, own);
      else Reflect.deleteProperty(object, name);
    }
  };
}

interface Streams {
  readonly stdin: Readable;
  readonly stdout: Taken;
  readonly stderr: Taken;
}

/** The one that runs: they share the process's environment, folder and streams. */
let running: Promise<unknown> = Promise.resolve();

function inOwnPlace(env: Env, cwd: string, streams: Streams, line: CommandLine): Promise<number> {
  const result = running.then(async () => {
    const before = { env: { ...process.env }, cwd: process.cwd() };
    const { stdin } = streams;
    const giveBack = [
      streams.stdout.from(process.stdout),
      streams.stderr.from(process.stderr),
      replaced(process, { stdin }),
    ];
    setEnvironment(env);
    process.chdir(cwd);
    try {
      return await run(createProgram('0.0.0'), wordsOf(line));
    } finally {
      for (const one of giveBack.reverse()) one();
      setEnvironment(before.env);
      process.chdir(before.cwd);
    }
  });
  running = result.catch(() => undefined);
  return result;
}

/** In place: Node looks up the home folder in the environment of the process, not in this object. */
function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
