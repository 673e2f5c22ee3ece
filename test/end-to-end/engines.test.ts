import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Person } from '../../src/playground/world/world.ts';
import { tone, wav16 } from '../audio/sounds.ts';
import { medianPitchHz } from '../speech-service/measure-audio.ts';
import {
  openAi,
  openAiServer,
  piperVoice,
  wyoming,
  wyomingServer,
} from '../speech-service/synthesis/speaking-servers.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { inVoice, startScene, textOf } from './scene.ts';

const KOKORO_HZ = 220;
/** Of the Wyoming server's tone. */
const PIPER_HZ = 439;

it('the bot speaks with the voices of several engines, by language and by name, and with the fallback of one that is down', async () => {
  const kokoro = await openAiServer({
    voices: { voices: [{ id: 'af_heart', name: 'af_heart' }] },
    answer: (_, response) => void response.writeHead(200).end(wav16(tone(KOKORO_HZ, 24_000, 0.3, 1), 24_000)),
  });
  const piper = await wyomingServer(undefined, [piperVoice('ru_RU-irina-medium'), piperVoice('en_US-amy-low')]);
  const file = join(temporaryFolder(), 'engines.toml');
  const priced = 'key = "kokoro-key-0123"\ncredits_per_character = 2\nfallback = "piper"\n';
  writeFileSync(file, `${openAi(kokoro.origin, priced)}${wyoming(piper.url, 'credits_per_character = 0\n')}`);
  const scene = await startScene({ env: { VOICE_API_URL: '', VOICE_API_KEY: '', SPEECH_ENGINES: file } });
  const { world, bot } = scene;
  const alice = inVoice(world);
  const says = (words: string) => textOf(alice.types(`/say text:${words}`));
  const expectPitch = async (hertz: number) => {
    const { pcm, endToEndEncrypted } = await alice.listener.utterance();
    alice.listener.clear();
    expect(endToEndEncrypted).toBe(true);
    expect(Math.abs(medianPitchHz(pcm, 48_000) - hertz)).toBeLessThan(20);
  };
  /** The list, without the marks that keep Discord from formatting it. */
  const listed = async (person: Person) => (await textOf(person.types('/voices'))).replaceAll('\\', '');

  expect(await listed(alice)).toMatch(/af_heart[\s\S]*ru_RU-irina-medium/);

  // The first engine's voice is the usual one; it cannot read Cyrillic letters, and the other engine's can.
  const first = await says('Hello there.');
  expect(first).toContain('Spoken in');
  expect(first).toContain('24 credits used');
  await expectPitch(KOKORO_HZ);
  expect(kokoro.asked.at(-1)).toMatchObject({ authorization: 'Bearer kokoro-key-0123', body: { voice: 'af_heart' } });
  expect(await says('Добрый день.')).toContain('Spoken in');
  await expectPitch(PIPER_HZ);
  expect(piper.asked).toEqual([{ type: 'synthesize', text: 'Добрый день.', voice: { name: 'ru_RU-irina-medium' } }]);

  // A voice whose engine is down stays chosen; its fallback speaks, as the reply says, also of the text that finds out.
  const [heart] = await alice.autocompletes('voice set', { voice: 'af_heart' });
  await (await alice.command('voice set', { voice: String(heart?.value) })).reply();
  await kokoro.stop();
  for (const typed of ['Still there.', 'By name. voice:af_heart']) {
    const told = (await says(typed)).replaceAll('\\', '');
    expect(told).toContain('Spoken in #General with en_US-amy-low (piper): “');
    expect(told).toContain('af_heart isn’t available right now, so en_US-amy-low (piper) read this instead.');
    expect(told).not.toContain('no longer exists');
    expect(piper.asked.at(-1)).toMatchObject({ voice: { name: 'en_US-amy-low' } });
    await expectPitch(PIPER_HZ);
  }
  expect(await listed(alice)).toContain('af_heart');

  // Without a fallback nobody speaks.
  await piper.stop();
  expect(await says('Добрый вечер.')).not.toContain('Spoken in');

  expect(bot.log.map((line) => JSON.stringify(line)).join('\n')).not.toContain('kokoro-key-0123');
  expect(bot.log.some(({ msg }) => msg?.startsWith('A speech engine is down: its fallback speaks'))).toBe(true);
});
