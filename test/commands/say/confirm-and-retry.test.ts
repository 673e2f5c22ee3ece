import { describe, expect, it } from 'vitest';
import { AudioError, type AudioErrorKind } from '../../../src/audio/audio-error.ts';
import { VoiceJoinError } from '../../../src/audio/connection/voice-session-types.ts';
import {
  type Control,
  type ControlCall,
  OfferedError,
  type PendingActions,
  type SpeakCall,
} from '../../../src/commands/framework/command.ts';
import { askFirst, offeringAgain } from '../../../src/commands/say/confirm-and-retry.ts';
import { say } from '../../../src/commands/say/say.ts';
import type { Button } from '../../../src/discord/replies/layout.ts';
import { refusal } from '../../../src/errors/refusals.ts';
import { DeliveryError, PartError, UserError } from '../../../src/errors/user-errors.ts';
import { type SpeechOrder, StoppedByMember } from '../../../src/services/queue/queue-item.ts';
import type { Spending } from '../../../src/services/spending/spending.ts';
import type { RecalledPurchase } from '../../../src/services/synthesis/purchases.ts';
import { createPending } from '../../../src/services/time/pending.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { render, text } from '../../../src/texts/catalog.ts';
import { orderOf, requestedOf } from '../../services/queue/items.ts';
import { servicesOf } from '../services.ts';

function control(name: string): Control {
  const found = say.controls?.find((one) => one.name === name);
  if (!found) throw new Error(`There is no control ${name}`);
  return found;
}

/** Alice sends the token of a order that waits for a button, with other words in the form. */
function sent(order: Partial<SpeechOrder>) {
  const pending = createPending() as PendingActions;
  const argument = pending.put('order', {
    words: 'as asked',
    speechOptions: {},
    output: {},
    as: 'voice',
    from: 'own',
    userId: 'alice',
    ...order,
  });
  const call = {
    interaction: { user: { id: 'alice' }, inCachedGuild: () => false },
    services: servicesOf({ pending, speakers: {} }),
    argument,
    values: [],
    fields: { text: 'other words' },
    signal: new AbortController().signal,
  } as unknown as ControlCall;
  return { call, pending, argument };
}

const attempt = async (name: string, call: ControlCall) => control(name).begin(call);

describe('what waits for a button', () => {
  it.each(['say-edit', 'say-text'])('is not taken for words of one’s own by %s when it was a message', async (name) => {
    const { call, pending, argument } = sent({ from: 'message', isConfirmed: true });
    await expect(attempt(name, call)).rejects.toThrow(UserError);
    expect(control('say-text').offerBack?.(call)).toEqual([]);
    expect(pending.peek('order', argument)?.words).toBe('as asked');
  });

  it('is not confirmed any more once its words are others', () => {
    const { call, pending } = sent({ isConfirmed: true });
    const rows = control('say-text').offerBack?.(call) as readonly (readonly Button[])[] | undefined;
    expect(pending.peek('order', rows?.[0]?.[0]?.argument ?? '')).toMatchObject({
      words: 'other words',
      isConfirmed: false,
    });
  });

  it.each([
    ['say-text', false],
    ['say-script', true],
  ])('is gone after a restart; what was written in its form, %s, is not', async (name, isScript) => {
    const { call, pending } = sent({});
    pending.forgetMember('alice');
    const guild = { ...call, interaction: { ...call.interaction, inGuild: () => true } } as typeof call;
    const error = await attempt(name, guild).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ cause: { text: { key: 'say.form-over' } } });
    const rows = error instanceof OfferedError ? (error.rows as readonly (readonly Button[])[]) : [];
    const kept = rows[0]?.[0]?.argument ?? '';
    expect(pending.peek('order', kept)).toMatchObject({
      words: 'other words',
      as: 'voice',
      userId: 'alice',
      isScript,
    });
    expect(await attempt('say-edit', { ...guild, argument: kept })).toMatchObject({
      modal: { control: name, fields: [{ value: 'other words' }] },
    });
    // Sent a second time after a refusal, it was not forgotten.
    const again = sent({});
    expect(control(name).offerBack?.(again.call)).toHaveLength(1);
    await expect(attempt(name, again.call)).rejects.toMatchObject({ text: { key: 'say.not-kept' } });
    expect(control(name).offerBack?.(again.call)).toEqual([]);
  });

  it('is opened for editing with what was written', async () => {
    expect(await attempt('say-edit', sent({}).call)).toMatchObject({ modal: { fields: [{ value: 'as asked' }] } });
    const { call } = sent({ userId: 'bob' });
    await expect(attempt('say-edit', call)).rejects.toThrow(UserError);
  });
});

