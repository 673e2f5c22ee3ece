import { Client, Collection, Events } from 'discord.js';
import { expect, it, vi } from 'vitest';
import { onVoiceArrival } from '../../../src/discord/channels/voice-arrivals.ts';

type State = { readonly id: string; readonly channelId: string | null; readonly member?: object };

const ROBOT = { user: { bot: true } };

/** With these voice states in its one server. */
function clientWith(...states: readonly State[]) {
  const client = new Client({ intents: [] });
  const voiceStates = { cache: new Collection(states.map((state) => [state.id, state])) };
  Object.assign(client, { user: { id: 'bot' }, guilds: { cache: new Collection([['1', { voiceStates }]]) } });
  const becomes = (before: State, after: State) =>
    client.emit(Events.VoiceStateUpdate, before as never, after as never);
  return { client: client as Client<true>, becomes };
}

it('a member who comes into a voice channel is an arrival; one who moves or leaves, and a bot, are not', () => {
  const { client, becomes } = clientWith({ id: 'bot', channelId: '7' });
  const arrived = vi.fn();
  onVoiceArrival(client, arrived);
  becomes({ id: 'alice', channelId: '7' }, { id: 'alice', channelId: '8' });
  becomes({ id: 'alice', channelId: '8' }, { id: 'alice', channelId: null });
  becomes({ id: 'bot', channelId: null }, { id: 'bot', channelId: '8' });
  becomes({ id: 'robot', channelId: null }, { id: 'robot', channelId: '8', member: ROBOT });
  expect(arrived).not.toHaveBeenCalled();
  becomes({ id: 'alice', channelId: null }, { id: 'alice', channelId: '7' });
  expect(arrived).toHaveBeenCalledOnce();
});

it('who was there before counts', () => {
  const { client } = clientWith({ id: 'alice', channelId: '7' });
  const arrived = vi.fn();
  onVoiceArrival(client, arrived);
  expect(arrived).toHaveBeenCalledOnce();
});
