import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { screen } from './screen.ts';
import { KEY, type Service, startService } from './service.ts';
import { voiceProgram } from './voice-program.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
afterEach(() => service.faults({ latencyMs: 0, audioLatencyMs: 0, contentPolicy: 0, unavailable: 0 }));

const ARIA = ['-v', 'aria', '-m', 'gpro'];
const LONG = Array.from({ length: 40 }, (_, index) => `This is sentence number ${index} of a long text.`).join(' ');
const ESCAPE = '\u001b';

describe('on a terminal', () => {
  test('shows progress on one line that is gone in the end', async () => {
    const voice = voiceProgram(await service.env());
    await service.faults({ latencyMs: 300 });
    const { code, raw, screen: seen } = await voice.inTerminal(['tts', 'Hello', ...ARIA, '-o', 'a.wav']);
    expect(code).toBe(0);
    expect(raw).toMatch(/\r.*Generating speech … \d\.\d s.*\r.*Generating speech … \d\.\d s/s);
    expect(seen).toMatch(/^Saved 0\.\d s of WAV to a\.wav; 5 credits used, [\d,]+ left\.\n$/);
  });

  test('shows nothing that moves, and no colors, in a dumb terminal', async () => {
    const voice = voiceProgram(await service.env());
    const { raw } = await voice.inTerminal(['tts', 'Hello', ...ARIA, '-o', 'a.wav'], { env: { TERM: 'dumb' } });
    expect(raw).not.toContain(ESCAPE);
    expect(raw).toMatch(/^Saved /);
  });

  test('NO_COLOR is honored', async () => {
    const voice = voiceProgram(await service.env());
    const { raw } = await voice.inTerminal(['voices'], { env: { NO_COLOR: '1' } });
    expect(raw).not.toContain(ESCAPE);
  });

  test('asks before overwriting: no leaves the file, yes replaces it', async () => {
    const voice = voiceProgram(await service.env());
    const file = join(voice.home, 'a.wav');
    writeFileSync(file, 'mine');
    const asked = (answer: string) =>
      voice.inTerminal(['tts', 'Hello', ...ARIA, '-o', 'a.wav'], { steps: [[/Overwrite it\? \[y\/N\] /, answer]] });
    const no = await asked('\r');
    expect(no.code).toBe(1);
    expect(no.screen).toMatch(/^a\.wav already exists\. Overwrite it\? \[y\/N\]\s+error: Nothing was spoken\.\n$/);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await asked('y\r')).code).toBe(0);
    expect(readFileSync(file).subarray(0, 4).toString()).toBe('RIFF');
  });

  test('will not have sound written on it', async () => {
    const voice = voiceProgram(await service.env());
    const { code, screen: seen } = await voice.inTerminal(['tts', 'Hello', ...ARIA, '-o', '-']);
    expect(code).toBe(2);
    expect(seen).toMatch(/send it into a pipe/);
  });
});

describe('Ctrl-C', () => {
  test('stops cleanly, says what was already spent, and leaves what that has made in a file of its own', async () => {
    const voice = voiceProgram(await service.env());
    writeFileSync(join(voice.home, 'long.txt'), LONG);
    const { code, screen: seen } = await voice.inTerminal(['tts', '--file', 'long.txt', ...ARIA, '-o', 'a.wav'], {
      steps: [
        [/it takes 2 requests/, () => service.faults({ latencyMs: 700 })],
        // Shown a few times: by then the request is under way.
        [/(?:part 2 of 2[\s\S]*?){4}/, '\u0003'],
      ],
    });
    expect(code).toBe(130);
    expect(seen).toMatch(
      /Stopped\.\nwarning: [\d,]+ credits were already spent on 1 of 2 requests\. The audio of the first part is in a-part\.wav\.\n/,
    );
    expect(seen).toMatch(/in progress may have been billed as well/);
    expect(readdirSync(voice.home)).toEqual(['a-part.wav', 'long.txt']);
    expect(readFileSync(join(voice.home, 'a-part.wav')).subarray(0, 4).toString()).toBe('RIFF');
  });

  test('at a question ends the program before anything is spent', async () => {
    const voice = voiceProgram(await service.env());
    writeFileSync(join(voice.home, 'a.wav'), 'mine');
    const { code } = await voice.inTerminal(['tts', 'Hello', ...ARIA, '-o', 'a.wav'], {
      steps: [[/\[y\/N\] /, '\u0003']],
    });
    expect(code).toBe(130);
    expect(readFileSync(join(voice.home, 'a.wav'), 'utf8')).toBe('mine');
  });

  test('ends the player too', async () => {
    const voice = voiceProgram(await service.env());
    const player = join(voice.home, 'afplay');
    const script = [
      '#!/bin/sh',
      'trap \'echo ended > "$HOME/ended"; exit 1\' INT TERM',
      'touch "$HOME/playing"',
      'sleep 9 & wait',
      '',
    ];
    writeFileSync(player, script.join('\n'), { mode: 0o755 });
    const { code } = await voice.inTerminal(['tts', 'Hello', ...ARIA], {
      env: { PATH: `${voice.home}:${voice.path}` },
      steps: [
        [/Playing/, () => expect.poll(() => existsSync(join(voice.home, 'playing'))).toBe(true)],
        [/^/, '\u0003'],
      ],
    });
    expect(code).toBe(130);
    expect(existsSync(join(voice.home, 'ended'))).toBe(true);
  });
});

test('a failure in the middle tells what was spent, where that is, and why', async () => {
  const voice = voiceProgram(await service.env());
  writeFileSync(join(voice.home, 'long.txt'), LONG);
  await service.faults({ audioLatencyMs: 600 });
  const { code, screen: seen } = await voice.inTerminal(
    ['tts', '--file', 'long.txt', ...ARIA, '-o', 'a.wav', '--verbose'],
    {
      steps: [[/path=\/api\/v1\/speech .*status=200/, () => service.faults({ contentPolicy: 1, audioLatencyMs: 0 })]],
    },
  );
  expect(code).toBe(1);
  expect(seen).toMatch(/already spent on 1 of 2 requests\. The audio of the first part is in a-part\.wav\./);
  expect(seen).toMatch(/error: The service rejected this text.*content_policy_violation, req_/s);
  expect(existsSync(join(voice.home, 'a.wav'))).toBe(false);
});

describe('a key typed on a terminal', () => {
  test('is not shown, is tried, and is saved', async () => {
    const voice = voiceProgram();
    const { code, screen: seen } = await voice.inTerminal(['login', '--with-key', '--api-url', service.url], {
      steps: [[/API key \(not shown\): /, `${KEY}\r`]],
    });
    expect(code).toBe(0);
    expect(seen).not.toContain(KEY);
    expect(seen).toMatch(/Logged in to 127\.0\.0\.1:\d+: the key is saved in ~\/\.voice\/voice\.toml\.\n$/);
    expect((await voice.run(['key'])).stdout).toBe(KEY);
  });
});

test('the screen of these tests acts as a terminal does', () => {
  expect(screen(`one\r${ESCAPE}[2Ktwo\n${ESCAPE}[31mred${ESCAPE}[0m\b!\n`)).toBe('two\nre!\n');
});
