import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { programEnv } from '../program-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('without eSpeak NG neither the service nor a bot with the built-in voice starts, and both say what to install', async () => {
  const data = temporaryFolder();
  const hide = new URL('../without-package.mjs?espeak-ng', import.meta.url).href;
  const run = async (program: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
    const path = join(import.meta.dirname, '..', '..', 'src', program);
    const child = spawn(process.execPath, [path, ...args], {
      env: { ...programEnv, NODE_OPTIONS: `--import ${hide}`, ...env },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: code as number | null, lastLine: `${stdout}${stderr}`.trimEnd().split('\n').at(-1) };
  };
  const told = expect.stringMatching(/espeak-ng, an optional package.*npm ci without --omit=optional/);
  const service = await run('speech-service/main.ts', ['--port', '0', '--data', data, '--json'], {});
  expect(service).toEqual({ code: 78, lastLine: told });
  const token = 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token';
  const bot = await run('main.ts', [], { DISCORD_TOKEN: token, DATA_DIR: data, METRICS_PORT: 'off' });
  expect(bot).toEqual({ code: 78, lastLine: told });
});
