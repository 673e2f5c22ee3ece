import { describe, expect, it } from 'vitest';
import { PACKET_MS } from '../../../src/audio/clips/clip.ts';
import {
  billedText,
  charactersOf,
  createSpeechPace,
  leastSoundMs,
  longestSoundMs,
  pauseAfterMs,
  planParts,
} from '../../../src/services/synthesis/parts.ts';
import type { SpeechRequest } from '../../../src/speech/interface/schemas.ts';
import { leastCpuMs } from '../text/readable/cpu-time.ts';
import { asked, by, SOUND, stage } from './synthesis-stage.ts';

const SENTENCE = 'The quick brown fox jumps over the lazy dog, again and again. ';
const sentences = (count: number) => SENTENCE.repeat(count).trim();
const inputs = (text: string, limit = 500) => planParts(asked(text), limit).map(({ input }) => input);
const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');

describe('the parts of a text', () => {
  it('begin with a short one, grow, and end with sentences', () => {
    const parts = inputs(sentences(40), 1000);
    const lengths = parts.map(({ length }) => length);
    expect(lengths[0]).toBeLessThanOrEqual(124);
    expect(lengths[1]).toBeGreaterThan(lengths[0] as number);
    expect(lengths[2]).toBeGreaterThan(lengths[1] as number);
    expect(Math.max(...lengths)).toBeGreaterThan(900);
    expect(parts.every((part) => part.endsWith('again.'))).toBe(true);
    expect(parts.flatMap(words)).toEqual(words(sentences(40)));
  });

  it('of several passages follow each other, with a pause as the end of each one asks for', async () => {
    const texts = ['Hola, ¿cómo estás hoy?', 'and so on', 'Bye.'];
    const passages = [sentences(6), ...texts].map((input) => ({ input, voice: asked(input).voice }));
    const { synthesizer, inputs: requested } = stage({ isAutomatic: true });
    const whole = asked(passages.map(({ input }) => input).join('\n'), { passages });
    const { durationMs } = await synthesizer.voiceMessage(whole, by('alice'));
    const first = inputs(sentences(6));
    expect(requested()).toEqual([...first, ...texts]);
    expect(durationMs).toBe((first.length + 3) * SOUND.length * PACKET_MS + (first.length + 1) * 300 + 120);
  });

  it('are few where each is billed for the style: the first one short for a listener, by the limit alone for a file', () => {
    const style = 'x'.repeat(200);
    const request = asked(sentences(11), { voice: { kind: 'id', voiceId: 'v', model: 'gpro' }, style });
    const { length } = request.input;
    expect(length).toBe(681);
    expect(charactersOf(planParts(request, 1000, 'file').map(billedText))).toBe(length + 204);
    const heard = planParts(request, 1000);
    expect(heard.map(({ input }) => input.length)).toEqual([185, 495]);
    // A space between the parts is not sent.
    expect(charactersOf(heard.map(billedText))).toBe(length - 1 + 2 * 204);
    const long = { ...request, input: sentences(60) };
    expect(planParts(long, 1000, 'file')).toHaveLength(5);
    expect(planParts(long, 1000)).toHaveLength(6);
  });

  it('are spoken with a pause between sentences, and a shorter one within', () => {
    const parts = planParts(asked(sentences(8)), 500);
    expect(parts.every((part) => pauseAfterMs(part) === 300)).toBe(true);
    const clauses = planParts(asked('and on it goes, '.repeat(40)), 500);
    expect(pauseAfterMs(clauses[0])).toBe(120);
    for (const end of ['「終わり。」', 'Ende!“', 'fin ?', 'نهاية؟', 'समाप्त।']) {
      const [part] = planParts(asked(`${'x '.repeat(30)}${end} ${'Y y '.repeat(75)}`), 500);
      expect(part.input.endsWith(end)).toBe(true);
      expect(pauseAfterMs(part)).toBe(300);
    }
  });
});

describe('the pace of a service', () => {
  const said = (characters: number, speed?: number, model = 'm'): SpeechRequest => ({
    input: 'x'.repeat(characters),
    voice: { kind: 'id', voiceId: 'v', model },
    speed,
  });

  it('is learned from its answers, model by model', () => {
    const pace = createSpeechPace();
    const [slow, fast] = [said(200, 1, 'slow'), said(200, 1, 'fast')];
    const before = pace.expectedMs(slow);
    for (let i = 0; i < 20; i++) {
      pace.answered(said(100, 1, 'slow'), 9_000);
      pace.answered(said(100, 1, 'fast'), 100);
    }
    expect(pace.expectedMs(slow)).toBeGreaterThan(9_000);
    expect(pace.expectedMs(fast)).toBeLessThan(300);
    expect(pace.expectedMs(said(200, 1, 'new'))).toBe(before);
  });

  it('learns how long a text is spoken within a few texts, long or short, fast or slow', () => {
    const pace = createSpeechPace();
    pace.spoken(said(0), 5_000);
    pace.spoken(said(10), 0);
    expect(pace.spokenMs(said(100))).toBe(6_800);
    expect(pace.spokenMs(said(100, 2))).toBe(3_550);
    const truth = ({ input, speed = 1 }: SpeechRequest) => 300 + (input.length * 90) / speed;
    for (const request of [said(20), said(300, 1.5), said(5), said(80, 0.7), said(150), said(40), said(60)]) {
      pace.spoken(request, truth(request));
    }
    for (const request of [said(100), said(1_000), said(100, 1.5)]) {
      expect(Math.abs(pace.spokenMs(request) - truth(request)) / truth(request)).toBeLessThan(0.1);
    }
  });
});

describe('the longest sound of a text', () => {
  it('is 20 s for a short one, and eight times what a long one should take', () => {
    expect(longestSoundMs(asked('Hi'))).toBe(20_000);
    expect(longestSoundMs(asked('a'.repeat(100)))).toBe(8 * 6_500);
    expect(longestSoundMs(asked('a'.repeat(4_000)))).toBe(8 * 260_000);
  });

  it('has room for digits that are read one by one, 0.7 s each in Finnish', () => {
    expect(longestSoundMs(asked('7'.repeat(60)))).toBe(62_400);
  });

  it.each([
    ['Wait. [pause for 30 minutes] Now.', 60_000],
    ['[long-pause]<break time="3s"/> Now.', 120_000],
    ['[laugh] <soft>Hi</soft>', 0],
    ['[unpaused] Hi', 0],
  ])('has room for the pauses of %s', (input, pausesMs) => {
    expect(longestSoundMs(asked(input))).toBe(20_000 + pausesMs);
  });

  it('has room for the pauses between passages', () => {
    const passages = ['Hi', 'Ho', 'Hey'].map((input) => ({ input, voice: { kind: 'id', voiceId: 'v' } as const }));
    expect(longestSoundMs(asked('Hi\nHo\nHey', { passages }))).toBe(23_000);
  });

  it.each(['['.repeat(6_000), '[pause'.repeat(1_000), '[pause 1'.repeat(750)])(
    'is computed at once for a text made of brackets: %.8s…',
    async (input) => {
      expect(await leastCpuMs(() => longestSoundMs(asked(input)))).toBeLessThan(200);
    },
  );
});

it.each([
  ['Hello there', 108],
  ['Where is everybody tonight?', 276],
  ['…!? 😀 [laugh] <break time="2s"/>', 0],
  ['nooooooooooo', 24],
  ['a'.repeat(900), 12],
  ['abcdefghij'.repeat(50), 240],
])('the least sound of a text of %s', (input, ms) => {
  expect(leastSoundMs(asked(input))).toBe(ms);
});
