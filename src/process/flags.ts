import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestWord } from './nearest-word.ts';

/** Thrown if the command line of a program is wrong. The message names the error and how to get help. */
export class FlagsError extends Error {
  override readonly name = 'FlagsError';
}

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

/** Exits with 0 after the help, and with 2 if the command line is wrong. Nothing may be open yet. */
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
