import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Config, type ConfigProblem, loadConfig, readConfig } from '../config/config.ts';
import type { Variable } from '../config/environment.ts';
import { attention, blocking, type Finding, good } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function describe({ variables, what, obtain }: ConfigProblem): Finding {
  return blocking(variables[0] ?? 'settings', {
    found: variables.length === 1 ? what : `${variables.join(' and ')} ${what}`,
    means: 'The bot does not start until that is right (the playground does).',
    remedy: obtain,
  });
}

function checkEnvFile(): Finding[] {
  const mode = process.platform === 'win32' ? 0 : (statSync('.env', { throwIfNoEntry: false })?.mode ?? 0);
  if ((mode & 0o077) === 0) return [];
  return [
    attention('.env', {
      found: 'readable by others',
      means: 'Other accounts of this machine can read the token and the key.',
      remedy: 'chmod 600 .env',
    }),
  ];
}

/** The settings, their errors, and a configuration of the valid ones, for the other checks. */
export function checkSettings(environment: Environment): { findings: Finding[]; config: Config; wrong: Set<Variable> } {
  const loaded = loadConfig();
  if (loaded.ok) {
    const { discord } = loaded.config;
    const where = discord.apiUrl === undefined ? '' : `; for the Discord at ${discord.apiUrl.origin}`;
    return {
      findings: [good('DISCORD_TOKEN', `set${where}`), ...checkEnvFile()],
      config: loaded.config,
      wrong: new Set(),
    };
  }
  const wrong = new Set(loaded.problems.flatMap(({ variables }) => variables));
  const right = Object.entries(environment).filter(([name]) => !wrong.has(name as Variable));
  const rest = readConfig({
    ...Object.fromEntries(right),
    ...(wrong.has('DISCORD_TOKEN') && { DISCORD_TOKEN: 'none' }),
    // The default itself may be invalid; the checks of it are skipped.
    ...(wrong.has('DATA_DIR') && { DATA_DIR: tmpdir() }),
  });
  if (!rest.ok) throw new Error(`settings: ${rest.problems.map(({ variables }) => variables.join(', ')).join(', ')}`);
  const token = wrong.has('DISCORD_TOKEN') ? [] : [good('DISCORD_TOKEN', 'set')];
  return { findings: [...token, ...loaded.problems.map(describe), ...checkEnvFile()], config: rest.config, wrong };
}
