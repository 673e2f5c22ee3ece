import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
});

describe('the scripts for zsh and fish', () => {
  test.each([
    ['zsh', /^#compdef voice/, ['-n']],
    ['fish', /complete -c voice/, ['--no-execute']],
  ] as const)('%s: ask the program, and are good to the shell where there is one', async (shell, looks, check) => {
    const voice = await voiceInside();
    const { code, stdout } = await voice.run(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toMatch(looks);
    expect(stdout).toContain('voice __complete -- ');
    const child = run(shell, [...check, '/dev/stdin']);
    child.child.stdin?.on('error', () => undefined).end(stdout);
    const problem = await child.then(
      () => undefined,
      (error: NodeJS.ErrnoException & { stderr?: string }) => (error.code === 'ENOENT' ? 'absent' : error.stderr),
    );
    if (problem === 'absent') console.warn(`${shell} is not installed: its syntax was not checked`);
    else expect(problem).toBeUndefined();
  });
});
