import { Client, Events, type VoiceBasedChannel } from 'discord.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { whenInvited } from '../../../src/discord/channels/voice-access.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { render } from '../../../src/texts/catalog.ts';

const BOT = 'bot';
const NEVER = new AbortController().signal;

const stageOf = (guildId: string) => ({ id: `stage of ${guildId}`, guild: { id: guildId } }) as VoiceBasedChannel;

function createClient() {
  const client = new Client({ intents: [] });
  Object.assign(client, { user: { id: BOT } });
  const told = (guildId: string, state: { id?: string; channelId?: string | null; suppress?: boolean }) =>
    client.emit(Events.VoiceStateUpdate, {} as never, { id: BOT, guild: { id: guildId }, ...state } as never);
  return {
    client,
    told,
    invites: (guildId: string) => told(guildId, { channelId: `stage of ${guildId}`, suppress: false }),
  };
}

afterEach(() => void vi.useRealTimers());

describe('a bot in the audience of a stage', () => {
  it('asks, and speaks once a moderator has invited it there, and not before', async () => {
    const { client, told, invites } = createClient();
    const ask = vi.fn(async () => undefined);
    const done = vi.fn();
    const waiting = whenInvited(client, stageOf('1'), { ask, signal: NEVER }).then(done);
    expect(ask).toHaveBeenCalledOnce();
    told('1', { channelId: 'stage of 1', suppress: true });
    told('1', { id: 'alice', channelId: 'stage of 1', suppress: false });
    invites('2');
    await new Promise(setImmediate);
    expect(done).not.toHaveBeenCalled();
    invites('1');
    await waiting;
  });

  it('waits no longer when it is moved away, when its asker gives up, or when Discord does not let it ask', async () => {
    const { client, told } = createClient();
    const ask = async () => undefined;
    const moved = whenInvited(client, stageOf('1'), { ask, signal: NEVER });
    told('1', { channelId: null, suppress: false });
    await expect(moved).rejects.toMatchObject({ text: { key: 'stage.not-invited' } });
    const givingUp = new AbortController();
    const givenUp = whenInvited(client, stageOf('1'), { ask, signal: givingUp.signal });
    givingUp.abort(new Error('Enough'));
    await expect(givenUp).rejects.toThrow('Enough');
    const refused = { ask: () => Promise.reject(new Error('Not here')), signal: NEVER };
    await expect(whenInvited(client, stageOf('1'), refused)).rejects.toThrow('Not here');
  });

  it('waits a minute, and then says that it is to be invited while it waits', async () => {
    vi.useFakeTimers();
    const { client } = createClient();
    const over = vi.fn();
    const refused = whenInvited(client, stageOf('1'), { ask: async () => undefined, signal: NEVER }).catch(
      (error: unknown) => error,
    );
    void refused.then(over);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(over).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    const error = await refused;
    expect(error).toBeInstanceOf(UserError);
    expect(render((error as UserError).text)).toBe(
      'The bot requested to speak in <#stage of 1>, but wasn’t invited. ' +
        'Try again, and have a stage moderator invite it within a minute.',
    );
  });
});
