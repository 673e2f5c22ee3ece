import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/terminal/terminal.ts';
import { serverThat } from '../loopback-server.ts';
import { voiceProgram } from './voice-program.ts';

/* A request is under way when the signal comes. */

test.each([
  ['SIGTERM', EXIT.terminated, 'voices'],
  ['SIGTERM', EXIT.terminated, 'tts Hello -o never.wav'],
  ['SIGINT', EXIT.interrupted, 'models'],
] as const)('%s ends with %i: %s', async (signal, code, line) => {
  const VOICE_API_URL = await serverThat(() => process.emit(signal, signal));
  const ended = await voiceProgram({ VOICE_API_URL, VOICE_API_KEY: 'a-key' }).run(line);
  expect(ended).toMatchObject({ code, stdout: '', stderr: '' });
});
