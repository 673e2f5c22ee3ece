import { type Client, Events, type VoiceState } from 'discord.js';
import { isBot } from './voice-access.ts';

/** Calls back when a member comes into a voice channel of any server, and at once where one is in one already. */
export function onVoiceArrival(client: Client<true>, callback: () => void): void {
  const isIn = (state: VoiceState) => state.channelId !== null && !isBot(client, state);
  client.on(Events.VoiceStateUpdate, (before, after) => {
    if (before.channelId === null && isIn(after)) callback();
  });
  if (client.guilds.cache.some(({ voiceStates }) => voiceStates.cache.some(isIn))) callback();
}
