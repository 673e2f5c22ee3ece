import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProgram, run } from '../../src/cli/program.ts';
import { EXIT } from '../../src/cli/terminal/exit.ts';

/* A request is under way when the signal comes. */

test.each([
  ['SIGTERM', EXIT.terminated, ['voices']],
  ['SIGTERM', EXIT.terminated, ['credits']],
  ['SIGTERM', EXIT.terminated, ['models']],
  ['SIGTERM', EXIT.terminated, ['openapi']],
  ['SIGTERM', EXIT.terminated, ['tts', 'Hello', '-o', 'never.wav']],
  ['SIGTERM', EXIT.terminated, ['curl', 'Hello']],
  ['SIGINT', EXIT.interrupted, ['voices']],
] as const)('%s ends with %i: %j', async (signal, code, args) => {
  const server = createServer(() => process.emit(signal, signal)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const home = mkdtempSync(join(tmpdir(), 'voice-interrupt-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  vi.stubEnv('HOME', home);
  vi.stubEnv('VOICE_API_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('VOICE_API_KEY', 'a-key');
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(await run(createProgram('0'), args)).toBe(code);
  expect(stderr).not.toHaveBeenCalled();
});
