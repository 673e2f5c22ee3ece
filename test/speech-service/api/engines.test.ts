import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { request } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { rules } from '../../../src/conformance/rules/index.ts';
import { createSpeechClient } from '../../../src/speech/client/client.ts';
import { type EngineSettings, parseEngines } from '../../../src/speech/engines/engines-file.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import type { EngineEntry } from '../../../src/speech-service/api/engines.ts';
import { openEngines } from '../../../src/speech-service/open-engines.ts';
import type { SpeechServiceOptions } from '../../../src/speech-service/server.ts';
import { resultsOf, startEmbeddedSubject } from '../../conformance/embedded-subject.ts';
import { createToneEngine } from '../../end-to-end/tone-engine.ts';
import { peak, readWav } from '../measure-audio.ts';
import { type RunningService, runningService } from '../running-service.ts';
import { openAiServer, piperVoice, TONE, wyomingServer } from '../synthesis/speaking-servers.ts';

const OFTEN = { whileUpMs: 50, whileDownMs: 50, askDeadlineMs: 5_000 };

function settings(toml: string): readonly EngineSettings[] {
  const read = parseEngines(toml);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  return read.engines;
}

const tones = await createToneEngine();

/** The engines of a file; in place of the embedded synthesizer, which takes its time, tones. */
const enginesOf = (toml: string): EngineEntry[] =>
  openEngines(settings(toml)).map((entry) => (entry.server === undefined ? { ...entry, engine: tones } : entry));

const serviceOf = (toml: string, more: Partial<SpeechServiceOptions> = {}) =>
  runningService({ engines: enginesOf(toml), askEnginesEveryMs: OFTEN, ...more });

async function voicesOf(service: RunningService): Promise<Voice[]> {
  return (await service.call('GET', '/api/v1/voices')).body.data;
}
const named = async (service: RunningService) => (await voicesOf(service)).map(({ name, model }) => `${model}/${name}`);
const creditsLeft = ({ ledger }: RunningService) => ledger.account().creditsLeft;

const EMBEDDED = '[[engines]]\nname = "local"\nkind = "embedded"\n';
const openAi = (origin: string, more = '') =>
  `[[engines]]\nname = "kokoro"\nkind = "openai"\nurl = "${origin}/v1"\n${more}`;
const wyoming = (url: string, more = '') => `[[engines]]\nname = "piper"\nkind = "wyoming"\nurl = "${url}"\n${more}`;

