import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { tagWarnings } from '../../src/cli/speech/speak-parts.ts';
import { readAudio } from '../../src/sound/audio-file.ts';
import { serverThat } from '../loopback-server.ts';
import { ARIA, startService } from './service.ts';
import { voiceProgram } from './voice-program.ts';

const service = await startService();

const creditsLeft = () => service.ledger.account().creditsLeft;

/** A player that does this with the file it is given, on a PATH without another player. */
function fakePlayer(home: string, name = 'mpv', script = '/bin/cp "$last" "$HOME/played"'): Record<string, string> {
  const folder = join(home, 'players');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\nfor last in "$@"; do :; done\n${script}\n`, { mode: 0o755 });
  return { PATH: folder };
}

describe('voice tts -o FILE', () => {
  test('saves, infers the format from the ending, and tells in one line of JSON what was made', async () => {
    const voice = voiceProgram(service.env);
    const ended = await voice.run('tts "Hello there" -v aria -m grok -o hello.mp3 --json');
    expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^[^\n]+\n$/) });
    const told = JSON.parse(ended.stdout);
    const bytes = readFileSync(join(voice.home, 'hello.mp3'));
    expect(told).toMatchObject({
      voice: 'aria',
      model: 'ext',
      format: 'mp3',
      bytes: bytes.length,
      credits_used: 11,
      credits_remaining: expect.any(Number),
      request_id: expect.stringMatching(/^req_\w+_[0-9a-f]{32}$/),
      file: 'hello.mp3',
    });
    expect(told.url).toMatch(new RegExp(`^${service.audioUrl}/.+\\.mp3$`));
    expect(told.seconds).toBeCloseTo(readAudio(bytes).seconds, 2);
    expect(readdirSync(voice.home)).toEqual(['hello.mp3']);
  });

  test('takes all flags and the text from a file or a pipe', async () => {
    const voice = voiceProgram(service.env);
    writeFileSync(join(voice.home, 'text.txt'), '\ufeffFrom a file.\n\n');
    const directed = '--style softly --seed 7 --temperature 0.5';
    const file = await voice.run(`tts --file text.txt ${ARIA} ${directed} -o a.wav --json`);
    const length = 'From a file.'.length + 'softly'.length + 4;
    expect(JSON.parse(file.stdout)).toMatchObject({ format: 'wav', credits_used: length });
    const id = '5cd82fdc-1f33-59c3-b042-7d42b0c56168';
    const piped = { input: 'Piped.\n' };
    const pipe = await voice.run(`tts --voice-id ${id} --speed 1.2 -f wav -o b --json`, piped);
    expect(JSON.parse(pipe.stdout)).toMatchObject({ voice: 'aria', model: 'ext', format: 'wav', credits_used: 6 });
    expect((await voice.run(`tts - ${ARIA} -o c.wav`, piped)).code).toBe(0);
  });

  test('says which voice it takes where none is named', async () => {
    const { stderr } = await voiceProgram(service.env).run('tts Hello -o hello.mp3');
    expect(stderr).toMatch(/^Voice: aria \(ext\); .*\nSaved .* of MP3 /);
  });

  test('writes audio alone to stdout with -o -, everything else to stderr', async () => {
    const { code, bytes, stderr } = await voiceProgram(service.env).run(`tts Hello ${ARIA} -o - --json`);
    expect(code).toBe(0);
    expect(readAudio(bytes)).toMatchObject({ format: 'wav' });
    expect(JSON.parse(stderr)).toMatchObject({ bytes: bytes.length, file: null });
  });

  test.each([
    ['Hello -f wav -o x.mp3', /does not match/],
    ['Hello -o x.ogg', /WAV or MP3, not as ogg/],
    [`Hello -o x.mp3 ${ARIA}`, /only supports wav\.\nOther models make mp3: -m ext, -m orpheus\./],
    ['Hello --seed 1.5 --temperature 9 --speed fast', /--speed.*\n.*--temperature.*\n.*--seed/],
    ['Hello --voice-id x -v aria', /cannot be combined/],
    ['Hello --voice-id aria -o x.wav', /--voice-id "aria" is not a UUID\.\nvoice voices lists the ids/],
    [`Hello ${ARIA} -o there.wav`, /--force/],
    [`Hello ${ARIA} -o no/where.wav`, /There is no folder/],
    ['Hello -o .', /: \. is a folder\.\nName a file in it: -o speech\.wav\.\n$/],
    [`--file none.txt ${ARIA} -o a.wav`, /There is no file none\.txt/],
    [`--file latin.txt ${ARIA} -o a.wav`, /: latin\.txt is not UTF-8 text\.\n$/],
    [`${ARIA} -o a.wav -- "?! —"`, /There is nothing to say in that/],
  ])('refuses %s before anything is spent', async (line, message) => {
    const voice = voiceProgram(service.env);
    writeFileSync(join(voice.home, 'there.wav'), 'mine');
    writeFileSync(join(voice.home, 'latin.txt'), Buffer.from('Stra\xdfe', 'latin1'));
    const before = creditsLeft();
    expect(await voice.run(`tts ${line}`)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    expect(creditsLeft()).toBe(before);
    expect(readFileSync(join(voice.home, 'there.wav'), 'utf8')).toBe('mine');
  });

  test('warns of a tag that is none, once, and of a parameter that the voice ignores', async () => {
    const line = 'tts "Well [longpause] yes" -v aria -m ext --style x -o a.mp3';
    const { code, stderr } = await voiceProgram(service.env).run(line);
    expect(code).toBe(0);
    expect(stderr).toMatch(/\[longpause\] is not a whole tag and will be read aloud\./);
    expect(stderr).toMatch(/--style is ignored: this voice \(model ext\) .*: -m gpro, -m gpro31, -m gpro38\./);
    const links = '[Commands](a) [Settings](b) [Settings](b) [Credits and limits](c) [Privacy](d)';
    expect(tagWarnings(`${links} <loud>`, 'ext')).toEqual([
      '[Commands], [Settings] and 3 others are not whole tags and will be read aloud.',
    ]);
  });
});

test('a text over the limit becomes one file, after saying what it takes', async () => {
  const voice = voiceProgram(service.env);
  const sentence = (_: unknown, index: number) => `This is sentence number ${index + 1} of a text that is too long.`;
  const input = Array.from({ length: 12 }, sentence).join(' ');
  const { code, stdout, stderr } = await voice.run('tts -v ivy -m orpheus -o long.mp3 --json', { input });
  expect(code).toBe(0);
  const billed = Number(/takes 2 requests and ([\d,]+) billed characters/.exec(stderr)?.[1]?.replace(',', ''));
  const told = JSON.parse(stdout);
  // The space between two sentences is spoken by neither part.
  expect(billed).toBe(input.length - 1);
  expect(told).toMatchObject({ credits_used: billed, format: 'mp3', parts: [{}, {}] });
  expect(readAudio(readFileSync(join(voice.home, 'long.mp3'))).seconds).toBeCloseTo(told.seconds, 1);
});

describe('playing', () => {
  test('is what happens without -o and -p, in the format the system can play', async () => {
    const voice = voiceProgram(service.env);
    const env = fakePlayer(voice.home, 'aplay');
    expect(await voice.run('tts Hello -v aria -m ext', { env })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Generated 0\.\d s of WAV; 5 credits used/),
    });
    expect(readAudio(readFileSync(join(voice.home, 'played')))).toMatchObject({ format: 'wav' });
  });

  test('goes with saving for -o with -p, and not for -o alone', async () => {
    const voice = voiceProgram(service.env);
    const env = fakePlayer(voice.home);
    expect((await voice.run(`tts Hello ${ARIA} -o a.wav`, { env })).code).toBe(0);
    expect(existsSync(join(voice.home, 'played'))).toBe(false);
    expect((await voice.run(`tts Hello ${ARIA} -o a.wav -p --force`, { env })).code).toBe(0);
    expect(readFileSync(join(voice.home, 'played'))).toEqual(readFileSync(join(voice.home, 'a.wav')));
  });

  test('of a file takes WAV and MP3 whatever they are called, also from a pipe', async () => {
    const voice = voiceProgram(service.env);
    const env = fakePlayer(voice.home);
    const { bytes } = await voice.run('tts Hello -v aria -m ext -o -');
    writeFileSync(join(voice.home, '-odd name.bin'), bytes);
    expect((await voice.run('play -- "-odd name.bin"', { env })).code).toBe(0);
    expect(readFileSync(join(voice.home, 'played'))).toEqual(bytes);
    expect((await voice.run('play -', { env, input: bytes })).code).toBe(0);
    writeFileSync(join(voice.home, 'text.wav'), 'RIFF, honestly');
    for (const [file, problem] of [
      ['text.wav', 'neither WAV nor MP3'],
      ['none.wav', 'There is no file'],
    ] as const) {
      const ended = await voice.run(`play ${file}`, { env });
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
    }
  });

  test.each([
    ['not-a-player', /No audio player was found.*\nInstall one/],
    ['mpg123', /No player for WAV.*only mpg123/],
  ])('with %s alone is refused before anything is spent, in words', async (name, problem) => {
    const voice = voiceProgram(service.env);
    const before = creditsLeft();
    const ended = await voice.run(`tts Hello ${ARIA}`, { env: fakePlayer(voice.home, name) });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(problem) });
    expect(creditsLeft()).toBe(before);
  });

  test('says so when the player fails', async () => {
    const voice = voiceProgram(service.env);
    const env = fakePlayer(voice.home, 'mpv', 'echo "no sound card" >&2; exit 7');
    const { code, stderr } = await voice.run(`tts Hello ${ARIA}`, { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('mpv ended with 7: no sound card') });
  });

  test('is no success where the player finds no audio device: the audio is saved', async () => {
    const voice = voiceProgram(service.env);
    const env = fakePlayer(voice.home, 'ffplay', 'echo "No more combinations to try, audio open failed" >&2');
    const { code, stderr } = await voice.run(`tts Hello ${ARIA}`, { env });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'It could not be played and was saved to speech.wav: voice play speech.wav plays it without paying again.',
    );
    expect(readAudio(readFileSync(join(voice.home, 'speech.wav')))).toMatchObject({ format: 'wav' });
    expect(stderr).toMatch(/error: No audio device was found .*ffplay: .*audio open failed\)\.\n$/);
    expect(stderr).toMatch(/^Generated 0\.\d s of WAV; 5 credits used/m);
    const kept = await voice.run(`tts Hello ${ARIA} -o a.wav --play`, { env });
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringMatching(/Saved .* to a\.wav[\s\S]+No audio device/) });
    expect(kept.stderr).not.toContain('already spent');
    const told = await voice.run(`tts Hello ${ARIA} --json`, { env });
    expect(JSON.parse(told.stdout)).toMatchObject({ file: 'speech-2.wav', credits_used: 5 });
  });
});

describe('trouble', () => {
  test.each<[string, Record<string, string>, number, RegExp]>([
    ['not logged in', { VOICE_API_KEY: '' }, 3, /voice login saves one/],
    ['a refused key', { VOICE_API_KEY: 'wrong' }, 3, /accept the key[\s\S]*variable VOICE_API_KEY[\s\S]*unset it\.\n$/],
    ['another prefix than the service’s', { VOICE_AUTH_HEADER_PREFIX: 'Token' }, 3, /does not accept the key/],
    ['no server at the address', { VOICE_API_URL: 'http://127.0.0.1:9' }, 5, /could not be reached/],
    ['no address', { VOICE_API_URL: '' }, 2, /voice login --api-url URL.*VOICE_API_URL.*--api-url/],
  ])('%s has its exit code, on stderr', async (_name, env, code, stderr) => {
    const ended = await voiceProgram({ ...service.env, ...env }).run('credits');
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(stderr) });
  });

  test('--verbose shows attempts with their request ids, and never the key', async () => {
    const voice = voiceProgram(service.env);
    Object.assign(service.faults, { unavailable: 1, cutAudio: 1 });
    const { code, stderr } = await voice.run(`tts Hello ${ARIA} -o a.wav --verbose`);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /Speech service request failed: retrying if possible: .*attempt=1 .*code=provider_unavailable .*status=503 requestId=req_\w+/,
    );
    expect(stderr).toMatch(/Speech service answered: .*status=200 .*req_\w+/);
    expect(stderr).toMatch(/download attempt 1 failed/);
    expect(stderr).not.toContain(service.env.VOICE_API_KEY);
  });

  test('of the service is told with its words and the request id', async () => {
    const voice = voiceProgram(service.env);
    service.faults.quota = 1;
    const quota = await voice.run(`tts Hello ${ARIA} -o a.wav`);
    expect(quota).toMatchObject({ code: 5, stderr: expect.stringMatching(/provider_quota_exceeded, req_/) });
    const unknown = await voice.run('tts Hello -v arria -m gpro -o a.wav');
    const suggestion = /no such voice.*req_.*\nDid you mean aria \(gpro\)/;
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(suggestion) });
    expect((await voice.run('tts Hello -v arria -o a.wav')).code).toBe(2);
    expect((await voice.run('tts Hello -m gpor -o a.wav')).code).toBe(2);
  });

  const ADAM = { id: 'id-adam', name: 'am_adam', model: 'dear' };

  test.each([
    [[ADAM], { spoken_by_voice: 'am_adam', spoken_by_model: 'dear' }, 'am_adam (dear)'],
    [[], { spoken_by_voice: null, spoken_by_model: null }, 'another voice (id-adam)'],
  ])('names the voice that spoke instead, as far as the list has it: %j', async (data, json, who) => {
    const VOICE_API_URL = await serverThat(async (asked, response) => {
      const { method, url = '', headers } = asked;
      if (method === 'GET') return response.end(JSON.stringify({ data }));
      const sent = { method, headers: { authorization: headers.authorization ?? '' }, body: await text(asked) };
      const answer = (await (await fetch(service.url + url, sent)).json()) as object;
      return response.end(JSON.stringify({ ...answer, spoken_by: 'id-adam' }));
    });
    const voice = voiceProgram({ ...service.env, VOICE_API_URL });
    const { code, stdout, stderr } = await voice.run(`tts Hello ${ARIA} -o a.wav --json`);
    expect(JSON.parse(stdout)).toMatchObject({ voice: 'aria', model: 'gpro', spoken_by: 'id-adam', ...json });
    const told = `warning: aria (gpro) was not available: ${who} spoke in its place.\n`;
    expect({ code, stderr }).toEqual({ code: 0, stderr: told });
  });

  test('a lost answer may have been billed: that is said, and not an exit code to repeat on', async () => {
    service.faults.dropAfterBilling = 1;
    const { code, stderr } = await voiceProgram(service.env).run(`tts Hello ${ARIA} -o a.wav`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/lost before the service answered.*\n.*may have been billed/);
  });
});
