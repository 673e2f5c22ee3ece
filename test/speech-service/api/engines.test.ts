import type { ServerResponse } from 'node:http';
import { request } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { allRules } from '../../../src/conformance/runner.ts';
import { createSpeechClient } from '../../../src/speech/client/client.ts';
import { parseEngines } from '../../../src/speech/engines/engines-file.ts';
import type { EngineEntry } from '../../../src/speech-service/api/engines.ts';
import { openEngines } from '../../../src/speech-service/open-engines.ts';
import type { SpeechServiceOptions } from '../../../src/speech-service/server.ts';
import { resultsOf, startEmbeddedSubject } from '../../conformance/embedded-subject.ts';
import { createToneEngine } from '../../end-to-end/tone-engine.ts';
import { silentLog, writtenLog } from '../../silent-log.ts';
import { peak, readWav } from '../measure-audio.ts';
import { type RunningService, runningService } from '../running-service.ts';
import {
  type OpenAiOptions,
  openAi,
  openAiServer,
  piperVoice,
  TONE,
  wyoming,
  wyomingServer,
} from '../synthesis/speaking-servers.ts';

const OFTEN = { whileUpMs: 50, whileDownMs: 50, askDeadlineMs: 5_000 };

const tones = await createToneEngine();

/** The engines of a file; in place of the embedded synthesizer, which takes its time, tones. */
function enginesOf(toml: string): EngineEntry[] {
  const read = parseEngines(toml);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const entries = openEngines(read.engines, 60_000);
  return entries.map((entry) => (entry.server === undefined ? { ...entry, engine: tones } : entry));
}

const serviceOf = (toml: string, more: Partial<SpeechServiceOptions> = {}) =>
  runningService({ engines: enginesOf(toml), askEnginesEveryMs: OFTEN, ...more });

const named = async (service: RunningService) => (await service.voices()).map(({ name, model }) => `${model}/${name}`);
const modelOf = async (service: RunningService, voiceId: string) =>
  (await service.voices()).find(({ id }) => id === voiceId)?.model;

const EMBEDDED = '[[engines]]\nname = "local"\nkind = "embedded"\n';
const PRICED = 'credits_per_character = 2\n';
const FALLBACK = 'fallback = "local"\n';

/** A server with one voice that answers texts so, with the embedded synthesizer beside it; and a text for its voice. */
async function withKokoro(
  answers: OpenAiOptions | OpenAiOptions['answer'],
  more: string,
  options?: Partial<SpeechServiceOptions>,
) {
  const given = typeof answers === 'function' ? { answer: answers } : answers;
  const kokoro = await openAiServer({ voices: ['af_heart'], ...given });
  return { kokoro, service: await serviceOf(`${openAi(kokoro.origin, more)}${EMBEDDED}`, options) };
}
const HELLO = { input: 'Hello', voice: 'af_heart', model: 'kokoro', response_format: 'wav' };

/** Speaks as the bot and the voice command do. */
async function clientOf(service: RunningService) {
  const speech = createSpeechClient({ baseUrl: service.url, apiKey: service.key, log: silentLog });
  onTestFinished(() => speech.close());
  const voiceId = (await service.voices()).find(({ name }) => name === 'af_heart')?.id ?? '';
  const asked = { input: 'Hello', voice: { kind: 'id', voiceId, model: 'kokoro' } } as const;
  return (signal?: AbortSignal) => speech.speak(asked, { signal });
}

