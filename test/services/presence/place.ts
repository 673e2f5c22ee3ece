import type { VoicePlace } from '../../../src/services/presence/channel-presence.ts';

/** A voice channel whose main gateway is connected and says nothing. */
export const placeAt = (channelId: string): VoicePlace => ({
  channelId,
  shardId: 0,
  adapterCreator: () => ({ sendPayload: () => true, destroy: () => undefined }),
  knownChannel: () => channelId,
  isGatewayConnected: () => true,
});
