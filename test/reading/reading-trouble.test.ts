import { describe, expect, it } from 'vitest';
import { AudioError } from '../../src/audio/clips/clip.ts';
import { VoiceJoinError } from '../../src/audio/connection/voice-session-types.ts';
import { DeliveryError, PartError, refusal, StoreError, UserError } from '../../src/errors/user-errors.ts';
import { troubleOf } from '../../src/reading/reading-trouble.ts';
import { StoppedByMember } from '../../src/services/queue/queue-item.ts';
import { BlockedWordError } from '../../src/services/text/blocked-words.ts';
import { SpeechError, type SpeechErrorKind } from '../../src/speech/errors.ts';
import { render, type Text, text } from '../../src/texts/catalog.ts';

const trouble = (error: unknown) => troubleOf(error, { localVoice: false, topUp: undefined });
const failed = (cause: unknown) => new DeliveryError('30', { kind: 'none' }, cause);
const speech = (kind: SpeechErrorKind) => new SpeechError({ kind, message: kind });

describe('of what could not be read', () => {
  it('is posted with its remedy where members can fix it', () => {
    const told = trouble(failed(speech('insufficient-credits')));
    expect(told.kind === 'told' && render(told.words)).toContain('top up');
    expect(trouble(failed(new PartError(2, 3, speech('unavailable')))).kind).toBe('told');
    // As where an engine rejects each text of a voice.
    const rejected = trouble(failed(speech('invalid-request')));
    expect(rejected.kind === 'told' && render(rejected.words)).toContain('Change the text or the voice');
    expect(trouble(failed(new AudioError('not-audio', 'was a picture'))).kind).toBe('told');
    expect(trouble(new UserError(refusal('server-muted'))).kind).toBe('told');
    expect(trouble(new UserError(refusal('timed-out', { until: 'noon' }))).kind).toBe('told');
  });

  it('nobody reads what another member has used and may use', () => {
    const refused = text('refused.spending', { scope: 'member', about: 9, left: 4, limit: 20, when: 'soon' });
    const toOthers = text('refused.spending.others', { when: 'soon' });
    const kind = 'spending-limit';
    const told = (others?: Text) => trouble(failed(new UserError(refused, { toOthers: others, kind })));
    expect(told(toOthers)).toMatchObject({ kind: 'told', words: toOthers, isAuthorsOwn: true });
    // What holds for a whole server is everybody's.
    expect(told()).toEqual({ kind: 'told', why: 'refused.spending', words: refused, isAuthorsOwn: false });
    const off = text('refused.spending.off', { scope: 'server', advice: 'Ask.' });
    expect(trouble(new UserError(off, { kind })).kind).toBe('told');
  });

  it.each([
    ['what was said a moment ago', new UserError(text('refused.duplicate'))],
    ['a blocked word', new BlockedWordError(text('blocked.refused', { rule: 'x' }))],
    ['what was skipped', failed(new StoppedByMember())],
    ['a restart', new UserError(refusal('stopping'))],
    ['one text the service refuses', failed(speech('content-policy'))],
  ])('nothing is told of %s', (_, error) => {
    expect(trouble(error).kind).toBe('none');
  });

  it('is only logged where no member of the channel can fix it', () => {
    expect(trouble(new StoreError('gone')).kind).toBe('logged');
    expect(trouble(new TypeError('a mistake of ours')).kind).toBe('logged');
    for (const kind of ['timeout', 'refused', 'encryption', 'busy'] as const)
      expect(trouble(failed(new VoiceJoinError(kind, kind))).kind, kind).toBe('logged');
  });
});
