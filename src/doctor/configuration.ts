import { tmpdir } from 'node:os';
import { type Config, type ConfigProblem, loadConfig, readConfig, strangeVariables } from '../config/config.ts';
import type { Variable } from '../config/environment.ts';
import type { EnvFile } from '../process/env-file.ts';
import { attention, blocking, type Finding, good } from './finding.ts';
import { isOpenToOthers } from './store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The finding's subject is the first variable, so its text names only the other variables. */
function describe({ variables: [first, ...others], what, obtain }: ConfigProblem): Finding {
  const found = [...others.map((variable) => `and ${variable}`), what].join(' ');
  return blocking(first ?? 'settings', found, undefined, obtain);
}

function checkNames(environment: Environment, file: EnvFile | undefined): Finding[] {
  return strangeVariables(environment, file).map(({ name, nearest }) => {
    const hint =
      nearest === undefined ? 'docs/reference/settings.md lists all settings.' : `The nearest one is ${nearest}.`;
    return attention(name, 'is not a setting of Crier', 'The bot does not read it.', hint);
  });
}

/** Stands in for a wrong Discord token, because other checks need a whole configuration. Never sent to Discord. */
const PLACEHOLDER_TOKEN = `${Buffer.from('0'.repeat(18)).toString('base64')}.none.none`;

/** The returned `wrong` also names settings that become invalid when the wrong settings are left out. */
function rightPart(environment: Environment, wrong: ReadonlySet<Variable>): { config: Config; wrong: typeof wrong } {
  const right = Object.fromEntries(Object.entries(environment).filter(([name]) => !wrong.has(name as Variable)));
  if (wrong.has('DISCORD_TOKEN')) right.DISCORD_TOKEN = PLACEHOLDER_TOKEN;
  // A valid folder replaces a wrong DATA_DIR: the default may be invalid, too. The replacement is not checked.
  if (wrong.has('DATA_DIR')) right.DATA_DIR = tmpdir();
  const read = readConfig(right);
  if (read.ok) return { config: read.config, wrong };
  const more = read.problems.flatMap(({ variables }) => variables).filter((variable) => !wrong.has(variable));
  if (more.length === 0) throw new Error(`settings: ${read.problems.map(({ what }) => what).join(', ')}`);
  return rightPart(environment, new Set([...wrong, ...more]));
}

export function checkSettings(environment: Environment) {
  const loaded = loadConfig();
  const problems = loaded.ok ? [] : loaded.problems;
  const part = rightPart(environment, new Set(problems.flatMap(({ variables }) => variables)));
  const { apiUrl } = part.config.discord;
  const token = good('DISCORD_TOKEN', apiUrl === undefined ? 'set' : `set; for the Discord at ${apiUrl.origin}`);
  const means = 'Other accounts on this machine can read the token and the key.';
  const findings = [
    ...(part.wrong.has('DISCORD_TOKEN') ? [] : [token]),
    ...problems.map(describe),
    ...checkNames(environment, loaded.file),
    ...(isOpenToOthers('.env') ? [attention('.env', 'readable by others', means, 'chmod 600 .env')] : []),
  ];
  return { findings, ...part };
}
