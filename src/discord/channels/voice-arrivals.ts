import { type Client, Events, type VoiceState } from 'discord.js';

/** Calls back when a member comes into a voice channel of any server, and at once where one is in one already. */
export function onVoiceArrival(client: Client<true>, callback: () => void): void {
  const isIn = ({ channelId, id, member }: VoiceState) =>
    channelId !== null && id !== client.user.id && member?.user.bot !== true;
  client.on(Events.VoiceStateUpdate, (before, after) => {
    if (before.channelId === null && isIn(after)) callback();
  });
  if (client.guilds.cache.some(({ voiceStates }) => voiceStates.cache.some(isIn))) callback();
}
