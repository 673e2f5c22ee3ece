import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MPEGDecoder } from 'mpg123-decoder';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { tagWarnings } from '../../src/cli/speech/speak-parts.ts';
import { readAudio } from '../../src/sound/audio-file.ts';
import { type Service, startService } from './service.ts';
import { voiceProgram } from './voice-program.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());
afterEach(() =>
  service.faults({ unavailable: 0, latencyMs: 0, cutAudio: 0, dropAfterBilling: 0, quota: 0, serverError: 0 }),
);

const ARIA = ['-v', 'aria', '-m', 'gpro'];
const sentences = (count: number) =>
  Array.from({ length: count }, (_, index) => `This is sentence number ${index + 1} of a text that is too long.`).join(
    ' ',
  );

/** A player that records its arguments and input, on a PATH without another player. */
function fakePlayer(home: string, name = 'mpv', script = 'cp "$last" "$HOME/played"'): Record<string, string> {
  const folder = join(home, 'players');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\nfor last in "$@"; do :; done\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  for (const tool of ['cp', 'sleep', 'sh', 'env', 'node']) {
    const target = tool === 'node' ? process.execPath : `/bin/${tool}`;
    if (!existsSync(join(folder, tool)))
      writeFileSync(join(folder, tool), `#!/bin/sh\nexec ${target} "$@"\n`, { mode: 0o755 });
  }
  return { PATH: folder };
}

/** Mono samples, -1 to 1; an MP3 frame that is not whole is an error. */
async function decode(file: Uint8Array, format: 'wav' | 'mp3'): Promise<Float32Array> {
  if (format === 'wav') {
    const samples = new Int16Array(Uint8Array.from(wavOf(file).data).buffer);
    return Float32Array.from(samples, (sample) => sample / 32_768);
  }
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, errors } = decoder.decode(file);
  decoder.free();
  expect(errors).toEqual([]);
  return channelData[0] ?? new Float32Array();
}

function wavOf(bytes: Uint8Array) {
  const file = readAudio(bytes);
  if (file.format !== 'wav') throw new Error(`This is ${file.format}`);
  return { format: file.wav.format, data: Buffer.concat(file.wav.pieces) };
}

