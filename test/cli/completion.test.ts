import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { candidates, SHELLS } from '../../src/cli/actions/completion.ts';
import { createProgram } from '../../src/cli/program.ts';
import { voiceInside } from './inside.ts';
import { type Service, startService } from './service.ts';
import { voiceProgram } from './voice-program.ts';

const complete = (...words: string[]) =>
  candidates(createProgram('0'), words, ['work', 'home']).map(({ value }) => value);
const run = promisify(execFile);

describe('the candidates for a word', () => {
  test.each([
    [['vo'], ['voices']],
    [['c'], ['curl', 'config', 'credits', 'completion']],
    [['config', 'u'], ['use']],
    [
      ['config', 'use', ''],
      ['work', 'home'],
    ],
    [
      ['config', 'set', 'api'],
      ['api_key', 'api_url'],
    ],
    [['tts', '--env', 'w'], ['work']],
    [
      ['tts', '-f', ''],
      ['wav', 'mp3'],
    ],
    [
      ['tts', 'Hello', '-m', 'g'],
      ['gpro', 'gpro31', 'gpro38', 'grok'],
    ],
    [['voices', '--l'], ['--language']],
    [['completion', ''], [...SHELLS]],
    [['tts', 'some te'], []],
    [['tts', '-o', 'fi'], []],
  ])('%j → %j', (words, expected) => {
    expect(complete(...words)).toEqual(expected);
  });

  test('every flag of a command is offered, and no hidden command', () => {
    expect(complete('tts', '--')).toEqual(
      expect.arrayContaining(['--voice', '--voice-id', '--temperature', '--json', '--env']),
    );
    expect(complete('')).not.toContain('__complete');
  });
});

describe('the names of voices', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  test('are those of the service, of the model where one is given', async () => {
    const voice = await voiceInside(await service.env());
    const complete = async (...words: string[]) =>
      (await voice.run(['__complete', '--', ...words])).stdout.trim().split('\n');
    expect(await complete('tts', 'Hello', '-v', 'ar')).toEqual([expect.stringMatching(/^aria\t.*gpro/)]);
    expect(await complete('curl', '-m', 'grok', '--voice', 'as')).toEqual(['ash\text']);
  });

  test('are shown and written as JSON without what would steer a terminal', async () => {
    const name = 'an\u009b31mna\u202e\u001b]0;x\u0007\nb';
    const voices = [{ id: 'v', name, model: 'gpro', language: 'en', formats: ['wav'] }];
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: voices }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const VOICE_API_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const voice = await voiceInside({ VOICE_API_URL, VOICE_API_KEY: 'k' });
    expect((await voice.run(['__complete', '--', 'tts', '-v', 'a'])).stdout).toBe('an31mna]0;x b\tgpro\n');
    const { stdout } = await voice.run(['voices', '--json']);
    expect(stdout).toMatch(/^[\n -~]+$/);
    expect(JSON.parse(stdout)).toMatchObject([{ name }]);
  });

  test('are none without an answer, and that is no error', async () => {
    const voice = await voiceInside({ VOICE_API_URL: 'http://127.0.0.1:9', VOICE_API_KEY: 'k' });
    const ended = await voice.run(['__complete', '--', 'tts', '-v', 'a']);
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });
});

describe('the script for bash', () => {
  test('completes in a real bash, spaces and environments included', async () => {
    const voice = await voiceProgram();
    await voice.run(['config', 'add', 'work']);
    const script = `
      eval "$(voice completion bash)"
      try() { COMP_WORDS=(voice "$@"); COMP_CWORD=$#; _voice_complete; echo "\${COMPREPLY[*]}"; }
      try vo; try tts --form; try tts "two words" --env ""; try tts "a text"`;
    const { stdout } = await run('bash', ['--norc', '-c', script], { env: { PATH: voice.path, HOME: voice.home } });
    expect(stdout).toBe('voices\n--format\nwork\n\n');
  });

  test('quotes what a name has for the shell: nothing of it is run', async () => {
    const voice = await voiceProgram();
    const script = `
      eval "$(voice completion bash)"
      voice() { echo 'anna$(touch ran) \`touch ran\`; "x'; }
      COMP_WORDS=(voice tts -v an); COMP_CWORD=3; _voice_complete; echo "\${COMPREPLY[0]}"`;
    const { stdout } = await run('bash', ['--norc', '-c', script], { env: { PATH: voice.path, HOME: voice.home } });
    expect(stdout).toBe('anna\\$\\(touch\\ ran\\)\\ \\`touch\\ ran\\`\\;\\ \\"x\n');
  });
});

/** Only what zsh itself would bring is replaced: where its completion hands over the candidates, they are printed. */
const IN_ZSH = `
  compdef() { :; }
  source <(voice completion zsh)
  compadd() { print -r -- $values; }
  _files() { print -rl -- *; }
  try() { words=(voice "$@"); CURRENT=$#words; _voice; }`;
const IN_FISH = `
  voice completion fish | source
  function try; complete -C "voice $argv" | cut -f 1; end`;

describe.each([
  ['zsh', ['-f', '-c'], IN_ZSH, "try tts 'two words' --env ''; try tts --file ''"],
  ['fish', ['--no-config', '-c'], IN_FISH, "try 'tts \\'two words\\' --env '; try 'tts --file '"],
] as const)('the script for %s', (shell, flags, before, quoted) => {
  test('completes in the shell itself, environments and files included', async ({ skip }) => {
    const voice = await voiceProgram();
    await voice.run(['config', 'add', 'work']);
    await writeFile(join(voice.home, 'chapter.txt'), '');
    const options = { env: { PATH: voice.path, HOME: voice.home, TERM: 'dumb' }, cwd: voice.home };
    const script = `${before}\ntry vo; try tts --form; ${quoted}`;
    const { stdout } = await run(shell, [...flags, script], options).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || process.env.CI === 'true') throw error;
      return skip(`${shell} is not installed`);
    });
    expect(stdout.trim().split('\n')).toEqual(['voices', '--format', 'work', 'chapter.txt']);
  });
});
