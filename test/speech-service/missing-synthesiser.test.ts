import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { programEnv } from '../program-environment.ts';
import { send, temporaryFolder } from './running-service.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const KEY = 'a-key-given-by-the-environment';
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

test('without eSpeak NG the service runs, says what to install, refuses to speak with a 503 and bills nothing', async () => {
  const tree = await treeWithoutEspeak();
  const main = join(tree, 'src/speech-service/main.ts');
  const child = spawn(process.execPath, [main, '--port', '0', '--data', join(tree, 'data'), '--json'], {
    env: { ...programEnv, SPEECH_SERVICE_KEY: KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const died = once(child, 'close').then(() => Promise.reject(new Error(`The service ended at its start:\n${stderr}`)));
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), died]);
  died.catch(() => undefined);
  const { url } = JSON.parse(String(line)) as { url: string };
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };

  expect((await send('GET', `${url}/api/v1/voices`, headers)).status).toBe(200);
  const before = await send('GET', `${url}/api/v1/billing`, headers);
  const body = { input: 'Hello', voice: 'aria', model: 'gpro' };
  const reply = await send('POST', `${url}/api/v1/speech`, headers, body);
  expect(reply.status).toBe(503);
  expect(reply.body.error).toMatchObject({
    code: 'provider_unavailable',
    message: expect.stringContaining('espeak-ng'),
  });
  const after = await send('GET', `${url}/api/v1/billing`, headers);
  expect(after.body.creditsLeft).toBe(before.body.creditsLeft);

  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(stderr).toContain('npm install espeak-ng');
});
