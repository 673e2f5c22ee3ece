import { existsSync, readFileSync } from 'node:fs';

/** True in the container image, which has no lock file and no npm: its programs start with Node directly. */
const isImage = !existsSync(new URL('../../package-lock.json', import.meta.url));

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
};

export const { version } = manifest;

/** The command to start one of Crier's programs on this installation, as messages show it to users. */
export function commandOf(script: string, ...args: readonly string[]): string {
  if (isImage) return [manifest.scripts[script], ...args].join(' ');
  return [`npm run -s ${script}`, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
}

export const usualDataDir = isImage ? '/data' : 'data';

export const howToInstall = isImage ? 'Build the image again.' : 'Run npm ci.';
export const howToGetFfmpeg = isImage
  ? 'build the image with --build-arg WITH_FFMPEG=yes'
  : 'install ffmpeg (apt-get install ffmpeg), or set FFMPEG_BIN';

/** The message is matched, because NAPI-RS, which loads native packages, throws a plain error without a code. */
const MISSING = /Cannot find (?:package|module) '((?:@[^'/]+\/)?[^'./][^'/]*)/;
const NATIVE = /native binding/;
const IN_PACKAGE = /node_modules[\\/]((?:@[\w.-]+[\\/])?[\w.-]+)/;

/** A sentence on how to fix a package that could not be loaded; undefined for any other error. */
export function brokenPackage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message, stack = '' } = error;
  const isNative = NATIVE.test(message) || ('code' in error && error.code === 'ERR_DLOPEN_FAILED');
  const name = isNative ? IN_PACKAGE.exec(`${message}\n${stack}`)?.[1] : MISSING.exec(message)?.[1];
  if (name === undefined) return undefined;
  const { platform, arch } = process;
  return `the package ${name} is missing, or its binary for ${platform} ${arch}, which --omit=optional leaves out. ${howToInstall}`;
}
