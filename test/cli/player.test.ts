import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { playFile, withoutVoiceVariables } from '../../src/cli/actions/play.ts';
import { voiceProgram } from './voice-program.ts';

/** A player on its own in a folder, which runs a shell script. */
function fakePlayer(script: string) {
  const folder = voiceProgram().home;
  const path = join(folder, 'player');
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { folder, player: { name: 'player', path, formats: ['wav'], arguments: (file: string) => [file] } } as const;
}

const ODD_NAMES = ['12:30.wav', '|x.wav', '-x.wav'];
test.each(ODD_NAMES)('a player is given %s as a file, not as an address, a command or an option', async (name) => {
  const { folder, player } = fakePlayer('printf %s "$1" >"$(dirname "$0")/given"');
  await playFile(player, join('.', name), new AbortController().signal);
  expect(readFileSync(join(folder, 'given'), 'utf8')).toBe(join(process.cwd(), name));
});

test.each([
  ["ALSA lib confmisc.c:855:(parse_card) cannot find card '0'", 'No more combinations to try, audio open failed'],
  ['[0x55] main audio output error: no suitable audio output module'],
])('a player that finds no audio device has played nothing, even if it ends with 0: %s', async (...complaint) => {
  const { player } = fakePlayer(`cat >&2 <<'END'\n${complaint.join('\n')}\nEND`);
  const played = playFile(player, 'x.wav', new AbortController().signal);
  await expect(played).rejects.toThrow(`No audio device was found on this system (player: ${complaint.at(-1)}).`);
});

test('a player that complains of other things and ends with 0 has played', async () => {
  const { player } = fakePlayer('echo "ALSA lib pcm.c: Unknown PCM surround" >&2');
  await playFile(player, 'x.wav', new AbortController().signal);
});

test('programs that the command line starts get no VOICE_ variable: a player, and a library that opens the browser', async () => {
  const { folder, player } = fakePlayer('env >"$(dirname "$0")/of-player"');
  vi.stubEnv('VOICE_API_KEY', 'secret');
  vi.stubEnv('VOICE_OTHER', 'secret');
  vi.stubEnv('PULSE_SERVER', 'kept');
  await playFile(player, 'x.wav', new AbortController().signal);
  const seen = await withoutVoiceVariables(async () => Object.keys(process.env).join());
  expect(process.env.VOICE_API_KEY).toBe('secret');
  expect(seen).not.toContain('VOICE_');

  const text = readFileSync(join(folder, 'of-player'), 'utf8');
  expect(text).toMatch(/^PATH=/m);
  expect(text).not.toMatch(/^VOICE_/m);
  expect(text).toContain('PULSE_SERVER=kept');
});
