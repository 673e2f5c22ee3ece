import { howToInstall } from './commands.ts';

/** Of a loader that finds nothing, or nothing for this platform: Node's own codes, and NAPI-RS, which throws a plain error. */
const MISSING = /Cannot find (?:package|module) '((?:@[^'/]+\/)?[^'./][^'/]*)/;
const NATIVE = /native binding/;
const IN_PACKAGE = /node_modules[\\/]((?:@[\w.-]+[\\/])?[\w.-]+)/;

/** What to do about a package that could not be loaded, in a sentence; undefined for any other error. */
export function brokenPackage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message, stack = '' } = error;
  const isNative = NATIVE.test(message) || ('code' in error && error.code === 'ERR_DLOPEN_FAILED');
  const name = isNative ? IN_PACKAGE.exec(`${message}\n${stack}`)?.[1] : MISSING.exec(message)?.[1];
  if (name === undefined) return undefined;
  const { platform, arch } = process;
  return `the package ${name} is missing, or its binary for ${platform} ${arch}, which --omit=optional leaves out. ${howToInstall}`;
}
