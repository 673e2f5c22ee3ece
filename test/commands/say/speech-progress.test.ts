import { expect, it } from 'vitest';
import {
  finalReply,
  laterReply,
  progressOf,
  speechFacts,
  speechLines,
} from '../../../src/commands/say/speech-progress.ts';
import { refusal } from '../../../src/errors/refusals.ts';
import { type Cost, DeliveryError, UserError } from '../../../src/errors/user-errors.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { render, type Text, text } from '../../../src/texts/catalog.ts';
import { itemOf, orderOf, requestedOf } from '../../services/queue/items.ts';
import { servicesOf } from '../services.ts';

const VOICES = [
  { id: 'a', name: 'aria', model: 'gpro' },
  { id: 'n', name: 'Nova', model: 'kokoro', languages: ['en'] },
];
const voices = { known: () => ({ voices: VOICES }) } as never;

it('the log holds that credits may be spent beyond those that are known', () => {
  const speech = { creditsUsed: 0, cached: false, warnings: [] };
  expect(speechFacts({ ...speech, mayBeMore: true })).toMatchObject({ creditsUsed: 0, creditsMayBeSpent: true });
  expect(speechFacts(speech).creditsMayBeSpent).toBeUndefined();
});

it('what is said about money is said of paid voices alone, and of nothing that is at hand', () => {
  const requested = requestedOf('Hello', { billed: [{ model: 'm', characters: 900 }] });
  const item = itemOf({ requested, state: 'speaking' });
  const lines = (isBilled: boolean, localVoice: boolean) =>
    progressOf(item, { kind: 'speaking', part: 1, parts: 3, isBilled }, servicesOf({ localVoice }))?.lines.map(
      (line) => (line as Text).key,
    );
  expect(lines(true, false)).toEqual(['say.speaking-part', 'say.billed']);
  expect(lines(false, false)).toEqual(['say.speaking-part']);
  expect(lines(true, true)).toEqual(['say.speaking-part']);
  const failed = new DeliveryError('2', { kind: 'used', credits: 5 }, new Error('ended'));
  const later = (localVoice: boolean) => laterReply(failed, servicesOf({ localVoice })).lines.map(({ key }) => key);
  expect(later(false)).toEqual(['resumed.later', 'failed.credits-used']);
  expect(later(true)).toEqual(['resumed.later']);
});

it('what may be billed when the process ends is not promised to be spoken, unless it is free', () => {
  const told = (cost: Cost, { localVoice = false, why = refusal('stopping') } = {}) =>
    laterReply(new DeliveryError('2', cost, new UserError(why)), servicesOf({ localVoice }))
      .lines.map((line) => render(line))
      .join(' ');
  expect(told({ kind: 'unknown' })).toBe(
    'The bot is restarting. This was still being generated, and won’t be generated again unless you ask. Credits may have been used.',
  );
  expect(told({ kind: 'used', credits: 15, mayBeMore: true })).toMatch(
    /won’t be generated again unless you ask. 15 credits were used. The part that was still being generated may cost more.$/,
  );
  expect(told({ kind: 'unknown' }, { why: refusal('session-ended') })).toMatch(
    /the log says what to do. This was still being generated, .* Credits may have been used.$/,
  );
  for (const [cost, localVoice] of [
    [{ kind: 'none' }, false],
    [{ kind: 'unknown' }, true],
  ] as const) {
    expect(told(cost, { localVoice })).toMatch(/^The bot is restarting. It will speak this when it’s back, [^.]*.$/);
  }
});

it('a script is shown line by line, while it is spoken and in the end', () => {
  const [aria, nova] = VOICES;
  const requested = requestedOf('Who is there?\n-# Nobody.\n', { voices: [aria as Voice, nova as Voice] });
  const item = itemOf({ order: orderOf({ isScript: true }), requested, state: 'speaking' });
  const services = servicesOf({ localVoice: true, voices });
  const meanwhile = progressOf(item, undefined, services)?.lines.map((line) => render(line as Text));
  expect(meanwhile).toEqual([expect.stringMatching(/: “Who is there\?\n-# \\-# Nobody\.”$/)]);
  const speech = { creditsUsed: 0, cached: false, warnings: [] };
  const delivery = { outcome: 'finished', channelId: '2', speech } as never;
  expect(render(finalReply(item, delivery, services).lines[0] as Text)).toMatch(/: “Who is there\?\n\\-# Nobody\.”$/);
});

it('what ended while its bill is awaited says so, without buttons', () => {
  const at = (state: 'synthesizing' | 'skipped', kind: 'synthesizing' | 'ending') =>
    progressOf(itemOf({ state }), { kind, part: 1, parts: 1 }, servicesOf({ localVoice: false }));
  expect(at('skipped', 'ending')).toEqual({ lines: [text('say.ending')] });
  expect(at('skipped', 'synthesizing')).toBeUndefined();
  expect(at('synthesizing', 'synthesizing')?.rows).toHaveLength(1);
});

it('what was spoken with the local voice has no cost, and with a paid one one line', () => {
  const facts = { creditsUsed: 5, creditsRemaining: 95, cached: false };
  expect(speechLines(facts, servicesOf({ localVoice: true }))).toEqual([]);
  expect(speechLines({ ...facts, creditsUsed: 0, cached: true }, servicesOf({ localVoice: true }))).toEqual([]);
  expect(speechLines(facts, servicesOf({ localVoice: false }))).toHaveLength(1);
});

it('a text that was stopped before all of its sound was there is not offered again', () => {
  const speech = { creditsUsed: 0, cached: true, warnings: [] };
  const stopped = { outcome: 'stopped', channelId: '2', firstAudioMs: 1, encrypted: true, speech } as const;
  const buttons = (isNotKept?: true) =>
    finalReply(itemOf(), { ...stopped, isNotKept }, servicesOf({ localVoice: true, voices })).rows?.flat().length;
  expect(buttons()).toBe(2);
  expect(buttons(true)).toBe(0);
});

it('names the voice that spoke in the place of one whose engine is down', () => {
  const [, nova] = VOICES;
  const item = itemOf({ requested: requestedOf('Hello', { voices: [nova as Voice] }) });
  const services = servicesOf({ localVoice: true, voices });
  const told = (...heard: readonly string[]) => {
    const speakers = heard.map((id) => ({ asked: 'n', heard: id }));
    const speech = { creditsUsed: 0, cached: false, warnings: [], ...(heard.length > 0 && { speakers }) };
    const spoken = {
      outcome: 'finished',
      channelId: '2',
      firstAudioMs: 1,
      encrypted: true,
      speech,
    } as const;
    return finalReply(item, spoken, services).lines.map((line) => render(line));
  };
  expect(told('a')).toEqual([
    'Spoken in <#2> with aria (gpro): “Hello”',
    '-# Nova (kokoro) isn’t available right now, so aria (gpro) read this instead.',
  ]);
  // It went down on the way.
  expect(told('n', 'a')[0]).toBe('Spoken in <#2> with Nova (kokoro), aria (gpro): “Hello”');
  // It was back by then.
  expect(told()).toEqual(['Spoken in <#2> with Nova (kokoro): “Hello”']);
});
