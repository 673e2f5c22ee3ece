import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Config, type ConfigProblem, loadConfig, readConfig } from '../config/config.ts';
import { SETTINGS, type Variable } from '../config/environment.ts';
import { strangeVariables } from '../config/strange-variables.ts';
import { attention, blocking, type Finding, good } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function describe({ variables, what, obtain }: ConfigProblem): Finding {
  return blocking(variables[0] ?? 'settings', {
    found: variables.length === 1 ? what : `${variables.join(' and ')} ${what}`,
    means: 'The bot does not start until this is fixed (the playground does).',
    remedy: obtain,
  });
}

function checkEnvFile(): Finding[] {
  const mode = process.platform === 'win32' ? 0 : (statSync('.env', { throwIfNoEntry: false })?.mode ?? 0);
  if ((mode & 0o077) === 0) return [];
  return [
    attention('.env', {
      found: 'readable by others',
      means: 'Other accounts on this machine can read the token and the key.',
      remedy: 'chmod 600 .env',
    }),
  ];
}

function checkNames(environment: Environment): Finding[] {
  return strangeVariables(environment).map(({ name, nearest }) =>
    attention(name, {
      found: `is not a setting of Crier`,
      means: 'The bot does not read it.',
      remedy: nearest === undefined ? 'docs/settings.md lists all settings.' : `The nearest one is ${nearest}.`,
    }),
  );
}

/** The id of the application in base64, a time and a signature; https://discord.com/developers/docs/reference#authentication */
function checkToken({ token, apiUrl }: Config['discord']): Finding {
  const [id = '', ...others] = token.split('.');
  const isOne = others.length === 2 && others.every(Boolean) && /^\d{17,20}$/.test(decoded(id));
  const where = apiUrl === undefined ? '' : `; for the Discord at ${apiUrl.origin}`;
  if (isOne) return good('DISCORD_TOKEN', `set${where}`);
  return blocking('DISCORD_TOKEN', {
    found: 'is not a bot token: that has three parts separated by dots, the first with the id in base64',
    means: 'Discord refuses it. An application id, a public key and a client secret are not tokens.',
    remedy: SETTINGS.DISCORD_TOKEN.obtain,
  });
}

const decoded = (text: string): string => Buffer.from(text, 'base64').toString('latin1');

/** The settings, their errors, and a configuration of the valid ones, for the other checks. */
export function checkSettings(environment: Environment): { findings: Finding[]; config: Config; wrong: Set<Variable> } {
  const loaded = loadConfig();
  if (loaded.ok) {
    return {
      findings: [checkToken(loaded.config.discord), ...checkNames(environment), ...checkEnvFile()],
      config: loaded.config,
      wrong: new Set(),
    };
  }
  const wrong = new Set(loaded.problems.flatMap(({ variables }) => variables));
  // One without the other is a problem of its own.
  if (wrong.has('VOICE_API_URL') || wrong.has('VOICE_API_KEY')) wrong.add('VOICE_API_URL').add('VOICE_API_KEY');
  const right = Object.entries(environment).filter(([name]) => !wrong.has(name as Variable));
  const rest = readConfig({
    ...Object.fromEntries(right),
    ...(wrong.has('DISCORD_TOKEN') && { DISCORD_TOKEN: 'none' }),
    // The default itself may be invalid; the checks of it are skipped.
    ...(wrong.has('DATA_DIR') && { DATA_DIR: tmpdir() }),
  });
  if (!rest.ok) throw new Error(`settings: ${rest.problems.map(({ variables }) => variables.join(', ')).join(', ')}`);
  const token = wrong.has('DISCORD_TOKEN') ? [] : [checkToken(rest.config.discord)];
  const problems = loaded.problems.map(describe);
  return {
    findings: [...token, ...problems, ...checkNames(environment), ...checkEnvFile()],
    config: rest.config,
    wrong,
  };
}
