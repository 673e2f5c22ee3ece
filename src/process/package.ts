import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestWord } from './nearest-word.ts';

/** Thrown if the command line of a program is wrong. The message names the error and how to get help. */
export class FlagsError extends Error {
  override readonly name = 'FlagsError';
}

/** The exit code EX_CONFIG of sysexits.h: another start would not solve the problem, and deploy/crier.service tries none. */
export const WRONG_SETTING = 78;

const HELP = { help: { type: 'boolean', short: 'h' } } as const;

export function parseFlags<const Config extends ParseArgsConfig>({ options, ...config }: Config) {
  const known = { ...options, ...HELP } as Config['options'] & typeof HELP;
  try {
    return parseArgs({ ...config, options: known } as unknown as Omit<Config, 'options'> & { options: typeof known });
  } catch (error) {
    throw new FlagsError(`${describe(error as NodeJS.ErrnoException, Object.keys(known))} --help lists all options.`);
  }
}

/** Describes a mistake on the command line in fewer words than Node, whose message also advises programmers. */
function describe({ code, message }: NodeJS.ErrnoException, names: readonly string[]): string {
  const [, written] = /'(-[^']*)'/.exec(message) ?? [];
  const [, ambiguous] = /^Option '(?:-\w, )?(--\S+)' argument is ambiguous/.exec(message) ?? [];
  if (ambiguous !== undefined)
    return `${ambiguous} needs a value; one that begins with - is written ${ambiguous}=VALUE.`;
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || written === undefined) return `${message.split(/\.( |$)/)[0]}.`;
  const nearest = nearestWord(written.replace(/^-+/, ''), names);
  return `There is no option ${written}${nearest === undefined ? '.' : `: did you mean --${nearest}?`}`;
}

/** Must be called before anything is opened: exits with 0 after the help, and with 2 if the command line is wrong. */
export function flagsOrExit<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    const flags = parseFlags(config);
    if (!(flags.values as { readonly help?: boolean }).help) return flags;
    process.stdout.write(`${usage.trimEnd()}\n`);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof FlagsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

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

/** The path of a file in a package, such as `eld/package.json`; undefined if the optional package is missing. */
export function pathInPackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}

/** Patterns for the message of an error that a broken package causes. NAPI-RS, which loads native packages, gives its errors no code. */
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
