import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { selectVoices } from '../../src/cli/actions/voices.ts';
import type { Voice } from '../../src/speech/interface/schemas.ts';
import { serverThat } from '../loopback-server.ts';
import { startService } from './service.ts';
import { inShell, voiceProgram } from './voice-program.ts';

const service = await startService();
const voice = () => voiceProgram(service.env);

describe('in a pipe', () => {
  test('voices is an aligned table without colors, and nothing in it is shortened', async () => {
    const { stdout, stderr } = await voice().run('voices');
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    expect(rows).toHaveLength(18);
    expect(rows[0]).toMatch(/^aria +female, American +ext,gpro,gpro31,gpro38 +multiple +mp3,wav +no /);
    expect(heading).toMatch(/^NAME {2,}SOUND {2,}MODEL {2,}LANGUAGE {2,}FORMATS {2,}STYLE {2}VOICE ID$/);
    expect(rows.filter((row) => !/[0-9a-f]{8}-[0-9a-f-]{27}$/.test(row))).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with it
    expect(stdout).not.toMatch(/\u001b/);
    expect(stderr).toBe('');
  });

  test('voices lists the matching voices, as JSON too', async () => {
    const all: Voice[] = JSON.parse((await voice().run('voices --json')).stdout);
    expect(all).toHaveLength(46);
    expect(selectVoices(all, { model: 'GROK' })).toHaveLength(18);
    expect(selectVoices(all, { language: 'en-gb', model: 'orpheus' })).toHaveLength(2);
    expect(selectVoices(all, { search: 'male scottish', model: 'ext' })).toMatchObject([{ name: 'dorian' }]);
    const { stdout } = await voice().run('voices --model grok --search ash --json');
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'ash', model: 'ext' }]);
    const none = await voice().run('voices --model orpheus --search nobody');
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No voice fits.\n' });
  });

  test.each([
    ['--model nope --json', 2, /^error: No voice has a model "nope"\.\n.*gpro, .*orpheus/],
    ['--language Klingon', 2, /^error: "Klingon" is not a language\.\n.* such as German or de\. .* English/],
    ['--language sw', 0, /^No voice speaks Swahili\.\n$/],
  ])('voices %s ends with %i and says why', async (flags, code, stderr) => {
    const ended = await voice().run(`voices ${flags}`);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(stderr) });
  });

  const COMMANDS = ['voices --json', 'tts Hello -o a.wav', 'tts Hello -o a.wav -v Nova -m cloud'];
  test.each(COMMANDS)('a service without any voice is an outage: %s', async (command) => {
    const error = { code: 'voice_not_found', message: 'Unknown.', type: 'not_found_error', param: 'voice' };
    const VOICE_API_URL = await serverThat(({ method }, answer) =>
      method === 'GET' ? answer.end('{"data":[]}') : answer.writeHead(404).end(JSON.stringify({ error })),
    );
    const told = /error: The service has no voices at the moment: .*\.\nTry again later\.\n$/;
    const ended = await voiceProgram({ ...service.env, VOICE_API_URL }).run(command);
    expect(ended).toMatchObject({ code: 5, stdout: '', stderr: expect.stringMatching(told) });
  });

  test('credits, models and openapi are for people and for programs', async () => {
    const told = async (line: string) => (await voice().run(line)).stdout;
    expect(await told('credits')).toMatch(/^[\d,]+ credits left\n$/);
    expect(JSON.parse(await told('credits --json'))).toMatchObject({ credits_left: expect.any(Number) });
    expect(await told('models')).toMatch(/^gpro38 .* wav +1,000$/m);
    expect(JSON.parse(await told('models --json'))).toHaveLength(5);
    expect(JSON.parse(await told('openapi'))).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
  });

  test('a reader that has had enough is no error', async () => {
    const ended = await inShell(voice(), "bash -o pipefail -c 'voice voices | head -1'");
    expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(/^NAME/), stderr: '' });
  });
});

test.each([40, 120])('the table of voices fits into %i columns of a terminal, with whole ids', async (columns) => {
  const { screen } = await voice().inTerminal('voices --model orpheus', { columns, env: { NO_COLOR: '1' } });
  const lines = screen.trimEnd().split('\n');
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
  expect(screen).toContain('7973592a-43df-5c9d-90b3-bb55a494c625');
});