describe('voice tts -o FILE', () => {
  test('saves, infers the format from the ending, and tells in one line of JSON what was made', async () => {
    const voice = voiceProgram(await service.env());
    const { code, stdout, stderr } = await voice.run([
      'tts',
      'Hello there',
      '-v',
      'aria',
      '-m',
      'grok',
      '-o',
      'hello.mp3',
      '--json',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
    const told = JSON.parse(stdout);
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
    const voice = voiceProgram(await service.env());
    writeFileSync(join(voice.home, 'text.txt'), '\ufeffFrom a file.\n\n');
    const gemini = ['--style', 'softly', '--seed', '7', '--temperature', '0.5'];
    const file = await voice.run(['tts', '--file', 'text.txt', ...ARIA, ...gemini, '-o', 'a.wav', '--json']);
    expect(JSON.parse(file.stdout)).toMatchObject({
      format: 'wav',
      credits_used: 'From a file.'.length + 'softly'.length + 4,
    });
    const id = '5cd82fdc-1f33-59c3-b042-7d42b0c56168';
    const pipe = await voice.run(['tts', '--voice-id', id, '--speed', '1.2', '-f', 'wav', '-o', 'b', '--json'], {
      input: 'Piped.\n',
    });
    expect(JSON.parse(pipe.stdout)).toMatchObject({ voice: 'aria', model: 'ext', format: 'wav', credits_used: 6 });
    expect((await voice.run(['tts', '-', ...ARIA, '-o', 'c.wav'], { input: 'Dash' })).code).toBe(0);
    expect(wavOf(readFileSync(join(voice.home, 'c.wav'))).format.sampleRateHz).toBe(24_000);
  });

  test('takes a voice that makes the wanted format where none is named', async () => {
    const voice = voiceProgram(await service.env());
    expect(await voice.run(['tts', 'Hello', '-o', 'hello.mp3'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Voice: aria \(ext\); .*\nSaved .* of MP3 /),
    });
    expect((await voice.run(['tts', 'Hello', '-o', 'hello.wav'])).stderr).toMatch(/^Voice: aria \(gpro\);/);
  });

  test('writes audio alone to stdout with -o -, everything else to stderr', async () => {
    const voice = voiceProgram(await service.env());
    const { code, bytes, stderr } = await voice.run(['tts', 'Hello', ...ARIA, '-o', '-', '--json']);
    expect(code).toBe(0);
    expect(wavOf(bytes).data.length + 44).toBe(bytes.length);
    expect(JSON.parse(stderr)).toMatchObject({ bytes: bytes.length, file: null });
  });

  test.each([
    [['-f', 'wav', '-o', 'x.mp3'], /does not match/],
    [['-o', 'x.ogg'], /WAV or MP3, not as ogg/],
    [['-o', 'x.mp3', ...ARIA], /only supports wav\.\nOther models make mp3: -m ext, -m orpheus\./],
    [
      ['--seed', '1.5', '--temperature', '9', '--speed', 'fast'],
      /seed.*\n.*temperature.*\n?.*speed|speed.*\n.*seed.*\n.*temperature/,
    ],
    [['--voice-id', 'x', '-v', 'aria'], /cannot be combined/],
    [['--voice-id', 'aria', '-o', 'x.wav'], /--voice-id "aria" is not a UUID\.\nvoice voices lists the ids/],
    [['--file', 'x', '-o', 'x.wav'], /not both/],
    [['-v', 'aria', '-o', 'x.wav'], /Several models.*\n.*-m ext, -m gpro, -m gpro31, -m gpro38/],
  ])('refuses %j before anything is spent', async (flags, message) => {
    const voice = voiceProgram(await service.env());
    const { code, stderr } = await voice.run(['tts', 'Hello', ...flags]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('does not overwrite a file without --force, nor write where there is no folder, nor take what is no text, and spends nothing then', async () => {
    const voice = voiceProgram(await service.env());
    const left = async () => JSON.parse((await voice.run(['credits', '--json'])).stdout).creditsLeft;
    const before = await left();
    writeFileSync(join(voice.home, 'there.wav'), 'mine');
    const refused = await voice.run(['tts', 'Hello', ...ARIA, '-o', 'there.wav']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(await voice.run(['tts', 'Hello', ...ARIA, '-o', 'no/where.wav'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no folder'),
    });
    for (const [which, name] of [
      [ARIA, 'speech.wav'],
      [[], 'speech.wav'],
      [['-m', 'orpheus'], 'speech.mp3'],
      [['-f', 'mp3'], 'speech.mp3'],
    ] as const) {
      expect(await voice.run(['tts', 'Hello', ...which, '-o', '.'])).toMatchObject({
        code: 2,
        stderr: `error: . is a folder.\nName a file in it: -o ${name}.\n`,
      });
    }
    expect(await voice.run(['tts', '--file', 'none.txt', ...ARIA, '-o', 'a.wav'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no file none.txt'),
    });
    writeFileSync(join(voice.home, 'latin.txt'), Buffer.from('Stra\xdfe', 'latin1'));
    expect(await voice.run(['tts', '--file', 'latin.txt', ...ARIA, '-o', 'a.wav'])).toMatchObject({
      code: 2,
      stderr: 'error: latin.txt is not UTF-8 text.\n',
    });
    expect(await voice.run(['tts', '--file', '.', ...ARIA, '-o', 'a.wav'])).toMatchObject({
      code: 2,
      stderr: 'error: . is a folder, not a file.\n',
    });
    expect(await left()).toBe(before);
    expect(readFileSync(join(voice.home, 'there.wav'), 'utf8')).toBe('mine');
    expect((await voice.run(['tts', 'Hello', ...ARIA, '-o', 'there.wav', '--force'])).code).toBe(0);
    expect(wavOf(readFileSync(join(voice.home, 'there.wav'))).data.length).toBeGreaterThan(1_000);
  });

  test('warns of tags that would be read aloud and of flags without effect', async () => {
    const voice = voiceProgram(await service.env());
    const { code, stderr } = await voice.run([
      'tts',
      'Well [longpause] yes',
      '-v',
      'aria',
      '-m',
      'ext',
      '--style',
      'x',
      '-o',
      'a.mp3',
    ]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/\[longpause\] is not a whole tag and will be read aloud\./);
    expect(stderr).toMatch(/--style is ignored: this voice \(model ext\)/);
  });

  test('warns once of all tags that are none', () => {
    const links = '[Commands](a) [Settings](b) [Settings](b) [Credits and limits](c) [Privacy](d)';
    expect(tagWarnings(`${links} <loud>`, 'ext')).toEqual([
      '[Commands], [Settings] and 3 others are not whole tags and will be read aloud.',
    ]);
  });
});

describe('a text over the limit', () => {
  test.each(['wav', 'mp3'] as const)(
    'becomes one %s file without a gap or a click, after saying what it takes',
    async (format) => {
      const voice = voiceProgram(await service.env());
      const text = sentences(25);
      const { code, stdout, stderr } = await voice.run(
        ['tts', ...ARIA.slice(0, 2), '-m', 'ext', '-o', `long.${format}`, '--json'],
        { input: text },
      );
      expect(code).toBe(0);
      const billed = Number(/takes 2 requests and ([\d,]+) billed characters/.exec(stderr)?.[1]?.replace(',', ''));
      const told = JSON.parse(stdout);
      // The space between two sentences is spoken by neither part.
      expect(billed).toBe(text.length - 1);
      expect(told).toMatchObject({ credits_used: billed, format });
      expect(told.parts).toHaveLength(2);
      const file = readFileSync(join(voice.home, `long.${format}`));
      const samples = await decode(file, format);
      expect(samples.length / 24_000).toBeCloseTo(told.seconds, 1);
      const first = new Uint8Array(await (await fetch(told.parts[0].url)).arrayBuffer());
      const joint = Math.round(readAudio(first).seconds * 24_000);
      const around = samples.slice(joint - 240, joint + 240);
      expect(around).toHaveLength(480);
      const steps = around.slice(1).map((sample, index) => Math.abs(sample - (around[index] ?? 0)));
      expect(Math.max(...steps)).toBeLessThan(0.02);
      let longestSilence = 0;
      for (let at = 0, since = 0; at < samples.length; at++) {
        if (Math.abs(samples[at] ?? 0) > 0.01) since = at;
        longestSilence = Math.max(longestSilence, at - since);
      }
      // The pause between two sentences of one part has 0.4 s.
      expect(longestSilence / 24_000).toBeLessThan(0.5);
    },
  );
});

describe('playing', () => {
  test('is what happens without -o and -p, in the format the system can play', async () => {
    const voice = voiceProgram(await service.env());
    const env = fakePlayer(voice.home, 'aplay');
    const { code, stderr } = await voice.run(['tts', 'Hello', '-v', 'aria', '-m', 'ext'], { env });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/Generated 0\.\d s of WAV; 5 credits used/),
    });
    expect(wavOf(readFileSync(join(voice.home, 'played'))).data.length).toBeGreaterThan(1_000);
  });

  test('goes with saving for -o with -p, and not for -o alone', async () => {
    const voice = voiceProgram(await service.env());
    const env = fakePlayer(voice.home);
    expect((await voice.run(['tts', 'Hello', ...ARIA, '-o', 'a.wav'], { env })).code).toBe(0);
    expect(existsSync(join(voice.home, 'played'))).toBe(false);
    expect((await voice.run(['tts', 'Hello', ...ARIA, '-o', 'b.wav', '-p'], { env })).code).toBe(0);
    expect(readFileSync(join(voice.home, 'played'))).toEqual(readFileSync(join(voice.home, 'b.wav')));
  });

  test('of a file takes WAV and MP3 whatever they are called, also from a pipe', async () => {
    const voice = voiceProgram(await service.env());
    const env = fakePlayer(voice.home);
    const { bytes } = await voice.run(['tts', 'Hello', '-v', 'aria', '-m', 'ext', '-o', '-']);
    writeFileSync(join(voice.home, '-odd name.bin'), bytes);
    expect((await voice.run(['play', '--', '-odd name.bin'], { env })).code).toBe(0);
    expect(readFileSync(join(voice.home, 'played'))).toEqual(bytes);
    expect((await voice.run(['play', '-'], { env, input: bytes })).code).toBe(0);
    writeFileSync(join(voice.home, 'text.wav'), 'RIFF, honestly');
    expect(await voice.run(['play', 'text.wav'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('neither WAV nor MP3'),
    });
    expect(await voice.run(['play', 'none.wav'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no file'),
    });
  });

  test('without a player is refused before anything is spent, in words', async () => {
    const voice = voiceProgram(await service.env());
    const env = fakePlayer(voice.home, 'not-a-player');
    const { code, stderr } = await voice.run(['tts', 'Hello', ...ARIA], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/No audio player was found.*\nInstall one/);
    const wrong = fakePlayer(voice.home, 'mpg123');
    expect((await voice.run(['tts', 'Hello', ...ARIA], { env: wrong })).stderr).toMatch(
      /No player for WAV.*only mpg123/,
    );
  });

  test('says so when the player fails', async () => {
    const voice = voiceProgram(await service.env());
    const env = fakePlayer(voice.home, 'mpv', 'echo "no sound card" >&2; exit 7');
    const { code, stderr } = await voice.run(['tts', 'Hello', ...ARIA], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/mpv ended with 7: no sound card/);
  });

  test('is no success where the player finds no audio device: the audio is saved', async () => {
    const voice = voiceProgram(await service.env());
    const env = fakePlayer(voice.home, 'ffplay', 'echo "No more combinations to try, audio open failed" >&2');
    const { code, stderr } = await voice.run(['tts', 'Hello', ...ARIA], { env });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'It could not be played and was saved to speech.wav: voice play speech.wav plays it without paying again.',
    );
    expect(wavOf(readFileSync(join(voice.home, 'speech.wav'))).data.length).toBeGreaterThan(1_000);
    expect(stderr).toMatch(/error: No audio device was found .*ffplay: .*audio open failed\)\.\n$/);
    expect(stderr).toMatch(/^Generated 0\.\d s of WAV; 5 credits used/m);
    expect(stderr).not.toContain('Spoke');
    const { code: saved, stderr: kept } = await voice.run(['tts', 'Hello', ...ARIA, '-o', 'a.wav', '--play'], { env });
    expect(saved).toBe(1);
    expect(kept).toMatch(/Saved .* to a\.wav[\s\S]+No audio device was found/);
    expect(kept).not.toContain('already spent');
    const told = await voice.run(['tts', 'Hello', ...ARIA, '--json'], { env });
    expect(JSON.parse(told.stdout)).toMatchObject({ file: 'speech-2.wav', credits_used: 5 });
  });
});

describe('trouble', () => {
  test.each(['...', '?! —', '*'])('a text without anything to say (%s) is refused before it is paid', async (text) => {
    const voice = voiceProgram(await service.env());
    const left = async () => (await voice.run(['credits'])).stdout;
    const before = await left();
    for (const command of ['tts', 'curl']) {
      const { code, stderr } = await voice.run([command, ...ARIA, '--', text]);
      expect(code).toBe(2);
      expect(stderr).toContain('There is nothing to say in that');
    }
    expect(await left()).toBe(before);
  });

  test.each<[string, Record<string, string>, number]>([
    ['not logged in', { VOICE_API_KEY: '' }, 3],
    ['a refused key', { VOICE_API_KEY: 'wrong' }, 3],
    ['no server at the address', { VOICE_API_URL: 'http://127.0.0.1:9' }, 5],
    ['no address', { VOICE_API_URL: '' }, 2],
    ['an address that is none', { VOICE_API_URL: 'nonsense' }, 2],
  ])('%s has its exit code, on stderr', async (_name, env, expected) => {
    const voice = voiceProgram({ ...(await service.env()), ...env });
    const { code, stdout, stderr } = await voice.run(['credits']);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    if (expected === 2 && env.VOICE_API_URL === '')
      expect(stderr).toMatch(/voice config set api_url URL.*VOICE_API_URL.*--api-url/);
  });

  test('--verbose shows attempts with their request ids, and never the key', async () => {
    const voice = voiceProgram(await service.env());
    await service.faults({ unavailable: 1, cutAudio: 1 });
    const { code, stderr } = await voice.run(['tts', 'Hello', ...ARIA, '-o', 'a.wav', '--verbose']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/attempt failed: .*attempt=1 .*code=provider_unavailable .*status=503 requestId=req_\w+/);
    expect(stderr).toMatch(/speech service answered: .*status=200 .*req_\w+/);
    expect(stderr).toMatch(/download attempt 1 failed/);
    expect(stderr).not.toContain(voice.env.VOICE_API_KEY);
  });

  test('of the service is told with its words and the request id', async () => {
    const voice = voiceProgram(await service.env());
    await service.faults({ quota: 1 });
    const quota = await voice.run(['tts', 'Hello', ...ARIA, '-o', 'a.wav']);
    expect(quota.code).toBe(5);
    expect(quota.stderr).toMatch(/provider_quota_exceeded, req_/);
    const unknown = await voice.run(['tts', 'Hello', '-v', 'arria', '-m', 'gpro', '-o', 'a.wav']);
    expect(unknown.code).toBe(2);
    expect((await voice.run(['tts', 'Hello', '-v', 'arria', '-o', 'a.wav'])).code).toBe(2);
    expect((await voice.run(['tts', 'Hello', '-m', 'gpor', '-o', 'a.wav'])).code).toBe(2);
    expect(unknown.stderr).toMatch(/no such voice.*req_.*\nDid you mean aria \(gpro\)/);
  });

  test('is none where a name or a model is only in another case', async () => {
    const voice = voiceProgram(await service.env());
    const spoken = await voice.run(['tts', 'Hello', '-v', 'ARIA', '-m', 'GPro', '-o', 'a.wav', '--json']);
    expect(spoken).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(spoken.stdout)).toMatchObject({ voice: 'aria', model: 'gpro', file: 'a.wav' });
  });

  test('no credits has its exit code, and the request id', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(402, { 'content-type': 'application/json', 'request-id': 'req_x_0123' });
      response.end('{"error":{"code":"insufficient_credits","type":"permission_error","message":"Top up."}}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const voice = voiceProgram({
      VOICE_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      VOICE_API_KEY: 'k',
    });
    const { code, stderr } = await voice.run(['tts', 'Hello', ...ARIA, '-o', 'a.wav']);
    expect(code).toBe(4);
    expect(stderr).toMatch(/not enough credits left\. The service says: Top up\. \(insufficient_credits, req_x_0123\)/);
  });

  /** The service behind a server that changes its answers: `change` gives what is put into one. */
  async function changedService(change: (method: string, url: string) => object | undefined) {
    const { VOICE_API_URL, VOICE_API_KEY } = await service.env();
    const sent: unknown[] = [];
    const server = createServer(async (asked, response) => {
      const { method = 'GET', url = '', headers } = asked;
      const { authorization = '', 'content-type': type = 'application/json' } = headers;
      const body = method === 'POST' ? await text(asked) : undefined;
      if (body !== undefined) sent.push(JSON.parse(body));
      const answer = await request(VOICE_API_URL + url, {
        method: method as 'GET' | 'POST',
        headers: { authorization, 'content-type': type },
        ...(body !== undefined && { body }),
      });
      const content = (await answer.body.json()) as object;
      const changed = { ...content, ...change(method, url) };
      response.writeHead('error' in changed ? 404 : answer.statusCode, { 'content-type': 'application/json' });
      response.end(JSON.stringify(changed));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { sent, voice: voiceProgram({ VOICE_API_URL: url, VOICE_API_KEY }) };
  }

  /** Known to the service. */
  const ARIA_ID = '5cd82fdc-1f33-59c3-b042-7d42b0c56168';
  const NOVA = { id: 'id-nova', name: 'nova', model: 'cloud', formats: ['wav'], supports_style: false };
  const ADAM = { ...NOVA, id: 'id-adam', name: 'am_adam', model: 'dear' };

  test.each([
    [ADAM, { spoken_by_voice: 'am_adam', spoken_by_model: 'dear' }, 'am_adam (dear)'],
    [NOVA, { spoken_by_voice: null, spoken_by_model: null }, 'another voice (id-adam)'],
  ])(
    'names the voice that spoke where the engine of the chosen one is down, as far as the list has it',
    async (listed, json, who) => {
      const { voice } = await changedService((method, url) => {
        if (method === 'POST') return { spoken_by: 'id-adam' };
        return url.endsWith('/voices') ? { data: [listed] } : undefined;
      });
      const { code, stdout, stderr } = await voice.run(['tts', 'Hello', ...ARIA, '-o', 'a.wav', '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ voice: 'aria', model: 'gpro', spoken_by: 'id-adam', ...json });
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: `warning: aria (gpro) was not available: ${who} spoke in its place.\n`,
      });
    },
  );

  test('leaves out, and does not count, a style that the service’s list says the voice does not take', async () => {
    const { voice, sent } = await changedService((method, url) => {
      if (method === 'POST') return undefined;
      if (url.endsWith('/models')) return { data: [{ id: 'cloud', max_input_length: 500 }] };
      return url.endsWith('/voices') ? { data: [{ ...NOVA, id: ARIA_ID }] } : undefined;
    });
    const text = sentences(12);
    const nova = ['-v', 'nova', '-m', 'cloud', '--style', 'slow', '-o', 'a.wav'];
    const { code, stderr } = await voice.run(['tts', ...nova], { input: text });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^warning: --style is ignored: this voice \(model cloud\) does not support it\.\nThe text .* 2 requests and ([\d,]+) billed/,
      ),
    });
    expect(stderr).toContain(`${text.length - 1} billed characters`);
    const part = { input: expect.any(String), voiceId: ARIA_ID, response_format: 'wav' };
    expect(sent).toEqual([part, part]);
  });

  test('a lost answer may have been billed: that is said, and not an exit code to repeat on', async () => {
    const voice = voiceProgram(await service.env());
    await service.faults({ dropAfterBilling: 1 });
    const { code, stderr } = await voice.run(['tts', 'Hello', ...ARIA, '-o', 'a.wav']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/lost before the service answered.*\n.*may have been billed/);
  });
});
