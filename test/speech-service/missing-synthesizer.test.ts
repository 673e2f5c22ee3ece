import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { programEnv } from '../program-environment.ts';
import { temporaryFolder } from './running-service.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const LINKED = process.platform === 'win32' ? 'junction' : 'dir';

/** The program's files with every package but eSpeak NG, as after `npm install --omit=optional`. */
async function treeWithoutEspeak(): Promise<string> {
  const tree = await temporaryFolder();
  for (const part of ['package.json', 'src']) {
    await cp(join(PROJECT, part), join(tree, part), { recursive: true });
  }
  await mkdir(join(tree, 'node_modules'));
  for (const name of await readdir(join(PROJECT, 'node_modules'))) {
    if (name === 'espeak-ng') continue;
    await symlink(join(PROJECT, 'node_modules', name), join(tree, 'node_modules', name), LINKED);
  }
  return tree;
}

test('without eSpeak NG neither the service nor a bot with the built-in voice starts, and both say what to install', async () => {
  const tree = await treeWithoutEspeak();
  const data = join(tree, 'data');
  const run = async (program: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
    const child = spawn(process.execPath, [join(tree, 'src', program), ...args], { env: { ...programEnv, ...env } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: code as number | null, lastLine: `${stdout}${stderr}`.trimEnd().split('\n').at(-1) };
  };
  const told = expect.stringMatching(/espeak-ng, an optional package.*npm ci without --omit=optional/);
  const service = await run('speech-service/main.ts', ['--port', '0', '--data', data, '--json'], {});
  expect(service).toEqual({ code: 78, lastLine: told });
  const bot = await run('main.ts', [], {
    DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token',
    DATA_DIR: data,
    LOG_FORMAT: 'json',
    METRICS_PORT: 'off',
  });
  expect(bot).toEqual({ code: 78, lastLine: told });
  expect(JSON.parse(bot.lastLine ?? '')).toMatchObject({ level: 60, msg: told });
});