describe('several engines', () => {
  test('speak side by side, each with its voices, languages and price', async () => {
    const kokoro = await openAiServer({ voices: { voices: [{ id: 'af_heart', name: 'Heart' }, { id: 'jf_alpha' }] } });
    const piper = await wyomingServer(undefined, [
      piperVoice('de_DE-thorsten-medium'),
      piperVoice('fr_FR-upmc', false),
    ]);
    const service = await serviceOf(
      `${openAi(kokoro.origin, 'style = true\ncredits_per_character = 2.5\n')}${wyoming(piper.url)}${EMBEDDED}`,
    );
    const voices = await service.voices();
    expect(voices.slice(0, 3)).toMatchObject([
      { name: 'af_heart', model: 'kokoro', language: 'en-US', languages: ['en'], gender: 'female', accent: 'American' },
      { name: 'jf_alpha', model: 'kokoro', language: 'ja', languages: ['ja'], formats: ['wav', 'mp3'] },
      // The one that Piper has not downloaded is not listed.
      { name: 'de_DE-thorsten-medium', model: 'piper', language: 'de-DE', languages: ['de'], supports_style: false },
    ]);
    expect(voices.filter(({ model }) => model === 'gpro')).toHaveLength(8);
    const models = (await service.call('GET', '/api/v1/models')).body.data;
    expect(models.slice(-2)).toMatchObject([{ id: 'kokoro', max_input_length: 1000 }, { id: 'piper' }]);

    const paid = await service.speak({ ...HELLO, speed: 1.25, style: 'calm' });
    // The style counts toward the text, as for any model that takes one: 5 + 4 + 4 characters, 2.5 credits each.
    expect(paid.body).toMatchObject({ usage: { model: 'crier-kokoro' }, credits_used: 33 });
    const { error } = (await service.speak({ ...HELLO, input: 'Привет' })).body;
    expect(error).toMatchObject({ code: 'unsupported_language', message: expect.stringContaining('Cyrillic') });
    expect(service.creditsSpent()).toBe(33);
    const german = await service.listen({ input: 'Hallo', voiceId: voices[2]?.id });
    expect(readWav(german).seconds).toBeCloseTo(0.5, 1);
    const local = await service.listen({ input: 'Hello', voice: 'aria', model: 'gpro' });
    expect(peak(readWav(local).samples)).toBeGreaterThan(0.05);
    // Each in its server's words, without the tables for the service's own voices, and only what its voice reads.
    expect(kokoro.asked.map(({ body }) => body)).toEqual([
      { model: 'tts-1', input: 'Hello', voice: 'af_heart', response_format: 'wav', speed: 1.25, instructions: 'calm' },
    ]);
    expect(piper.asked).toEqual([{ type: 'synthesize', text: 'Hallo', voice: { name: 'de_DE-thorsten-medium' } }]);
  });

  test('bill no style that the voice ignores, also where another one speaks that takes one', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const cloud = await openAiServer({ voices: ['nova'] });
    const service = await serviceOf(
      `${openAi(kokoro.origin, `${PRICED}fallback = "cloud"\n[[engines.voices]]\nname = "af_heart"\n`)}${openAi(cloud.origin, `style = true\n${PRICED}`, 'cloud')}`,
    );
    const long = { ...HELLO, input: 'x'.repeat(1_000), style: 'calm' };
    expect(await service.speak(long)).toMatchObject({ status: 200, body: { credits_used: 2_000 } });
    await kokoro.stop();
    expect(await service.speak(long)).toMatchObject({ status: 200, body: { credits_used: 2_000 } });
    for (const { asked } of [kokoro, cloud]) expect(asked[0]?.body).not.toHaveProperty('instructions');
  });

  test('have each voice once that a server lists twice, and none whose name is no name', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart', { id: 'jf_alpha' }, 'af_heart', 'x'.repeat(101)] });
    expect(await named(await serviceOf(openAi(kokoro.origin)))).toEqual(['kokoro/af_heart', 'kokoro/jf_alpha']);
  });

  test('have the voices of the file where it names some, and OpenAI’s where a server lists none', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart', 'am_adam'] });
    const voices = '[[engines.voices]]\nname = "Heart"\nserver_name = "af_heart"\nlanguages = ["en", "es"]\n';
    const cloud = await openAiServer();
    const service = await serviceOf(
      `${openAi(kokoro.origin, `languages = ["fr"]\n${voices}`)}${openAi(cloud.origin, 'languages = ["en_GB", "pt-BR"]\n', 'cloud')}`,
    );
    const [heart, ...others] = await service.voices();
    expect(heart).toMatchObject({ name: 'Heart', language: 'multiple', languages: ['en', 'es'] });
    const nova = others.find(({ name }) => name === 'nova');
    expect(nova).toMatchObject({ model: 'cloud', language: 'multiple', languages: ['en', 'pt'] });
    await service.listen({ ...HELLO, voice: 'Heart' });
    expect(kokoro.asked[0]?.body.voice).toBe('af_heart');
  });

  test('take their voices out of the list while they are down, and put them back by themselves', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const piper = await wyomingServer();
    const service = await serviceOf(`${openAi(kokoro.origin)}${wyoming(piper.url)}`);
    const both = ['kokoro/af_heart', 'piper/en_US-amy-low'];
    expect(await named(service)).toEqual(both);
    for (const [server, gone, left] of [
      [kokoro, HELLO, both.slice(1)],
      [piper, { input: 'Hello', voice: 'en_US-amy-low', model: 'piper' }, both.slice(0, 1)],
    ] as const) {
      await server.stop();
      await expect.poll(() => named(service)).toEqual(left);
      const refused = { status: 404, body: { error: { code: 'voice_not_found' } } };
      expect(await service.speak(gone)).toMatchObject(refused);
      await server.start();
      await expect.poll(() => named(service)).toEqual(both);
      expect((await service.speak(gone)).status).toBe(200);
    }
  });

  test('that are silent while they speak are busy, and down where they are silent without work', async () => {
    const work = Promise.withResolvers<ServerResponse>();
    let isSilent = false;
    const answers = {
      isSilent: () => isSilent,
      answer: (_: unknown, response: ServerResponse) => work.resolve(response),
    };
    const askEnginesEveryMs = { whileUpMs: 10, whileDownMs: 10, askDeadlineMs: 400 };
    const { kokoro, service } = await withKokoro(answers, '', { askEnginesEveryMs });
    await expect.poll(() => named(service)).toContain('kokoro/af_heart');
    const spoken = service.speak(HELLO);
    const response = await work.promise;
    isSilent = true;
    const before = kokoro.listAsked();
    await expect.poll(kokoro.listAsked, { interval: 5 }).toBeGreaterThanOrEqual(before + 3);
    expect(await named(service)).toContain('kokoro/af_heart');
    response.end(TONE);
    expect((await spoken).status).toBe(200);
    await expect.poll(() => named(service), { interval: 5 }).not.toContain('kokoro/af_heart');
    isSilent = false;
    await expect.poll(() => named(service)).toContain('kokoro/af_heart');
  });

  test('speak for one that is down where the settings say, in the language of its voice, at their own price', async () => {
    const kokoro = await openAiServer({ voices: ['ff_siwis'] });
    const piper = await wyomingServer(undefined, [piperVoice('en_US-amy-low'), piperVoice('fr_FR-upmc-medium')]);
    const service = await serviceOf(
      `${openAi(kokoro.origin, 'fallback = "piper"\ncredits_per_character = 5\n')}${wyoming(piper.url, 'credits_per_character = 1\n')}`,
    );
    const french = { input: 'Bonjour', voice: 'ff_siwis', model: 'kokoro' };
    const [siwis] = await service.voices();
    const own = await service.speak(french);
    expect(own.body.credits_used).toBe(35);
    expect(own.body).not.toHaveProperty('spoken_by');
    // Between two looks: the first text finds out, and costs what the one that speaks it costs.
    await kokoro.stop();
    const first = await service.speak(french);
    expect(first).toMatchObject({ status: 200, body: { credits_used: 7, usage: { model: 'crier-piper' } } });
    // It stays in the list; the answer says who spoke.
    const [still, , stand] = await service.voices();
    expect([still, stand?.name]).toEqual([siwis, 'fr_FR-upmc-medium']);
    expect(first.body.spoken_by).toBe(stand?.id);
    expect(piper.asked).toMatchObject([{ text: 'Bonjour', voice: { name: 'fr_FR-upmc-medium' } }]);
    expect(service.ledger.charges(2)).toMatchObject([
      { state: 'settled', amount: 7, model: 'piper' },
      { state: 'settled', amount: 35, model: 'kokoro' },
    ]);
    await kokoro.start();
    await expect.poll(async () => (await service.speak(french)).body.credits_used).toBe(35);
  });

  test('are spoken for, while they are down, by a voice that reads the text and makes their format', async () => {
    const kokoro = await openAiServer();
    await kokoro.stop();
    const names = ['af_heart', 'jf_alpha'];
    const voices = names.map((name) => `[[engines.voices]]\nname = "${name}"\n`).join('');
    const service = await serviceOf(`${openAi(kokoro.origin, `${FALLBACK}${voices}`)}${EMBEDDED}`);
    const aria = (await service.voices()).find(({ name }) => name === 'aria');
    for (const [at, input] of ['Hello', '今日は、元気ですか'].entries()) {
      const { body } = await service.speak({ input, voice: names[at], model: 'kokoro' });
      // ivy is English alone, and makes MP3 only.
      expect(body.spoken_by).toBe(aria?.id);
    }
  });

  test('that are all down end in one answer, which costs nothing', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const piper = await wyomingServer();
    const toml = `${openAi(kokoro.origin, 'fallback = "piper"\n')}${wyoming(piper.url, 'fallback = "kokoro"\n')}`;
    const service = await runningService({ engines: enginesOf(toml) });
    await Promise.all([kokoro.stop(), piper.stop()]);
    const unavailable = { status: 503, body: { error: { code: 'provider_unavailable' } } };
    expect(await service.speak(HELLO)).toMatchObject(unavailable);
    expect(service.creditsSpent()).toBe(0);
    expect(await named(service)).toEqual([]);
  });

  test.each<[string, string | undefined, string]>([
    ['whose quota is used up', undefined, '{"error":{"code":"insufficient_quota"}}'],
    ['that takes no more requests for a minute or longer', '60', 'Tomorrow'],
  ])('speak for one %s, and try it again with each text', async (_, wait, refusal) => {
    let isLeft = false;
    const { log, lines } = writtenLog('warn');
    const headers = wait === undefined ? {} : { 'retry-after': wait };
    const { kokoro, service } = await withKokoro(
      (_, response) => (isLeft ? response.writeHead(200).end(TONE) : response.writeHead(429, headers).end(refusal)),
      `${FALLBACK}${PRICED}`,
      { log },
    );
    const { status, body } = await service.speak(HELLO);
    expect({ status, used: body.credits_used }).toEqual({ status: 200, used: 0 });
    // Nobody who asks is told of it: the operator is.
    const message = expect.stringMatching(/quota|no more requests/);
    expect(lines).toMatchObject([{ engine: 'kokoro', err: { message } }]);
    expect(await modelOf(service, body.spoken_by)).toBe('ext');
    expect(service.creditsSpent()).toBe(0);
    isLeft = true;
    expect((await service.speak(HELLO)).body).not.toHaveProperty('spoken_by');
    expect(kokoro.asked).toHaveLength(2);
  });

  describe('speak for one that lists its voices and fails texts', () => {
    /** Its texts say how it answers them: `spoken`, `cut`, or a status, with an `s` behind it if it names the seconds to wait. The row says what became of each. */
    async function rowOf(...texts: readonly string[]) {
      let cutOff = () => {};
      const { kokoro, service } = await withKokoro(({ body }, response) => {
        const [word = ''] = String(body.input).split(' ');
        if (word === 'spoken') response.writeHead(200).end(TONE);
        else if (word === 'cut') {
          response.writeHead(200).write(TONE.subarray(0, 2_000));
          cutOff = () => response.destroy();
        } else if (word === 'policy') response.writeHead(400).end('{"error":{"code":"content_policy_violation"}}');
        else
          response
            .writeHead(Number.parseInt(word, 10), word.endsWith('s') ? { 'retry-after': '2' } : {})
            .end('No memory');
      }, `${FALLBACK}${PRICED}`);
      const speak = async (input: string) => {
        const { status, body } = await service.speak({ ...HELLO, input });
        cutOff();
        // So that its end is known.
        const end = async () => void (await (await request(body.url)).body.dump());
        if (status === 200) await end().catch(() => undefined);
        return status === 200 && body.spoken_by !== undefined ? 'fallback' : status;
      };
      const row: (string | number)[] = [];
      for (const one of texts) row.push(await speak(one));
      return { row, speak, asked: () => kokoro.asked.length };
    }

    test('for each of them, and then for a minute without asking it', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      const { row, speak, asked } = await rowOf('500 a', '500 b', 'spoken');
      expect({ row, asked: asked() }).toEqual({ row: ['fallback', 'fallback', 'fallback'], asked: 2 });
      vi.advanceTimersByTime(60_000);
      expect(await speak('500 c')).toBe('fallback');
      expect(await speak('spoken')).toBe('fallback');
      expect(asked()).toBe(3);
      vi.advanceTimersByTime(60_000);
      expect(await speak('spoken')).toBe(200);
    });

    test.each([
      ['not for one between that it refused', '500 a, policy, 500 b, spoken', ['fallback', 422, 'fallback', 200]],
      ['not for texts that it is too busy for', '429 a, 429s b, 429 c', [503, 503, 503]],
      ['but not the text itself that may have been paid for', '502 a, 502 b, 502 c', [502, 502, 'fallback']],
      ['by breaking off, too', 'cut a, cut b, spoken', [200, 200, 'fallback']],
    ])('%s', async (_, texts, row) => {
      expect((await rowOf(...texts.split(', '))).row).toEqual(row);
    });
  });

  test('that list their voices for anybody and refuse the key are down, and spoken for', async () => {
    const { log, lines } = writtenLog('warn');
    const { kokoro, service } = await withKokoro(
      { refusesKey: 'k-old', refusesAt: ['/v1/audio/speech'] },
      `key = "k-old"\ncredits_per_character = 0\n${FALLBACK}[[engines.voices]]\nname = "af_heart"\n`,
      { log },
    );
    const { status, body } = await service.speak(HELLO);
    expect(status).toBe(200);
    const before = kokoro.listAsked();
    // Its list of voices changes nothing about that.
    await expect.poll(kokoro.listAsked).toBeGreaterThan(before + 2);
    expect(await modelOf(service, body.spoken_by)).toBe('ext');
    expect(lines).toMatchObject([{ engine: 'kokoro', reason: 'The speech engine refuses its key (401).' }]);
  });

  test('that cannot speak are named with the reason, without address or key, and hang no start', async () => {
    const dead = await openAiServer();
    await dead.stop();
    const { origin } = await openAiServer({ refusesKey: 'k-secret' });
    const refused = openAi(origin, 'key = "k-secret"\ncredits_per_character = 0\n', 'other');
    const service = await serviceOf(`${openAi(dead.origin)}${refused}`);
    expect(service.problem).toBe(
      'kokoro: It cannot be reached (ECONNREFUSED). other: The speech engine refuses its key (401).',
    );
  });
});

