import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { playFile } from '../../src/cli/player.ts';

test.each(['12:30.wav', '|x.wav', '-x.wav'])(
  'a player is given %s as a file, not as an address, a command or an option',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'voice-player-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'player');
    writeFileSync(path, `#!/bin/sh\nprintf %s "$1" >${folder}/given\n`, { mode: 0o755 });
    const player = { name: 'player', path, formats: ['wav'], arguments: (file: string) => [file] } as const;
    const { signal } = new AbortController();
    await playFile(player, join('.', name), signal);
    expect(readFileSync(join(folder, 'given'), 'utf8')).toBe(join(process.cwd(), name));
  },
);