const order = orderOf();
const callWith = (spending: Pick<Spending, 'estimateCredits'>) =>
  ({
    interaction: { user: { id: '1' } },
    services: servicesOf({ pending: { put: () => 'token' }, spending }),
  }) as unknown as SpeakCall;
const call = callWith({ estimateCredits: () => undefined });

/** What was paid for, with this sound, part by part. */
async function isOffered(cause: unknown, ...sound: RecalledPurchase['kind'][]): Promise<boolean> {
  const error = new DeliveryError('7', { kind: 'used', credits: 5 }, new PartError(1, 2, cause));
  const requested = requestedOf('Hello', { voices: [{ name: 'aria' } as Voice] });
  const synthesizer = { recall: async () => sound.map((kind) => ({ kind })) };
  const services = servicesOf({ ...call.services, synthesizer }) as unknown as SpeakCall['services'];
  const thrown = await offeringAgain(error, order, requested, { ...call, services });
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

  const lasting: AudioErrorKind[] = [
    'refused-address',
    'refused-redirect',
    'not-audio',
    'ffmpeg-missing',
    'too-large',
    'too-long',
    'endless',
  ];
  it.each([
    ...lasting.map((kind) => new AudioError(kind, 'no')),
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
    expect(await isOffered(elsewhere, 'to-buy')).toBe(false);
    expect(await isOffered(new StoppedByMember(), 'at-hand')).toBe(false);
  });
});

describe('the question before it becomes dear', () => {
  const requested = requestedOf();

  it.each([
    ['gpro', undefined, 'will be billed. Speak it?'],
    ['gpro', 'softly', 'will be billed (including the style). Speak it?'],
    // Its style is free.
    ['gpro38', 'softly', 'will be billed. Speak it?'],
  ])('says that a style is among the characters, with %s and style %s', (model, style, words) => {
    const voice = { kind: 'id', voiceId: 'aria', model } as const;
    const requested = requestedOf('Hello', { request: { input: 'Hello', voice, style } });
    const { cause } = askFirst(call, order, requested, [{ model, characters: 1_200 }]);
    expect(cause instanceof UserError && render(cause.text)).toContain(words);
  });

  it('says what all voices together cost, each by its model', () => {
    const rates: Record<string, number> = { ext: 1, gpro31: 5 };
    const spending: Pick<Spending, 'estimateCredits'> = {
      estimateCredits: (texts) => ({
        about: texts.reduce((sum, { model, characters }) => sum + characters * (rates[model] ?? 0), 0),
      }),
    };
    const toBuy = [
      { model: 'ext', characters: 1_000 },
      { model: 'gpro31', characters: 200 },
    ];
    const { cause } = askFirst(callWith(spending), order, requested, toBuy);
    expect(cause instanceof UserError && render(cause.text)).toContain('2,000 credits');
  });

  it('says nothing of bills where every model is free', () => {
    const billed = [{ model: 'local', characters: 1_200 }];
    const free = callWith({ estimateCredits: () => ({ about: 0 }) });
    const { cause } = askFirst(free, order, { ...requested, billed }, billed);
    expect(cause instanceof UserError && render(cause.text)).toBe('This is a long text: 1,200 characters. Speak it?');
  });

  it.each([
    ['voice', 'Speak it?', 'Speak it'],
    ['file', 'Create the file?', 'Create the file'],
    ['voice-message', 'Create the voice message?', 'Create the voice message'],
  ] as const)('says what is made: as %s', (as, question, answer) => {
    const toBuy = [{ model: 'gpro', characters: 1_200 }];
    const { cause, rows } = askFirst(call, { ...order, as }, requested, toBuy);
    expect(cause instanceof UserError && render(cause.text)).toContain(`1,200 characters will be billed. ${question}`);
    expect(rows.flat().map((control) => control.kind === 'button' && render(control.label))).toEqual([
      answer,
      'Cancel',
    ]);
  });
});