describe('what an engine may have billed', () => {
  test('is asked for twice where it is free, and then spoken by the fallback', async () => {
    const { kokoro, service } = await withKokoro((_, response) => response.destroy(), FALLBACK);
    expect((await service.speak(HELLO)).status).toBe(200);
    expect(kokoro.asked).toHaveLength(2);
  });

  test.each<[what: string, answer: (response: ServerResponse) => unknown]>([
    ['closes the connection', (response) => response.destroy()],
    ['answers as a gateway that lost an answer', (response) => response.writeHead(502).end('Bad gateway')],
    ['sends what is no audio', (response) => response.writeHead(200).end('x'.repeat(1_000))],
  ])('stays billed by one that %s, in an answer that no client repeats', async (_, answer) => {
    const { kokoro, service } = await withKokoro((_, response) => answer(response), `${FALLBACK}${PRICED}`);
    const reply = await service.speak(HELLO);
    expect(reply).toMatchObject({ status: 502, body: { error: { code: null, type: 'server_error', param: null } } });
    expect(reply.body.error.message).toContain('It may have billed this text.');
    expect(reply.headers['request-id']).toMatch(/^req_crier_/);
    expect(service.creditsSpent()).toBe(10);
    expect(service.ledger.charges(1)).toMatchObject([{ state: 'lost' }]);
    const failure = { creditsMayBeSpent: true, retryable: false, status: 502 };
    await expect((await clientOf(service))()).rejects.toMatchObject(failure);
    expect(kokoro.asked).toHaveLength(2);
  });

  test.each([
    [PRICED, { state: 'lost', amount: 10 }],
    ['', { state: 'refunded', amount: 5 }],
  ])('was worked on at a crash of the service: with the price %j it is %j', async (price, charge) => {
    const { kokoro, service } = await withKokoro({}, price);
    const { dataDir, ledger, close } = service;
    const { amount } = charge;
    ledger.reserve({ requestId: 'req_local', keyId: null, amount: 3, model: 'gpro', voice: 'aria' });
    ledger.reserve({ requestId: 'req_cut_off', keyId: null, amount, model: 'kokoro', voice: 'af_heart' });
    await close();
    const again = await serviceOf(`${openAi(kokoro.origin, price)}${EMBEDDED}`, { dataDir });
    // What is free is not lost, whatever another engine costs.
    expect(again.ledger.charges(2)).toMatchObject([charge, { state: 'refunded', amount: 3 }]);
  });

  test.each<[when: string, leave: (service: RunningService, client: AbortController) => unknown]>([
    ['the service ends', (service) => service.close()],
    ['its client goes', (_, client) => client.abort()],
  ])('stays billed when %s, and no client repeats it', async (_, leave) => {
    const asked = Promise.withResolvers<void>();
    const { kokoro, service } = await withKokoro(() => asked.resolve(), PRICED);
    const client = new AbortController();
    const failed = expect((await clientOf(service))(client.signal)).rejects.toMatchObject({ creditsMayBeSpent: true });
    await asked.promise;
    await leave(service, client);
    await failed;
    await service.close();
    const { charges } = (await runningService({ dataDir: service.dataDir })).ledger;
    expect(charges(1)).toMatchObject([{ state: 'lost', amount: 10 }]);
    expect(kokoro.asked).toHaveLength(1);
  });

  test.each([
    ['stays paid with a price', PRICED, '', 'lost', 10],
    ['costs nothing without one, whatever another costs', '', PRICED, 'refunded', 0],
  ])('and breaks off in the middle of %s', async (_, price, otherPrice, state, cost) => {
    const begun = Promise.withResolvers<ServerResponse>();
    const kokoro = await openAiServer({
      voices: ['af_heart'],
      answer: (_, response) => {
        response.writeHead(200).write(TONE.subarray(0, 1_000));
        begun.resolve(response);
      },
    });
    const other = await wyomingServer();
    const service = await serviceOf(`${openAi(kokoro.origin, price)}${wyoming(other.url, otherPrice)}`);
    const { creditsLeft } = service.ledger.account();
    expect((await service.speak(HELLO)).status).toBe(200);
    (await begun.promise).destroy();
    await expect.poll(() => service.ledger.charges(1)).toMatchObject([{ state }]);
    await service.close();
    const again = await runningService({ dataDir: service.dataDir });
    expect(again.ledger.charges(1)).toMatchObject([{ state }]);
    expect(again.ledger.account().creditsLeft).toBe(creditsLeft - cost);
  });

  test.each([429, 500, 503, 400])('is nothing where it refuses the text with %i', async (status) => {
    const { service } = await withKokoro((_, response) => response.writeHead(status).end('No'), PRICED);
    expect((await service.speak(HELLO)).body.error.code).not.toBeNull();
    expect(service.creditsSpent()).toBe(0);
  });
});

