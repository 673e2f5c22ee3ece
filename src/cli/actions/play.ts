import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type AudioFile, type FileFormat, readAudio } from '../../sound/audio-file.ts';
import { readSound } from '../speech/files.ts';
import { createProgress } from '../terminal/table.ts';
import { failure, interruptible, plain, usageError } from '../terminal/terminal.ts';

/** Settings such as VOICE_API_KEY, which other programs must not get. */
const OF_VOICE = /^VOICE_/i;

/** Removes the API key and other VOICE_ variables while `start` runs, because `start` may run a program that inherits them. */
export async function withoutVoiceVariables<T>(start: () => Promise<T>): Promise<T> {
  const hidden = Object.entries(process.env).filter(([name]) => OF_VOICE.test(name));
  for (const [name] of hidden) delete process.env[name];
  try {
    return await start();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
}

export function findOnPath(name: string): string | undefined {
  const { PATH, Path = '' } = process.env;
  const folders = (PATH ?? Path).split(delimiter).filter((folder) => folder !== '');
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return folders.flatMap((folder) => suffixes.map((suffix) => join(folder, name + suffix))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

interface KnownPlayer {
  readonly name: string;
  readonly formats: readonly FileFormat[];
  readonly arguments: (file: string) => readonly string[];
}

export type Player = KnownPlayer & { readonly path: string };

const BOTH: readonly FileFormat[] = ['wav', 'mp3'];

/** Common audio players, best first. Each plays one file, prints nothing, and ends. */
const KNOWN: readonly KnownPlayer[] = [
  { name: 'afplay', formats: BOTH, arguments: (file) => [file] },
  { name: 'ffplay', formats: BOTH, arguments: (file) => ['-nodisp', '-autoexit', '-loglevel', 'error', file] },
  { name: 'mpv', formats: BOTH, arguments: (file) => ['--no-video', '--no-terminal', file] },
  { name: 'pw-play', formats: BOTH, arguments: (file) => [file] },
  { name: 'paplay', formats: ['wav'], arguments: (file) => [file] },
  { name: 'play', formats: BOTH, arguments: (file) => ['-q', file] },
  // cvlc runs without --quiet, because only its output tells of a missing sound card: the exit code is 0 even without one.
  { name: 'cvlc', formats: BOTH, arguments: (file) => ['--play-and-exit', file] },
  { name: 'mpg123', formats: ['mp3'], arguments: (file) => ['-q', file] },
  { name: 'mpg321', formats: ['mp3'], arguments: (file) => ['-q', file] },
  { name: 'aplay', formats: ['wav'], arguments: (file) => ['-q', file] },
  {
    name: 'powershell',
    formats: ['wav'],
    // The file name is an argument, so that PowerShell never runs parts of the name as commands.
    arguments: (file) => ['-NoProfile', '-Command', '& { (New-Object Media.SoundPlayer $args[0]).PlaySync() }', file],
  },
];

export function findPlayers(): Player[] {
  return KNOWN.flatMap((known) => {
    const path = findOnPath(known.name);
    return path === undefined ? [] : [{ ...known, path }];
  });
}

export function playerFor(format: FileFormat, players: readonly Player[] = findPlayers()): Player {
  const player = players.find((candidate) => candidate.formats.includes(format));
  if (player !== undefined) return player;
  const found = players.map((candidate) => candidate.name).join(', ');
  throw failure(
    found === ''
      ? 'No audio player was found on this system.'
      : `No player for ${format.toUpperCase()} was found on this system (only ${found}).`,
    `Install one, for example ffmpeg (ffplay), mpv or sox${process.platform === 'linux' ? ', or alsa-utils (aplay) for WAV' : ''}; or save the audio with -o FILE.`,
  );
}

const MAX_COMPLAINT = 2_000;
/** Messages of audio players about a missing sound card. The exit code is no proof: ffplay and cvlc exit with 0. */
const NO_DEVICE =
  /audio open (?:failed|error)|no suitable audio output module|could not open\/initialize audio device|no default audio device|unable to open any of the output modules|host is down/i;
/** The time between SIGTERM and SIGKILL for an audio player. */
const END_GRACE_MS = 1_000;

/** The path is made absolute, because players take `12:30.wav` for an address and `-a.wav` for an option. */
export async function playFile(player: Player, file: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(player.path, player.arguments(resolve(file)), {
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_VOICE.test(name))),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT);
  });
  let force: NodeJS.Timeout | undefined;
  const onAbort = () => {
    child.kill('SIGTERM');
    force = setTimeout(() => child.kill('SIGKILL'), END_GRACE_MS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const ended = await new Promise<string | undefined>((resolve) => {
      child.on('error', (error: NodeJS.ErrnoException) => resolve(`could not be started (${error.code})`));
      // A child process of the audio player may hold the pipe open, but Ctrl-C must not wait for it.
      child.on('exit', () => signal.aborted && resolve(undefined));
      child.on('close', (code, by) =>
        resolve(code === 0 ? undefined : by === null ? `ended with ${code}` : `was ended by ${by}`),
      );
    });
    signal.throwIfAborted();
    const deviceMissing = complaint.split('\n').find((line) => NO_DEVICE.test(line));
    if (deviceMissing !== undefined) {
      throw failure(`No audio device was found on this system (${player.name}: ${plain(deviceMissing.trim())}).`);
    }
    if (ended !== undefined) {
      const last = plain(complaint.trim().split('\n').at(-1) ?? '');
      throw failure(
        `${player.name} ${ended}${last ? `: ${last}` : '.'}`,
        'The audio was not played, or not to its end.',
      );
    }
  } finally {
    clearTimeout(force);
    child.stderr.destroy();
    signal.removeEventListener('abort', onAbort);
  }
}

async function playBytes(player: Player, { format, bytes }: AudioFile, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'voice-'));
  try {
    const file = join(folder, `speech.${format}`);
    await writeFile(file, bytes, { mode: 0o600 });
    await playFile(player, file, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Shows the progress. Without a file, the audio is played from a temporary one. */
export function playAudio(player: Player, audio: AudioFile, signal: AbortSignal, file?: string): Promise<void> {
  const progress = createProgress();
  progress.show(`Playing ${audio.seconds.toFixed(1)} s …`);
  const played = file === undefined ? playBytes(player, audio, signal) : playFile(player, file, signal);
  return played.finally(progress.clear);
}

export function play(file: string): Promise<void> {
  return interruptible(async ({ signal }) => {
    const audio = check(await readSound(file, signal), file);
    await playAudio(playerFor(audio.format), audio, signal, file === '-' ? undefined : file);
  });
}

function check(bytes: Uint8Array, file: string) {
  try {
    return readAudio(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${file} cannot be played: ${error.message}.`);
    throw error;
  }
}
