import { randomBytes } from 'node:crypto';
import { Close } from '../voice/protocol.ts';
import type { Hub } from './hub.ts';
import { type Channel, type Guild, membersIn, type OwnVoice, type VoiceState } from './model.ts';
import { voiceStatePayload } from './payloads.ts';
import { channelPermissions, PERMISSIONS } from './permissions.ts';

/** `left`: the bot left, or its session or membership ended. `disconnected`: a moderator disconnected the bot. */
type Departure = 'left' | 'disconnected' | 'channel-deleted';

/** After a member has left voice, `channelId` is null. */
function publishState(hub: Hub, state: VoiceState, channelId: string | null = state.channelId): void {
  hub.announce(state.guildId, 'VOICE_STATE_UPDATE', voiceStatePayload(hub.model, state, channelId));
}

function stateIn(hub: Hub, guild: Guild, channel: Channel, userId: string, own: OwnVoice): VoiceState {
  const member = guild.members.get(userId);
  const maySpeak =
    member !== undefined && (channelPermissions(guild, member, channel, hub.clock.now()) & PERMISSIONS.Speak) !== 0n;
  return {
    guildId: guild.id,
    userId,
    channelId: channel.id,
    sessionId: own.sessionId,
    selfMute: own.selfMute,
    selfDeaf: own.selfDeaf,
    // Everyone joins a stage in the audience: https://discord.com/developers/docs/resources/voice#voice-state-object
    suppress: channel.kind === 'stage' || !maySpeak,
    requestToSpeakAt: null,
  };
}

function isMuted(hub: Hub, state: VoiceState): boolean {
  return (
    state.suppress || state.selfMute || hub.model.guilds.get(state.guildId)?.members.get(state.userId)?.mute === true
  );
}

export const isVoice = (channel: Channel) => channel.kind === 'voice' || channel.kind === 'stage';

export function joinRefusal(hub: Hub, guild: Guild, channel: Channel, userId: string): string | undefined {
  const member = guild.members.get(userId);
  if (!member) return 'not a member of this server';
  if (!isVoice(channel)) return 'not a voice channel';
  const bits = channelPermissions(guild, member, channel, hub.clock.now());
  if (!(bits & PERMISSIONS.ViewChannel) || !(bits & PERMISSIONS.Connect)) return 'no permission to connect';
  const others = membersIn(guild, channel.id).filter((state) => state.userId !== userId);
  const full = channel.userLimit > 0 && others.length >= channel.userLimit;
  return full && !(bits & PERMISSIONS.MoveMembers) ? 'the channel is full' : undefined;
}

function applyDeafness(hub: Hub, state: VoiceState): void {
  const member = hub.model.guilds.get(state.guildId)?.members.get(state.userId);
  hub
    .listenersIn(state.guildId)
    .byUser.get(state.userId)
    ?.setDeaf(state.selfDeaf || member?.deaf === true);
}

export function personJoins(hub: Hub, guild: Guild, channel: Channel, userId: string) {
  const serverListeners = hub.listenersIn(guild.id);
  const current = guild.voiceStates.get(userId);
  const earlier = serverListeners.byUser.get(userId);
  if (current?.channelId === channel.id && earlier) return earlier;
  earlier?.leave();
  const newcomer = { sessionId: randomBytes(16).toString('hex'), selfMute: false, selfDeaf: false };
  const state = stateIn(hub, guild, channel, userId, current ?? newcomer);
  guild.voiceStates.set(userId, state);
  const listener = hub.voice.addListener({
    guildId: guild.id,
    channelId: channel.id,
    userId,
    dave: channel.kind !== 'stage',
  });
  serverListeners.byUser.set(userId, listener);
  serverListeners.lastByChannel.set(channel.id, listener);
  applyDeafness(hub, state);
  publishState(hub, state);
  return listener;
}

export function personLeaves(hub: Hub, guild: Guild, userId: string): void {
  const serverListeners = hub.listenersIn(guild.id);
  const state = guild.voiceStates.get(userId);
  if (!state) return;
  guild.voiceStates.delete(userId);
  serverListeners.byUser.get(userId)?.leave();
  publishState(hub, state, null);
}

interface VoiceStateRequest extends OwnVoice {
  readonly guildId: string;
  readonly channelId: string | null;
}

/**
 * The bot asks to join, move to or leave a voice channel (op 4). If the channel is full or a permission is missing,
 * Discord does not answer. https://discord.com/developers/docs/events/gateway-events#update-voice-state
 */
export function botUpdatesVoiceState(hub: Hub, request: VoiceStateRequest): void {
  const guild = hub.model.guilds.get(request.guildId);
  const userId = hub.model.application.botId;
  if (!guild?.available) return;
  if (request.channelId === null) {
    botLeaves(hub, guild, 'left');
    return;
  }
  const channel = guild.channels.get(request.channelId);
  const current = guild.voiceStates.get(userId);
  if (!channel) return;
  if (current?.channelId !== channel.id && joinRefusal(hub, guild, channel, userId) !== undefined) return;
  if (current && current.channelId !== channel.id) hub.voice.drop({ guildId: guild.id, userId }, Close.disconnected);
  const { sessionId, selfMute, selfDeaf } = request;
  const stays = current?.channelId === channel.id && current.sessionId === sessionId;
  const own = { sessionId, selfMute, selfDeaf };
  const state = stays ? Object.assign(current, own) : stateIn(hub, guild, channel, userId, own);
  connectBot(hub, guild, channel, state);
}

