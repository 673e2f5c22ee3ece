import { describe, expect, it, vi } from 'vitest';
import { AudioError } from '../../src/audio/clips/clip.ts';
import { type JoinWait, VoiceJoinError } from '../../src/audio/connection/voice-session-types.ts';
import { type Explanation, explain, type TopUp } from '../../src/errors/explain.ts';
import {
  type Cost,
  DeliveryError,
  JoinError,
  PartError,
  refusal,
  StoreError,
  UserError,
} from '../../src/errors/user-errors.ts';
import { SpeechError, type SpeechErrorKind } from '../../src/speech/errors.ts';
import { render, text } from '../../src/texts/catalog.ts';

const words = ({ lines }: Explanation) => lines.map((line) => render(line));
const PAID = { localVoice: false, topUp: undefined };
const told = (error: unknown, localVoice = false, topUp: TopUp = undefined) =>
  words(explain(error, { localVoice, topUp }));
/** The words for a text that failed for this reason, with what it cost. */
const toldOf = (cost: Cost, cause: unknown, localVoice = false) =>
  told(new DeliveryError('1', cost, cause), localVoice);
const REQUEST_ID = 'req_x_0123456789abcdef0123456789abcdef';
const failed = (kind: SpeechErrorKind, facts: Partial<SpeechError> = {}) =>
  new SpeechError({ kind, message: 'no', ...facts });