test.each([
  ['a text', 400, { error: { code: 'string_above_max_length', param: 'input' } }, 400, 'invalid_request'],
  ['a text by a firewall', 403, undefined, 400, 'invalid_request'],
  ['a text by its policy', 400, { error: { code: 'content_policy_violation' } }, 422, 'content_policy_violation'],
  ['its model', 400, { error: { code: 'invalid_model', param: null } }, 500, 'server_error'],
  ['its format', 400, { error: { code: null, param: 'response_format' } }, 500, 'server_error'],
  ['its model as Kokoro-FastAPI does', 400, { detail: { error: 'invalid_model' } }, 500, 'server_error'],
  ['its model as FastAPI does', 422, { detail: [{ loc: ['body', 'model'] }] }, 500, 'server_error'],
  ['a text by its policy in a detail', 400, { detail: { code: 'content_filter' } }, 422, 'content_policy_violation'],
  ['to speak before it is paid', 402, undefined, 500, 'server_error'],
  ['its address', 404, undefined, 500, 'server_error'],
])('an engine rejecting %s with %i is logged with its reason, not the text', async (_, given, answer, status, code) => {
  const { log, lines } = writtenLog('warn');
  const { service } = await withKokoro(
    ({ body: { input } }, response) => response.writeHead(input ? given : 400).end(JSON.stringify(answer)),
    '',
    { log },
  );
  const reply = await service.speak({ ...HELLO, input: 'Hello there' });
  expect(reply).toMatchObject({ status, body: { error: { code } } });
  const err = { type: 'EngineError', message: expect.stringContaining(`with status ${given}`) };
  const requestId = expect.stringMatching(/^req_/);
  // It is an error if other texts are rejected too.
  expect(lines).toMatchObject([{ level: status === 500 ? 50 : 40, requestId, err }]);
  expect(JSON.stringify(lines)).not.toContain('Hello there');
});

test('the interface is kept with all kinds of engines side by side', async () => {
  const kokoro = await openAiServer({ voices: ['af_heart'] });
  const piper = await wyomingServer();
  const engines = enginesOf(`${EMBEDDED}${openAi(kokoro.origin)}${wyoming(piper.url)}`);
  const embedded = await startEmbeddedSubject({ engines });
  onTestFinished(() => embedded[Symbol.asyncDispose]());
  // Not those of speech tags, which the embedded synthesizer alone reads (test/conformance).
  const looked = allRules.filter(({ section }) => section !== 'Speech tags');
  const results = await resultsOf(looked, embedded.subject, ['credits', 'faults']);
  const ids = (...outcomes: readonly string[]) =>
    results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ rule }) => rule.id);
  expect(ids('fail', 'differs')).toEqual([]);
  expect(ids('pass').length).toBeGreaterThan(100);
});
