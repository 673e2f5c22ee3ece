import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../program-environment.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('without eSpeak NG neither the service nor a bot with the built-in voice starts, and both say what to install', async () => {
  const data = temporaryFolder();
  const hide = new URL('../without-package.mjs?espeak-ng', import.meta.url).href;
  const run = async (program: string, args: readonly string[], more: object) => {
    const path = join(import.meta.dirname, '..', '..', 'src', program);
    const env = { NODE_OPTIONS: `--import ${hide}`, ...more };
    const { code, stdout, stderr } = await runProgram([path, ...args], { env });
    return { code, lastLine: `${stdout}${stderr}`.trimEnd().split('\n').at(-1) };
  };
  const told = expect.stringMatching(/espeak-ng, an optional package.*npm ci without --omit=optional/);
  const service = await run('speech-service/main.ts', ['--port', '0', '--data', data, '--json'], {});
  expect(service).toEqual({ code: 78, lastLine: told });
  const token = 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token';
  const bot = await run('main.ts', [], { DISCORD_TOKEN: token, DATA_DIR: data, METRICS_PORT: 'off' });
  expect(bot).toEqual({ code: 78, lastLine: told });
});