/** A moderator moves the bot: its voice connection closes with code 4014, and Discord names a voice server again. */
export function moveMember(hub: Hub, guild: Guild, channel: Channel, userId: string): void {
  if (userId !== hub.model.application.botId) {
    personJoins(hub, guild, channel, userId);
    return;
  }
  const current = guild.voiceStates.get(userId);
  if (!current || current.channelId === channel.id) return;
  hub.voice.drop({ guildId: guild.id, userId }, Close.disconnected);
  connectBot(hub, guild, channel, stateIn(hub, guild, channel, userId, current));
}

export function disconnectMember(
  hub: Hub,
  guild: Guild,
  userId: string,
  why: Exclude<Departure, 'left'> = 'disconnected',
): void {
  if (userId === hub.model.application.botId) botLeaves(hub, guild, why);
  else personLeaves(hub, guild, userId);
}

function expectBot(hub: Hub, guild: Guild, channel: Channel, state: VoiceState) {
  hub.voice.setMuted(state, isMuted(hub, state));
  return hub.voice.expect({
    guildId: guild.id,
    channelId: channel.id,
    userId: state.userId,
    sessionId: state.sessionId,
    dave: channel.kind !== 'stage',
  });
}

function connectBot(hub: Hub, guild: Guild, channel: Channel, state: VoiceState): void {
  guild.voiceStates.set(state.userId, state);
  const { token, endpoint } = expectBot(hub, guild, channel, state);
  const announce = () => announceServer(hub, guild, token, endpoint);
  if (hub.swapVoiceEvents) announce();
  publishState(hub, state);
  if (!hub.swapVoiceEvents) announce();
}

function announceServer(hub: Hub, guild: Guild, token: string, endpoint: string | null): void {
  hub.publish({
    name: 'VOICE_SERVER_UPDATE',
    guildId: guild.id,
    always: true,
    render: () => ({ token, guild_id: guild.id, endpoint }),
  });
}

/** Moves the bot's call to another voice server. The bot stays in its channel, so it gets no voice state event. */
export function changeVoiceServer(
  hub: Hub,
  guildId: string,
  options: { readonly closeCode: number; readonly afterMs: number; readonly emptyEndpoint: boolean },
): void {
  const guild = hub.model.guilds.get(guildId);
  const state = guild?.voiceStates.get(hub.model.application.botId);
  if (!guild || !state) throw new Error('The bot is in no voice channel of this server');
  // A null endpoint tells that the voice server is lost: https://discord.com/developers/docs/events/gateway-events#voice-server-update
  if (options.emptyEndpoint) announceServer(hub, guild, 'none', null);
  hub.voice.drop(state, options.closeCode);
  hub.clock.after(options.afterMs, () => {
    // If the bot moved or left after its voice connection was closed, Discord announces no new voice server.
    const channel = guild.channels.get(state.channelId);
    if (!channel || guild.voiceStates.get(state.userId) !== state) return;
    const { token, endpoint } = expectBot(hub, guild, channel, state);
    announceServer(hub, guild, token, endpoint);
  });
}

export function botLeaves(hub: Hub, guild: Guild, why: Departure): void {
  const userId = hub.model.application.botId;
  const state = guild.voiceStates.get(userId);
  if (!state) return;
  const isAlone = membersIn(guild, state.channelId).length === 1;
  guild.voiceStates.delete(userId);
  // Code 4022 ends the call for all, 4014 for one client: https://github.com/discord/discord-api-docs/issues/7575
  const isCallOver = why === 'channel-deleted' || (why === 'disconnected' && isAlone);
  hub.voice.drop({ guildId: guild.id, userId }, isCallOver ? Close.callTerminated : Close.disconnected);
  publishState(hub, state, null);
}

/** With an empty `change`, announces a mute or deafening that the caller has already stored in the member. */
export function changeVoiceState(hub: Hub, state: VoiceState, change: Partial<VoiceState>): void {
  Object.assign(state, change);
  if (state.userId === hub.model.application.botId) hub.voice.setMuted(state, isMuted(hub, state));
  applyDeafness(hub, state);
  publishState(hub, state);
}

export function applySpeakPermission(hub: Hub, guild: Guild): void {
  const state = guild.voiceStates.get(hub.model.application.botId);
  const channel = guild.channels.get(state?.channelId ?? '');
  if (!hub.speakAppliesAtOnce || !state || channel?.kind !== 'voice') return;
  const { suppress } = stateIn(hub, guild, channel, state.userId, state);
  if (suppress !== state.suppress) changeVoiceState(hub, state, { suppress });
}