describe('the words for a failure', () => {
  it('end with code and request id in one line to copy', () => {
    const error = failed('insufficient-credits', { code: 'insufficient_credits', requestId: REQUEST_ID, status: 402 });
    expect(told(error).at(-1)).toBe(`\`insufficient_credits · ${REQUEST_ID}\``);
    expect(told(error)[0]).toContain('top up');
    const local = told(error, true, 'command')[0];
    // Members can run no command of the owner's, and the same answer comes while credits for a shorter text are left.
    expect(local).toMatch(/allowance doesn’t cover this text.+shorter one.+ask the bot’s owner/);
    expect(local).not.toMatch(/README|credit/);
    expect(told(error, true).at(-1)).toBe(`\`${REQUEST_ID}\``);
    const rejected = failed('invalid-api-key');
    expect(told(rejected, true, 'command')[0]).toMatch(/own speech service.+restart/);
    expect(told(rejected)[0]).toContain('VOICE_API_KEY');
    expect(told(error, false, 'command')[0]).toContain('enough credits for this');
    const topUp = new URL('https://voice.example.com/credits');
    expect(told(error, false, topUp)[0]).toContain('https://voice.example.com/credits');
  });

  it('of a limit are its two sentences, without a third about credits that were not used', () => {
    const advice = text('refused.spending.ask-admin');
    const error = new UserError(text('refused.spending.off', { scope: 'server', advice }), { kind: 'spending-limit' });
    const words = ['Speech is switched off in this server: the daily limit is 0. An admin can raise the limit.'];
    expect([toldOf({ kind: 'none' }, error), told(error, true)]).toEqual([words, words]);
  });

  it('of a part say how far it came, why it ended, and the credits used, in this order', () => {
    const refused = failed('content-policy', { code: 'content_policy_violation', requestId: REQUEST_ID });
    const cost = { kind: 'used', credits: 40, requestId: 'req_of_part_2' } as const;
    const lines = told(new DeliveryError('7', cost, new PartError(3, 5, refused)));
    expect(lines[0]).toBe('Stopped at part 3 of 5, which couldn’t be generated.');
    expect(lines[1]).toContain('content policy');
    expect(lines.slice(2)).toEqual(['40 credits were used.', `\`content_policy_violation · ${REQUEST_ID}\``]);
    const ofFile = told(new DeliveryError(undefined, cost, new PartError(3, 5, refused)));
    expect(ofFile).toEqual(lines.slice(1));
  });

  it('never show what the service or the program said', () => {
    const inner = 'ECONNREFUSED 10.0.0.1 at Object.connect';
    for (const kind of ['network', 'server-error', 'bad-response', 'invalid-request'] satisfies SpeechErrorKind[]) {
      expect(told(new SpeechError({ kind, message: inner })).join('\n')).not.toContain('10.0.0.1');
    }
    expect(told(new Error(inner)).join('\n')).not.toContain('10.0.0.1');
  });

  it('say nothing of credits where the voice is local', () => {
    const part = new PartError(2, 3, new AudioError('damaged', 'cut off'));
    for (const cause of [part, new UserError(refusal('stopped')), new StoreError('hung'), new Error('odd')]) {
      for (const cost of [{ kind: 'none' }, { kind: 'unknown' }, { kind: 'used', credits: 12 }] as const) {
        expect(toldOf(cost, cause, true).join()).not.toContain('redits');
      }
    }
  });

  it('say that credits may be gone when the answer was lost, or more than is known', () => {
    const cost = { kind: 'used', credits: 12, mayBeMore: true } as const;
    const more = ['12 credits were used.', 'The part that was still being generated may cost more.'];
    const lost = failed('network', { creditsMayBeSpent: true });
    expect(told(lost)).toContain('Credits may have been used.');
    expect(told(failed('unavailable')).join()).not.toContain('redits');
    expect(toldOf(cost, new AudioError('damaged', 'cut off')).slice(1, 3)).toEqual(more);
    expect(toldOf(cost, new UserError(refusal('channel-gone', { heard: 'nothing' }))).slice(1)).toEqual(more);
    expect(toldOf(cost, new PartError(2, 3, failed('content-policy'))).slice(2, 4)).toEqual(more);
    // The part whose answer was lost came after one that was billed.
    expect(toldOf({ kind: 'used', credits: 12 }, new PartError(2, 3, lost)).slice(2, 4)).toEqual(more);
    expect(toldOf({ kind: 'none' }, lost).slice(1, 2)).toEqual(['Credits may have been used.']);
  });

  it('say of what was cut off whether any of it was heard', () => {
    for (const kind of ['network', 'damaged'] as const) {
      const error = new DeliveryError('1', { kind: 'used', credits: 12 }, new AudioError(kind, 'cut off'), true);
      expect(told(error).slice(0, 2)).toEqual([
        'The audio cut out, so only part of this was read. Try again in a minute.',
        '12 credits were used.',
      ]);
    }
    const kicked = new UserError(refusal('kicked', { channel: '<#7>', heard: 'nothing' }));
    const of = (wasHeard: boolean) => told(new DeliveryError('7', { kind: 'none' }, kicked, wasHeard))[0];
    expect(of(false)).toContain('so this wasn’t spoken.');
    expect(of(true)).toContain('so this wasn’t spoken in full.');
  });

  it('say when it may be tried again, as a time that Discord counts down', () => {
    vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] });
    const of = (kind: SpeechErrorKind, retryAfterMs?: number) => {
      const error = failed(kind, { retryAfterMs });
      return [told(error)[0], toldOf({ kind: 'none' }, error)[0]];
    };
    const later = 'The speech service has too many requests. Try again <t:4600:R>.';
    expect(of('rate-limited', 3_600_000)).toEqual([later, later]);
    for (const words of of('rate-limited')) expect(words).toContain('Try again in a moment.');
    for (const words of of('unavailable')) {
      expect(words).toBe('The speech service is busy or down right now. Try again in a few minutes.');
    }
  });

  it('leave the request’s code to the log where nothing failed', () => {
    const cost = { kind: 'used', credits: 12, requestId: REQUEST_ID } as const;
    const stopped = new DeliveryError('1', cost, new UserError(refusal('stopped')));
    expect(told(stopped)).toEqual(['Removed from the queue.', '12 credits were used.']);
    expect(told(stopped, true)).toEqual(['Removed from the queue.']);
    expect(explain(stopped, PAID).requestId).toBe(REQUEST_ID);
  });

  it('come with the cost for the log: so many credits, perhaps some, or none', () => {
    const costOf = (cost: Cost) => explain(new DeliveryError('1', cost, new UserError(refusal('stopped'))), PAID).cost;
    expect(costOf({ kind: 'used', credits: 12 })).toEqual({ creditsUsed: 12 });
    expect(costOf({ kind: 'unknown' })).toEqual({ creditsMayBeSpent: true });
    expect(costOf({ kind: 'none' })).toBeUndefined();
  });

  it('name the channel that could not be joined, and that nothing was spent', () => {
    expect(told(new DeliveryError('42', { kind: 'none' }, new VoiceJoinError('timeout', 'no answer')))).toEqual([
      expect.stringContaining('couldn’t join <#42>'),
      'No credits were used.',
      '`join timeout`',
    ]);
  });

  it('of a join say which answer was missing, or what it was: a firewall is no missing permission', () => {
    const waited = (waitedFor: JoinWait) =>
      told(new JoinError('42', new VoiceJoinError('timeout', 'x', { waitedFor })));
    expect(waited('ip-discovery')).toEqual([
      expect.stringMatching(/couldn’t join <#42>.*UDP.*firewall/u),
      '`join timeout ip-discovery`',
    ]);
    expect(waited('voice-gateway')[0]).toContain('voice server didn’t respond in time');
    expect(waited('voice-server-update')[0]).toContain('voice server didn’t respond in time');
    expect(waited('admission')[0]).toContain('check the bot’s permissions');
    expect(told(new JoinError('42', new VoiceJoinError('no-route', 'x')))).toEqual([
      expect.stringMatching(/no IPv4, which Discord’s voice needs/),
      '`join no-route`',
    ]);
  });

  it('say that nothing was changed when the store is down', () => {
    expect(told(new StoreError('hung'))[0]).toContain('nothing was changed');
  });

  it('give an unforeseen error a code by which its log line is found', () => {
    const explanation = explain(new TypeError('x is undefined'), PAID);
    expect(words(explanation).at(-1)).toBe(`\`${explanation.incident}\``);
    expect(explanation.severity).toBe('error');
  });
});
