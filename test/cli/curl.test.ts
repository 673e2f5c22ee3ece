import { describe, expect, test } from 'vitest';
import { curlCommand } from '../../src/cli/actions/curl.ts';
import { KEY, startService } from './service.ts';
import { inShell, voiceProgram } from './voice-program.ts';

const service = await startService();

/** The answer to a command that is pasted into a shell. */
const answerTo = async (...pasted: Parameters<typeof inShell>) => JSON.parse((await inShell(...pasted)).stdout);

const HARD = `It's "quoted", costs $5 and \`more\`,\nis $(not run) — 😀 \\ back\\n, %s & !! end'`;

describe('voice curl', () => {
  test('prints what sh runs as it was meant, with --oneline on one line', async () => {
    const voice = voiceProgram(service.env);
    const curl = (...flags: string[]) =>
      voice.run(['curl', ...flags, '-v', 'aria', '-m', 'gpro', '--style', "it's $HOME", '--', HARD]);
    const { code, stdout } = await curl();
    expect(code).toBe(0);
    expect(stdout).not.toContain(voice.env.VOICE_API_KEY);
    expect(stdout).toContain(`$(voice key --api-url ${service.url}/)`);
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    expect((await curl('--oneline')).stdout).toBe(stdout.replaceAll(' \\\n  ', ' '));
    const { usage } = await answerTo(voice, stdout);
    expect(usage.input_characters).toBe(HARD.length + "it's $HOME".length + 4);
  });

  test('asks for the key of the environment that was chosen, by a flag or in the file, and is used after another was', async () => {
    const voice = voiceProgram();
    const config = (line: string, input = '') => voice.run(`config ${line}`, { input });
    await config(`add work --api-url ${service.url}`);
    await config('set api_key --env work', KEY);
    await config('set api_key', 'a-key-of-another-service');
    const asksForIt = `$(voice key --env work --api-url ${service.url}/)`;
    const { stdout } = await voice.run('curl Hello --env work --voice-id 6ec386ca-4dd3-5ee5-925a-f3555b572acf');
    expect(stdout).toContain(asksForIt);
    expect(await answerTo(voice, stdout, { VOICE_API_KEY: 'another' })).toMatchObject({ credits_used: 5 });
    await config('use work');
    const curl = 'curl Hello -v aria -m gpro';
    const chosen = (await voice.run(curl)).stdout;
    const { stdout: own } = await voice.run(curl, { env: { VOICE_API_KEY: 'mine' } });
    expect(own).toContain(`$(voice key --api-url ${service.url}/)`);
    await config('use --none');
    expect(chosen).toContain(asksForIt);
    expect(await answerTo(voice, chosen)).toMatchObject({ credits_used: 5 });
  });

  test('sends the same as voice tts: aliases resolved, parameters without effect left out', async () => {
    const voice = voiceProgram(service.env);
    const line = 'curl - -v ash -m grok -f wav --speed 1.5 --seed 3';
    const { stdout, stderr } = await voice.run(line, { input: 'Hi\n' });
    expect(stdout).toContain('{"input":"Hi","voice":"ash","model":"ext","speed":1.5,"response_format":"wav"}');
    expect(stderr).toMatch(/--seed is ignored/);
  });

  test('keeps an odd prefix and an odd address in their quotes', () => {
    const baseUrl = new URL("https://a.example/it's");
    const command = curlCommand({ baseUrl, prefix: 'To$ken"`', env: 'a b', body: {}, isOneLine: true });
    expect(command).toContain(String.raw`'https://a.example/it'\''s/api/v1/speech'`);
    expect(command).toContain(String.raw`"Authorization: To\$ken\"\` $(voice key --env 'a b' --api-url `);
  });
});
