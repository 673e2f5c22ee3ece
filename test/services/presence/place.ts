import type { VoicePlace } from '../../../src/services/presence/channel-presence.ts';

/** A voice channel whose main gateway is connected and says nothing, and in which the bot is heard at once. */
export const placeAt = (channelId: string): VoicePlace => ({
  channelId,
  shardId: 0,
  adapterCreator: () => ({ sendPayload: () => true, destroy: () => undefined }),
  knownChannel: () => channelId,
  isGatewayConnected: () => true,
  takeTheFloor: () => undefined,
});