describe('several engines', () => {
  test('speak side by side, each with its voices, languages and price', async () => {
    const kokoro = await openAiServer({
      voices: { voices: [{ id: 'af_heart', name: 'af_heart' }, { id: 'jf_alpha' }] },
    });
    const piper = await wyomingServer(undefined, [
      piperVoice('de_DE-thorsten-medium'),
      piperVoice('fr_FR-upmc-medium', false),
    ]);
    const service = await serviceOf(
      `${openAi(kokoro.origin, 'style = true\ncredits_per_character = 2.5\n')}${wyoming(piper.url)}${EMBEDDED}`,
    );
    const voices = await voicesOf(service);
    expect(voices.slice(0, 3)).toMatchObject([
      { name: 'af_heart', model: 'kokoro', language: 'en-US', languages: ['en'], formats: ['wav', 'mp3'] },
      { name: 'jf_alpha', model: 'kokoro', language: 'ja', languages: ['ja'] },
      // The one that Piper has not downloaded is not listed.
      { name: 'de_DE-thorsten-medium', model: 'piper', language: 'de-DE', languages: ['de'], supports_style: false },
    ]);
    expect(voices.filter(({ model }) => model === 'gpro')).toHaveLength(8);
    expect(new Set(voices.map(({ id }) => id)).size).toBe(voices.length);
    const models: { id: string; max_input_length: number }[] = (await service.call('GET', '/api/v1/models')).body.data;
    expect(models.slice(-2)).toMatchObject([{ id: 'kokoro', max_input_length: 1000 }, { id: 'piper' }]);

    const before = creditsLeft(service);
    const paid = await service.speak({
      input: 'Hello',
      voice: 'af_heart',
      model: 'kokoro',
      speed: 1.25,
      style: 'calm',
    });
    expect(paid.body).toMatchObject({ usage: { model: 'crier-kokoro' } });
    // The style counts toward the text, as for any model that takes one: 5 + 4 + 4 characters, 2.5 credits each.
    expect(paid.body.credits_used).toBe(33);
    expect(creditsLeft(service)).toBe(before - 33);
    const german = await service.listen({ input: 'Hallo', voiceId: voices[2]?.id });
    expect(readWav(german).seconds).toBeCloseTo(0.5, 1);
    const local = await service.listen({ input: 'Hello', voice: 'aria', model: 'gpro' });
    expect(peak(readWav(local).samples)).toBeGreaterThan(0.05);
    // Each in its server's words, without the tables for the service's own voices.
    expect(kokoro.asked.map(({ body }) => body)).toEqual([
      { model: 'tts-1', input: 'Hello', voice: 'af_heart', response_format: 'wav', speed: 1.25, instructions: 'calm' },
    ]);
    expect(piper.asked).toEqual([{ type: 'synthesize', text: 'Hallo', voice: { name: 'de_DE-thorsten-medium' } }]);
  });

  test('bill no style for voices that ignore it', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const service = await serviceOf(openAi(kokoro.origin, 'credits_per_character = 2\n'));
    const long = { input: 'x'.repeat(1_000), voice: 'af_heart', model: 'kokoro', style: 'calm' };
    expect(await service.speak(long)).toMatchObject({ status: 200, body: { credits_used: 2_000 } });
    expect(kokoro.asked[0]?.body).not.toHaveProperty('instructions');
  });

  test('bill no style that the voice ignores where another one speaks that takes one', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const cloud = await openAiServer({ voices: ['nova'] });
    const service = await serviceOf(
      `${openAi(kokoro.origin, 'credits_per_character = 1\nfallback = "cloud"\n[[engines.voices]]\nname = "af_heart"\n')}${openAi(cloud.origin, 'style = true\ncredits_per_character = 1\n').replace('kokoro', 'cloud')}`,
    );
    await kokoro.stop();
    const long = { input: 'x'.repeat(1_000), voice: 'af_heart', model: 'kokoro', style: 'calm' };
    expect(await service.speak(long)).toMatchObject({ status: 200, body: { credits_used: 1_000 } });
    expect(cloud.asked[0]?.body).not.toHaveProperty('instructions');
  });

  test('have each voice once that a server lists twice, and none whose name is no name', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart', { id: 'jf_alpha' }, 'af_heart', 'x'.repeat(101)] });
    expect(await named(await serviceOf(openAi(kokoro.origin)))).toEqual(['kokoro/af_heart', 'kokoro/jf_alpha']);
  });

  test('have the voices of the file where it names some, whatever the server lists', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart', 'am_adam'] });
    const voices = '[[engines.voices]]\nname = "Heart"\nserver_name = "af_heart"\nlanguages = ["en", "es"]\n';
    const service = await serviceOf(openAi(kokoro.origin, `languages = ["fr"]\n${voices}`));
    expect(await voicesOf(service)).toMatchObject([{ name: 'Heart', language: 'multiple', languages: ['en', 'es'] }]);
    await service.listen({ input: 'Hello', voice: 'Heart', model: 'kokoro' });
    expect(kokoro.asked[0]?.body.voice).toBe('af_heart');
  });

  test('have OpenAI’s voices where a server lists none, in the languages that the file says', async () => {
    const { origin } = await openAiServer();
    const service = await serviceOf(openAi(origin, 'languages = ["en_GB", "pt-BR"]\n'));
    expect((await voicesOf(service)).find(({ name }) => name === 'nova')).toMatchObject({
      language: 'multiple',
      languages: ['en', 'pt'],
    });
  });

  test('refuse what a voice does not read before anything is sent or paid', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const service = await serviceOf(openAi(kokoro.origin));
    const reply = await service.speak({ input: 'Привет', voice: 'af_heart', model: 'kokoro' });
    expect(reply.body.error).toMatchObject({
      code: 'unsupported_language',
      message: expect.stringContaining('Cyrillic'),
    });
    expect(kokoro.asked).toEqual([]);
  });

  test('take their voices out of the list while they are down, and put them back by themselves', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const piper = await wyomingServer();
    const service = await serviceOf(`${openAi(kokoro.origin)}${wyoming(piper.url)}`);
    const both = ['kokoro/af_heart', 'piper/en_US-amy-low'];
    expect(await named(service)).toEqual(both);
    const before = creditsLeft(service);
    for (const [server, left] of [
      [kokoro, both.slice(1)],
      [piper, both.slice(0, 1)],
    ] as const) {
      await server.stop();
      await expect.poll(() => named(service)).toEqual(left);
      const gone = both.find((name) => !left.includes(name));
      const [model, voice] = gone?.split('/') ?? [];
      const reply = await service.speak({ input: 'Hello', voice, model });
      expect(reply).toMatchObject({ status: 404, body: { error: { code: 'voice_not_found' } } });
      await server.start();
      await expect.poll(() => named(service)).toEqual(both);
      expect((await service.speak({ input: 'Hello', voice, model })).status).toBe(200);
    }
    expect(creditsLeft(service)).toBe(before - 10);
  });

  test('that are silent while they speak are busy, and down where they are silent without work', async () => {
    const work = Promise.withResolvers<ServerResponse>();
    let isSilent = false;
    const kokoro = await openAiServer({
      voices: ['af_heart'],
      isSilent: () => isSilent,
      answer: (_, response) => work.resolve(response),
    });
    const service = await runningService({
      engines: enginesOf(`${openAi(kokoro.origin)}${EMBEDDED}`),
      askEnginesEveryMs: { whileUpMs: 10, whileDownMs: 10, askDeadlineMs: 50 },
    });
    const spoken = service.speak({ input: 'Hello', voice: 'af_heart', model: 'kokoro' });
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
    const [siwis] = await voicesOf(service);
    const own = await service.speak(french);
    expect(own.body.credits_used).toBe(35);
    expect(own.body).not.toHaveProperty('spoken_by');
    // Between two looks: the first text finds out, and costs what the one that speaks it costs.
    await kokoro.stop();
    const first = await service.speak(french);
    expect(first).toMatchObject({ status: 200, body: { credits_used: 7, usage: { model: 'crier-piper' } } });
    expect((await service.speak(french)).status).toBe(200);
    // It stays in the list; the answer says who spoke.
    const [still, , stand] = await voicesOf(service);
    expect(stand).toMatchObject({ name: 'fr_FR-upmc-medium' });
    expect(first.body.spoken_by).toBe(stand?.id);
    expect(still).toEqual(siwis);
    expect(piper.asked).toMatchObject([
      { text: 'Bonjour', voice: { name: 'fr_FR-upmc-medium' } },
      { voice: { name: 'fr_FR-upmc-medium' } },
    ]);
    expect(service.ledger.charges(3)).toMatchObject([
      { state: 'settled', amount: 7, model: 'piper' },
      { state: 'settled', amount: 7, model: 'piper' },
      { state: 'settled', amount: 35, model: 'kokoro' },
    ]);
    await kokoro.start();
    await expect.poll(async () => (await service.speak(french)).body.credits_used).toBe(35);
  });

  test('are spoken for, while they are down, by a voice that reads the text and makes their format', async () => {
    const kokoro = await openAiServer();
    await kokoro.stop();
    const names = ['af_heart', 'bm_george', 'jf_alpha'];
    const voices = names.map((name) => `[[engines.voices]]\nname = "${name}"\n`).join('');
    const service = await serviceOf(`${openAi(kokoro.origin, `fallback = "local"\n${voices}`)}${EMBEDDED}`);
    const listed = await voicesOf(service);
    const aria = listed.find(({ name }) => name === 'aria');
    for (const [at, input] of ['Hello', 'Hello', '今日は、元気ですか'].entries()) {
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
    const before = creditsLeft(service);
    const reply = await service.speak({ input: 'Hello', voice: 'af_heart', model: 'kokoro' });
    expect(reply).toMatchObject({ status: 503, body: { error: { code: 'provider_unavailable' } } });
    expect(creditsLeft(service)).toBe(before);
    expect(await named(service)).toEqual([]);
  });

  test('are said in the log to be down, with who speaks, and to be back', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const piper = await wyomingServer();
    await Promise.all([kokoro.stop(), piper.stop()]);
    const lines: { engine?: string; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
    const toml = `${wyoming(piper.url, 'fallback = "kokoro"\n')}${openAi(kokoro.origin)}${EMBEDDED}`;
    await serviceOf(toml, { log });
    const told = () => lines.filter(({ engine }) => engine !== undefined).map(({ engine, msg }) => `${engine}: ${msg}`);
    const start = [
      'kokoro: An engine is down: its voices are not listed',
      'piper: An engine is down: its fallback speaks, if that is there',
    ];
    expect(told().toSorted()).toEqual(start);
    await kokoro.start();
    await expect.poll(told).toContain('kokoro: An engine is back');
  });

  test.each<[string, string | undefined, string]>([
    ['whose quota is used up', undefined, '{"error":{"code":"insufficient_quota"}}'],
    ['that takes no more requests for a minute or longer', '60', 'Tomorrow'],
  ])('speak for one %s, and try it again with each text', async (_, wait, refusal) => {
    const quota = { isLeft: false };
    const kokoro = await openAiServer({
      voices: ['af_heart'],
      answer: (_, response) =>
        quota.isLeft
          ? response.writeHead(200).end(TONE)
          : response.writeHead(429, wait === undefined ? {} : { 'retry-after': wait }).end(refusal),
    });
    const warnings: { engine?: string; err?: { message: string } }[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
    const toml = `${openAi(kokoro.origin, 'fallback = "local"\ncredits_per_character = 2\n')}${EMBEDDED}`;
    const service = await serviceOf(toml, { log });
    const before = creditsLeft(service);
    const hello = { input: 'Hello', voice: 'af_heart', model: 'kokoro', response_format: 'wav' };
    const { status, body } = await service.speak(hello);
    expect({ status, used: body.credits_used }).toEqual({ status: 200, used: 0 });
    // Nobody who asks is told of it: the operator is.
    expect(warnings).toMatchObject([
      { engine: 'kokoro', err: { message: expect.stringMatching(/quota|no more requests/) } },
    ]);
    expect((await voicesOf(service)).find(({ id }) => id === body.spoken_by)).toMatchObject({ model: 'gpro' });
    expect(creditsLeft(service)).toBe(before);
    quota.isLeft = true;
    expect((await service.speak(hello)).body).not.toHaveProperty('spoken_by');
    expect(kokoro.asked).toHaveLength(2);
  });

  describe('speak for one that lists its voices and fails texts', () => {
    /** Its texts say how it answers them: `spoken`, `cut`, or a status. The row says what became of each. */
    async function rowOf(texts: readonly string[], price: string) {
      const kokoro = await openAiServer({
        voices: ['af_heart'],
        answer: ({ body }, response) => {
          const [word = ''] = String(body.input).split(' ');
          if (word === 'spoken') response.writeHead(200).end(TONE);
          else if (word === 'cut')
            response.writeHead(200).write(TONE.subarray(0, 2_000), () => setTimeout(() => response.destroy(), 100));
          else if (word === 'policy') response.writeHead(400).end('{"error":{"code":"content_policy_violation"}}');
          else response.writeHead(Number(word)).end('Out of memory');
        },
      });
      const service = await serviceOf(`${openAi(kokoro.origin, `fallback = "local"\n${price}`)}${EMBEDDED}`);
      const speak = async (input: string) => {
        const { status, body } = await service.speak({
          input,
          voice: 'af_heart',
          model: 'kokoro',
          response_format: 'wav',
        });
        // So that its end is known.
        if (status === 200)
          await request(body.url).then(
            (audio) => audio.body.dump(),
            () => undefined,
          );
        return status === 200 && body.spoken_by !== undefined ? 'fallback' : status;
      };
      const row: (string | number)[] = [];
      for (const one of texts) row.push(await speak(one));
      return { row, speak, asked: () => kokoro.asked.length };
    }
    const PRICED = 'credits_per_character = 2\n';

    test('for each of them, and then for a minute without asking it', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      onTestFinished(() => void vi.useRealTimers());
      const { row, speak, asked } = await rowOf(['500 a', '500 b', 'spoken'], PRICED);
      expect({ row, asked: asked() }).toEqual({ row: ['fallback', 'fallback', 'fallback'], asked: 2 });
      vi.advanceTimersByTime(60_000);
      expect(await speak('500 c')).toBe('fallback');
      expect(await speak('spoken')).toBe('fallback');
      expect(asked()).toBe(3);
      vi.advanceTimersByTime(60_000);
      expect(await speak('spoken')).toBe(200);
    });

    test.each([
      ['one between that it spoke', ['500 a', 'spoken', '500 b', 'spoken'], ['fallback', 200, 'fallback', 200]],
      ['one between that it refused', ['500 a', 'policy', '500 b', 'spoken'], ['fallback', 422, 'fallback', 200]],
      ['texts that it is too busy for', ['429 a', '429 b', '429 c'], [503, 503, 503]],
    ])('not for %s', async (_, texts, row) => {
      expect((await rowOf(texts, PRICED)).row).toEqual(row);
    });

    test('but not the text itself that may have been paid for', async () => {
      expect((await rowOf(['502 a', '502 b', '502 c'], PRICED)).row).toEqual([502, 502, 'fallback']);
    });

    test('by breaking off, too', async () => {
      expect((await rowOf(['cut a', 'cut b', 'spoken'], PRICED)).row).toEqual([200, 200, 'fallback']);
    });
  });

  test('are waited for, not spoken for, where one takes no more requests for a moment', async () => {
    const kokoro = await openAiServer({
      voices: ['af_heart'],
      answer: (_, response) => void response.writeHead(429, { 'retry-after': '2' }).end('Slower'),
    });
    const service = await serviceOf(`${openAi(kokoro.origin, 'fallback = "local"\n')}${EMBEDDED}`);
    const reply = await service.speak({ input: 'Hello', voice: 'af_heart', model: 'kokoro' });
    expect(reply).toMatchObject({ status: 503, body: { error: { code: 'provider_unavailable' } } });
    expect(reply.headers['retry-after']).toBe('2');
    expect(await named(service)).toContain('kokoro/af_heart');
  });

  test('that list their voices for anybody and refuse the key are down, and spoken for', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'], refusesKey: 'k-old', refusesAt: ['/v1/audio/speech'] });
    const warnings: { engine?: string; reason?: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) });
    const toml = `${openAi(kokoro.origin, 'key = "k-old"\ncredits_per_character = 0\nfallback = "local"\n[[engines.voices]]\nname = "af_heart"\n')}${EMBEDDED}`;
    const service = await serviceOf(toml, { log });
    const hello = { input: 'Hello', voice: 'af_heart', model: 'kokoro', response_format: 'wav' };
    const { status, body } = await service.speak(hello);
    expect(status).toBe(200);
    const before = kokoro.listAsked();
    // Its list of voices changes nothing about that.
    await expect.poll(kokoro.listAsked).toBeGreaterThan(before + 2);
    expect((await voicesOf(service)).find(({ id }) => id === body.spoken_by)).toMatchObject({ model: 'gpro' });
    expect(warnings).toMatchObject([{ engine: 'kokoro', reason: 'The speech engine refuses its key (401).' }]);
  });

  test.each([
    { price: '', asked: 2, status: 200 },
    { price: 'credits_per_character = 1\n', asked: 1, status: 502 },
  ])('are asked $asked times for an answer that is lost ($price), and spoken for if it was free', async (row) => {
    const kokoro = await openAiServer({ voices: ['af_heart'], answer: (_, response) => void response.destroy() });
    const service = await serviceOf(`${openAi(kokoro.origin, `${row.price}fallback = "local"\n`)}${EMBEDDED}`);
    const { status } = await service.speak({ input: 'Hello', voice: 'af_heart', model: 'kokoro' });
    expect({ status, asked: kokoro.asked.length }).toEqual({ status: row.status, asked: row.asked });
  });

  const lostAnswers: Record<string, (response: ServerResponse) => void> = {
    'closes the connection': (response) => void response.destroy(),
    'answers as a gateway that waited in vain': (response) => void response.writeHead(504).end('Timeout'),
    'says that it took too long': (response) => void response.writeHead(408).end('Timeout'),
    'answers as a gateway that lost an answer': (response) => void response.writeHead(502).end('Bad gateway'),
    'sends what is no audio': (response) => void response.writeHead(200).end('x'.repeat(1_000)),
  };

  test.each(Object.entries(lostAnswers))(
    'with a price: one that %s has the text billed, in an answer that no client repeats',
    async (_, answer) => {
      const kokoro = await openAiServer({ voices: ['af_heart'], answer: (_, response) => answer(response) });
      const service = await serviceOf(
        `${openAi(kokoro.origin, 'fallback = "local"\ncredits_per_character = 2\n')}${EMBEDDED}`,
      );
      const before = creditsLeft(service);
      const reply = await service.speak({ input: 'Hello', voice: 'af_heart', model: 'kokoro' });
      expect(reply).toMatchObject({ status: 502, body: { error: { code: null, type: 'server_error', param: null } } });
      expect(reply.body.error.message).toContain('It may have billed this text.');
      expect(reply.headers['request-id']).toMatch(/^req_crier_/);
      expect(creditsLeft(service)).toBe(before - 10);
      expect(service.ledger.charges(1)).toMatchObject([{ state: 'lost' }]);
      expect(kokoro.asked).toHaveLength(1);

      // As the bot and the voice command do.
      const speech = createSpeechClient({ baseUrl: service.url, apiKey: service.key, log: pino({ enabled: false }) });
      onTestFinished(() => speech.close());
      const voiceId = (await voicesOf(service)).find(({ name }) => name === 'af_heart')?.id ?? '';
      const request = { input: 'Hello again', voice: { kind: 'id', voiceId, model: 'kokoro' } } as const;
      await expect(speech.speak(request)).rejects.toMatchObject({
        creditsMayBeSpent: true,
        retryable: false,
        status: 502,
      });
      expect(kokoro.asked).toHaveLength(2);
    },
  );

  test.each([
    ['with a price stays counted', 'credits_per_character = 2\n', { state: 'lost', amount: 10 }],
    ['without one is given back', '', { state: 'refunded', amount: 5 }],
  ])('a text that one %s was working on at a crash of the service', async (_, price, charge) => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const toml = `${openAi(kokoro.origin, price)}${EMBEDDED}`;
    const { dataDir, ledger, close } = await serviceOf(toml);
    const { amount } = charge;
    ledger.reserve({ requestId: 'req_local', keyId: null, amount: 3, model: 'gpro', voice: 'aria' });
    ledger.reserve({ requestId: 'req_cut_off', keyId: null, amount, model: 'kokoro', voice: 'af_heart' });
    await close();
    const again = await serviceOf(toml, { dataDir });
    // What is free is not lost, whatever another engine costs.
    expect(again.ledger.charges(2)).toMatchObject([charge, { state: 'refunded', amount: 3 }]);
  });

  const LEAVING: Record<string, (service: RunningService, client: AbortController) => unknown> = {
    'the service ends': (service) => service.close(),
    'its client goes': (_, client) => client.abort(),
  };

  test.each(Object.entries(LEAVING))(
    'with a price: a text that it was sent when %s stays billed, and no client repeats it',
    async (_, leave) => {
      const asked = Promise.withResolvers<void>();
      const kokoro = await openAiServer({ voices: ['af_heart'], answer: () => asked.resolve() });
      const service = await serviceOf(`${openAi(kokoro.origin, 'credits_per_character = 2\n')}${EMBEDDED}`);
      const speech = createSpeechClient({ baseUrl: service.url, apiKey: service.key, log: pino({ enabled: false }) });
      onTestFinished(() => speech.close());
      const voiceId = (await voicesOf(service)).find(({ name }) => name === 'af_heart')?.id ?? '';
      const client = new AbortController();
      const request = { input: 'Hello', voice: { kind: 'id', voiceId, model: 'kokoro' } } as const;
      const spoken = speech.speak(request, { signal: client.signal });
      const failed = expect(spoken).rejects.toMatchObject({ creditsMayBeSpent: true });
      await asked.promise;
      const { dataDir } = service;
      await leave(service, client);
      await failed;
      await service.close();
      const { charges } = (await runningService({ dataDir })).ledger;
      expect(charges(1)).toMatchObject([{ state: 'lost', amount: 10 }]);
      expect(kokoro.asked).toHaveLength(1);
    },
  );
  test.each([
    ['with a price stays paid', 'credits_per_character = 2\n', '', 'lost', 10],
    ['without one, beside one with a price, costs nothing', '', 'credits_per_character = 2\n', 'refunded', 0],
    ['where none has a price is given back', '', '', 'refunded', 0],
  ])('a text at which one breaks off %s', async (_, price, otherPrice, state, cost) => {
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
    const before = creditsLeft(service);
    const { status } = await service.speak({ input: 'Hello', voice: 'af_heart', model: 'kokoro' });
    expect(status).toBe(200);
    (await begun.promise).destroy();
    await expect.poll(() => service.ledger.charges(1)).toMatchObject([{ state }]);
    await service.close();
    const again = await runningService({ dataDir: service.dataDir });
    expect(again.ledger.charges(1)).toMatchObject([{ state }]);
    expect(creditsLeft(again)).toBe(before - cost);
  });

  test.each([429, 500, 503, 400])('with a price: one that refuses a text with %i bills nothing', async (status) => {
    const kokoro = await openAiServer({
      voices: ['af_heart'],
      answer: (_, response) => void response.writeHead(status).end('No'),
    });
    const service = await serviceOf(`${openAi(kokoro.origin, 'credits_per_character = 2\n')}${EMBEDDED}`);
    const before = creditsLeft(service);
    const reply = await service.speak({ input: 'Hello', voice: 'af_heart', model: 'kokoro' });
    expect(reply.body.error.code).not.toBeNull();
    expect(creditsLeft(service)).toBe(before);
  });

  test('that cannot speak are named with the reason, without address or key, and hang no start', async () => {
    const dead = await openAiServer();
    await dead.stop();
    const { origin } = await openAiServer({ refusesKey: 'k-secret' });
    const refused = openAi(origin, 'key = "k-secret"\ncredits_per_character = 0\n').replace('kokoro', 'other');
    const service = await serviceOf(`${openAi(dead.origin)}${refused}`);
    expect(service.problem).toBe(
      'kokoro: It cannot be reached (ECONNREFUSED). other: The speech engine refuses its key (401).',
    );
  });
});

