import { describe, expect, it } from 'vitest';
import type { PendingActions } from '../../../src/commands/framework/command.ts';
import { type Control, type ControlCall, OfferedError } from '../../../src/commands/framework/command.ts';
import { say } from '../../../src/commands/say/say.ts';
import type { Button } from '../../../src/discord/replies/layout.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import type { SpeechOrder } from '../../../src/services/playback/speech-order.ts';
import { createPending } from '../../../src/services/time/pending.ts';
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
    askerId: 'alice',
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
      askerId: 'alice',
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
    const { call } = sent({ askerId: 'bob' });
    await expect(attempt('say-edit', call)).rejects.toThrow(UserError);
  });
});
