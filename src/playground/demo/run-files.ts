import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BotLogLine } from './bot/bot-process.ts';

const FOLDER = join('data', 'playground');

export type RecordTo = () => string;

/** Recordings and logs go to `data/playground`, or to a temporary folder if the current folder is not writable. */
function chooseFolder(): string {
  try {
    // The folder `data` may also hold the bot's data, so only the user's own account gets access.
    mkdirSync(dirname(FOLDER), { recursive: true, mode: 0o700 });
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    closeSync(openSync(join(FOLDER, '.writable'), 'w'));
    rmSync(join(FOLDER, '.writable'));
    return FOLDER;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM') throw error;
    return mkdtempSync(join(tmpdir(), 'crier-recordings-'));
  }
}

/** Throws an error that asks for another file if `path` is not writable. The check leaves no new file behind. */
export function mustBeWritable(path: string): void {
  try {
    const existed = statSync(path, { throwIfNoEntry: false }) !== undefined;
    closeSync(openSync(path, 'a'));
    if (!existed) rmSync(path);
  } catch (error) {
    throw new Error(`--out ${path} cannot be written: ${(error as Error).message}. Choose another file.`);
  }
}

/** Recordings and logs are removed after a week, but never a recording that was named with `--out`. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

function removeOldFiles(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => /^(bot-\d+\.log|heard-\d+\.wav)$/.test(file))) {
    const path = join(folder, name);
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > KEPT_MS)
      rmSync(path, { force: true });
  }
}

export class RunFiles {
  readonly folder = chooseFolder();
  readonly logPath = join(this.folder, `bot-${process.pid}.log`);

  constructor() {
    removeOldFiles(this.folder);
    writeFileSync(this.logPath, '', { mode: 0o600 });
  }

  record(line: BotLogLine): void {
    writeFileSync(this.logPath, `${JSON.stringify(line)}\n`, { flag: 'a' });
  }

  /** Returns the path of a new empty file, so that two playgrounds never overwrite each other's recordings. */
  nextRecording(): string {
    for (let number = 1; ; number++) {
      const path = join(this.folder, `heard-${number}.wav`);
      try {
        closeSync(openSync(path, 'wx', 0o600));
        return path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }
}
