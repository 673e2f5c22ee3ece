import { existsSync, readFileSync } from 'node:fs';

/** The image has no lock file. Nor has it npm: its programs are started by Node, and its packages come with another image. */
const isImage = !existsSync(new URL('../../package-lock.json', import.meta.url));

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** A program of Crier as it is called here, for words that tell somebody to. */
export function commandOf(script: string, ...args: readonly string[]): string {
  if (isImage) return [scripts[script], ...args].join(' ');
  return [`npm run -s ${script}`, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
}

/** Where a bot without settings keeps its data. */
export const usualDataDir = isImage ? '/data' : 'data';

/** What to do about packages that are missing or damaged. */
export const howToInstall = isImage ? 'Build the image again.' : 'Run npm ci.';
/** And about ffmpeg. */
export const howToGetFfmpeg = isImage
  ? 'build the image with --build-arg WITH_FFMPEG=yes'
  : 'install ffmpeg (apt-get install ffmpeg), or set FFMPEG_BIN';
