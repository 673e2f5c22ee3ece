import { describe, expect, test } from 'vitest';
import { voiceProgram, withSettings } from './voice-program.ts';

describe('a key over plain http://', () => {
  const KEY = { VOICE_API_KEY: 'the-key' };

  const SENDING = ['credits', 'tts Hello -o a.wav', 'curl Hello -v aria -m gpro', 'login --no-browser --with-key'];
  test.each(SENDING)('is not sent to another machine: %s', async (line) => {
    const refused = /192\.0\.2\.1:8640 is reached over plain http:\/\/.*--allow-http, or VOICE_ALLOW_HTTP=192/s;
    const ended = await voiceProgram(KEY).run(`${line} --api-url http://192.0.2.1:8640`, { input: 'the-key\n' });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(refused) });
  });

  test.each([
    ['http://speech.lan --allow-http', '', 0],
    ['http://speech.lan:80', 'a.lan, speech.lan', 0],
    ['http://speech.lan.evil.example', 'speech.lan', 2],
    ['http://localhost:1', '', 0],
    ['http://[::1]:1', '', 0],
    ['http://127.0.0.1.evil.example', '', 2],
  ])('goes to this machine and where that is allowed: %s with %j ends with %i', async (url, allowed, code) => {
    const env = { ...KEY, VOICE_ALLOW_HTTP: allowed };
    expect((await voiceProgram(env).run(`curl Hello -v aria -m gpro --api-url ${url}`)).code).toBe(code);
  });
});

describe.each(['__proto__', 'constructor'])('an environment %s', (name) => {
  test.each(['', '[env.other]\napi_key = "other"\n'])('is one like any other, after %j', async (text) => {
    const { voice } = withSettings(text);
    const run = async (line: string) => {
      const { code, stdout, stderr } = await voice.run(line);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    await run(`config set api_key secret --env ${name}`);
    expect(({} as Record<string, unknown>).api_key).toBeUndefined();
    await run(`config set api_url https://a.example --env ${name}`);
    expect(await run(`key --env ${name}`)).toBe('secret');
    await run(`config use ${name}`);
    expect(await run('key')).toBe('secret');
    expect(await run('config list')).toMatch(new RegExp(`^\\* +${name} `, 'm'));
    await run(`config rm ${name} --force`);
    if (text !== '') expect(await run('key --env other')).toBe('other');
    const none = await voice.run(`key --env ${name}`);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining(`There is no environment "${name}"`) });
    expect((await voice.run(`config rm ${name} --force`)).code).toBe(2);
  });
});
