import { describe, expect, it } from 'vitest';
import { AudioError } from '../../../src/audio/clips/clip.ts';
import { VoiceJoinError } from '../../../src/audio/connection/voice-session-types.ts';
import { laterReply, offeringAgain } from '../../../src/commands/say/offers.ts';
import { type Cost, DeliveryError, PartError, refusal, UserError } from '../../../src/errors/user-errors.ts';
import { StoppedByMember } from '../../../src/services/queue/queue-item.ts';
import type { RecalledPurchase } from '../../../src/services/synthesis/sound-store.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { render, text } from '../../../src/texts/catalog.ts';
import { orderOf, requestedOf } from '../../services/queue/items.ts';
import { servicesOf } from '../scene.ts';

/** Whether another try is offered after a failure of what was paid for, with this audio, part by part. */
async function isOffered(cause: unknown, ...sound: RecalledPurchase['kind'][]): Promise<boolean> {
  const error = new DeliveryError('7', { kind: 'used', credits: 5 }, new PartError(1, 2, cause));
  const requested = requestedOf('Hello', { voices: [{ name: 'aria' } as Voice] });
  const synthesizer = { recall: async () => sound.map((kind) => ({ kind })) };
  const services = servicesOf({ pending: { put: () => 'token' }, synthesizer });
  const thrown = await offeringAgain(error, orderOf(), requested, services);
  expect(thrown.cause).toBe(error);
  // So that a failed text is found in the log by its voice.
  expect(thrown.facts).toEqual({ voice: 'aria' });
  return thrown.rows.length > 0;
}

describe('another try', () => {
  it.each([
    ...(['network', 'timeout', 'http-status', 'damaged'] as const).map((kind) => new AudioError(kind, 'no')),
    ...(['unavailable', 'server-error', 'timeout', 'insufficient-credits'] as const).map(
      (kind) => new SpeechError({ kind, message: 'no' }),
    ),
    new VoiceJoinError('timeout', 'no answer'),
  ])('is offered where it may go well: $name $kind', async (cause) => {
    expect(await isOffered(cause)).toBe(true);
  });

  it.each([
    new AudioError('refused-address', 'no'),
    new AudioError('endless', 'no'),
    new SpeechError({ kind: 'content-policy', message: 'no' }),
    new UserError(text('say.empty')),
  ])('is not offered where it would only cost again: $name $kind', async (cause) => {
    expect(await isOffered(cause, 'at-hand')).toBe(false);
  });

  it('of what was cut off is offered where all that was paid for is at hand', async () => {
    const kicked = new UserError(refusal('kicked', { channel: '<#7>', heard: 'nothing' }));
    expect(await isOffered(kicked, 'at-hand', 'at-hand')).toBe(true);
    expect(await isOffered(kicked, 'at-hand', 'to-buy')).toBe(false);
    expect(await isOffered(kicked, 'maybe-billed')).toBe(false);
    const elsewhere = new UserError(refusal('not-spoken-there', { channel: '<#7>', channels: { list: ['<#8>'] } }));
    expect(await isOffered(elsewhere, 'at-hand')).toBe(true);
    expect(await isOffered(new StoppedByMember(), 'at-hand')).toBe(false);
  });
});

it.each<[Cost, boolean, RegExp]>([
  [{ kind: 'unknown' }, false, /restarting. This was still being generated, .* Credits may have been used.$/],
  [{ kind: 'used', credits: 15, mayBeMore: true }, false, /unless you ask. 15 credits were used. The .* cost more.$/],
  [{ kind: 'none' }, false, /^The bot is restarting. It will speak this if it’s back [^.]*.$/],
  [{ kind: 'unknown' }, true, /^The bot is restarting. It will speak this if it’s back [^.]*.$/],
])('what may be billed when the process ends is promised only if it is free: %j, %s', (cost, isFree, words) => {
  const why = new DeliveryError('2', cost, new UserError(refusal('stopping')));
  const { lines } = laterReply(why, servicesOf({ localVoice: isFree }));
  expect(lines.map((line) => render(line)).join(' ')).toMatch(words);
});