describe('a failure of an engine', () => {
  async function started(url: string) {
    const warnings: Record<string, unknown>[] = [];
    const log = pino(
      { level: 'warn', base: null, timestamp: false },
      { write: (line) => warnings.push(JSON.parse(line)) },
    );
    const engines = enginesOf(`[[engines]]\nname = "cloud"\nkind = "openai"\nurl = "${url}"\n`);
    return { service: await runningService({ engines, log }), warnings };
  }
  const hello = { input: 'Hello there', voice: 'nova', model: 'cloud' };

  test('at a text is logged with the reason, which the requester is not told, and without the text', async () => {
    const { origin } = await openAiServer({ answer: (_, response) => void response.writeHead(404).end() });
    const { service, warnings } = await started(`${origin}/v1`);
    const { body } = await service.speak(hello);
    expect(body.error.code).toBe('server_error');
    expect(warnings).toMatchObject([
      { level: 50, msg: 'request failed', requestId: expect.stringMatching(/^req_/), err: { type: 'EngineError' } },
    ]);
    expect(JSON.stringify(warnings)).not.toContain('Hello there');
  });

  test.each([
    ['a text', 400, { error: { code: 'string_above_max_length', param: 'input' } }, 400, 'invalid_request'],
    ['a text by a firewall', 403, undefined, 400, 'invalid_request'],
    ['a voice', 422, { error: { code: null, param: 'voice' } }, 400, 'invalid_request'],
    ['a text by its policy', 400, { error: { code: 'content_policy_violation' } }, 422, 'content_policy_violation'],
    ['a text by a filter', 400, { error: { code: 'content_filter' } }, 422, 'content_policy_violation'],
    ['its model', 400, { error: { code: 'invalid_model', param: null } }, 500, 'server_error'],
    ['its model by the parameter', 400, { error: { code: null, param: 'model' } }, 500, 'server_error'],
    ['its format', 400, { error: { code: null, param: 'response_format' } }, 500, 'server_error'],
    ['its model as Kokoro-FastAPI does', 400, { detail: { error: 'invalid_model' } }, 500, 'server_error'],
    [
      'its model as openedai-speech does',
      400,
      { code: 400, type: 'BadRequestError', param: 'model' },
      500,
      'server_error',
    ],
    ['its model as FastAPI does', 422, { detail: [{ loc: ['body', 'model'] }] }, 500, 'server_error'],
    ['a voice as Kokoro-FastAPI does', 400, { detail: { error: 'validation_error' } }, 400, 'invalid_request'],
    ['a text as FastAPI does', 422, { detail: [{ loc: ['body', 'input'] }] }, 400, 'invalid_request'],
    ['its model below a detail', 400, { detail: { error: { code: 'model_not_found' } } }, 500, 'server_error'],
    ['a text by its policy in a detail', 400, { detail: { code: 'content_filter' } }, 422, 'content_policy_violation'],
    ['a text for its information', 400, { error: { code: 'personal_information' } }, 400, 'invalid_request'],
    ['a text for its format', 400, { error: { code: 'bad_format', param: 'input' } }, 400, 'invalid_request'],
    ['to speak before it is paid', 402, undefined, 500, 'server_error'],
  ])('that rejects %s with %i says whether other texts are rejected too', async (_, given, answer, status, code) => {
    const { origin } = await openAiServer({
      answer: ({ body: { input } }, response) =>
        void response.writeHead(input ? given : 400).end(JSON.stringify(answer)),
    });
    const { service, warnings } = await started(`${origin}/v1`);
    const reply = await service.speak(hello);
    expect(reply).toMatchObject({ status, body: { error: { code } } });
    expect(warnings).toMatchObject([
      { level: status === 500 ? 50 : 40, err: { message: expect.stringContaining(`with status ${given}`) } },
    ]);
    expect(JSON.stringify(warnings)).not.toContain('Hello there');
  });
});

describe('the interface', () => {
  /** All rules but those of speech tags, which the embedded synthesizer alone reads (test/conformance). */
  async function certified(toml: string) {
    const embedded = await startEmbeddedSubject({ engines: enginesOf(toml) });
    onTestFinished(() => embedded[Symbol.asyncDispose]());
    const looked = rules.filter(({ section }) => section !== 'Speech tags');
    const results = await resultsOf(looked, embedded.subject, ['credits', 'faults']);
    return {
      failed: results.filter(({ outcome }) => outcome === 'fail' || outcome === 'differs').map(({ rule }) => rule.id),
      passed: results.filter(({ outcome }) => outcome === 'pass').length,
    };
  }

  test('is kept with all kinds of engines side by side', async () => {
    const kokoro = await openAiServer({ voices: ['af_heart'] });
    const piper = await wyomingServer();
    const { failed, passed } = await certified(`${EMBEDDED}${openAi(kokoro.origin)}${wyoming(piper.url)}`);
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(100);
  });
});
