import { randomBytes } from 'node:crypto';
import type { Hub } from './hub.ts';
import { type Channel, type Guild, membersIn, type VoiceState } from './model.ts';
import { voiceStatePayload } from './payloads.ts';
import { channelPermissions, PERMISSIONS } from './permissions.ts';
import type { Listener } from './voice/types.ts';

/** The client was removed from the channel: https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice */
const CLOSE_DISCONNECTED = 4014;

function publishState(hub: Hub, state: Omit<VoiceState, 'channelId'> & { channelId: string | null }): void {
  const payload = voiceStatePayload(hub.model, state);
  hub.publish({ name: 'VOICE_STATE_UPDATE', guildId: state.guildId, render: () => payload });
}

function stateIn(hub: Hub, guild: Guild, channel: Channel, userId: string, sessionId: string): VoiceState {
  const member = guild.members.get(userId);
  const maySpeak =
    member !== undefined && (channelPermissions(guild, member, channel, hub.clock.now()) & PERMISSIONS.Speak) !== 0n;
  return {
    guildId: guild.id,
    userId,
    channelId: channel.id,
    sessionId,
    selfMute: false,
    selfDeaf: false,
    // Everyone joins a stage as audience: https://discord.com/developers/docs/resources/voice#voice-state-object
    suppress: channel.kind === 'stage' || !maySpeak,
    requestToSpeakAt: null,
  };
}

/** Nobody hears the bot as a stage's audience, without Speak, or muted by a moderator or by itself. */
function isMuted(hub: Hub, state: VoiceState): boolean {
  return (
    state.suppress || state.selfMute || hub.model.guilds.get(state.guildId)?.members.get(state.userId)?.mute === true
  );
}

export const isVoice = (channel: Channel) => channel.kind === 'voice' || channel.kind === 'stage';

/** Why a member cannot join, or undefined. */
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

/** Who is deafened, by a moderator or by choice, hears nothing. */
function applyDeafness(hub: Hub, state: VoiceState): void {
  const member = hub.model.guilds.get(state.guildId)?.members.get(state.userId);
  hub
    .earsIn(state.guildId)
    .byUser.get(state.userId)
    ?.setDeaf(state.selfDeaf || member?.deaf === true);
}

/** A person joins or changes channel and begins to listen there. */
export function personJoins(hub: Hub, guild: Guild, channel: Channel, userId: string): Listener {
  const ears = hub.earsIn(guild.id);
  const current = guild.voiceStates.get(userId);
  const sitting = ears.byUser.get(userId);
  if (current?.channelId === channel.id && sitting) return sitting;
  sitting?.leave();
  const state = stateIn(hub, guild, channel, userId, current?.sessionId ?? randomBytes(16).toString('hex'));
  state.selfMute = current?.selfMute ?? false;
  state.selfDeaf = current?.selfDeaf ?? false;
  guild.voiceStates.set(userId, state);
  const listener = hub.voice.addListener({
    guildId: guild.id,
    channelId: channel.id,
    userId,
    ...(channel.kind === 'stage' ? { dave: false } : {}),
  });
  ears.byUser.set(userId, listener);
  ears.lastByChannel.set(channel.id, listener);
  applyDeafness(hub, state);
  publishState(hub, state);
  return listener;
}

export function personLeaves(hub: Hub, guild: Guild, userId: string): void {
  const ears = hub.earsIn(guild.id);
  const state = guild.voiceStates.get(userId);
  if (!state) return;
  guild.voiceStates.delete(userId);
  ears.byUser.get(userId)?.leave();
  ears.byUser.delete(userId);
  publishState(hub, { ...state, channelId: null });
}

export interface VoiceStateRequest {
  readonly guildId: string;
  readonly channelId: string | null;
  readonly selfMute: boolean;
  readonly selfDeaf: boolean;
}

/**
 * Op 4 of the bot. Discord answers nothing at all when the channel is full or a permission is missing.
 * https://discord.com/developers/docs/events/gateway-events#update-voice-state
 */
export function botUpdatesVoiceState(hub: Hub, sessionId: string, request: VoiceStateRequest): void {
  const guild = hub.model.guilds.get(request.guildId);
  const userId = hub.model.application.botId;
  if (!guild?.available) return;
  if (request.channelId === null) {
    botLeaves(hub, guild);
    return;
  }
  const channel = guild.channels.get(request.channelId);
  const current = guild.voiceStates.get(userId);
  if (!channel) return;
  if (current?.channelId !== channel.id && joinRefusal(hub, guild, channel, userId) !== undefined) return;
  if (current && current.channelId !== channel.id) hub.voice.drop({ guildId: guild.id, userId }, CLOSE_DISCONNECTED);
  const stays = current?.channelId === channel.id && current.sessionId === sessionId;
  const state = stays ? current : stateIn(hub, guild, channel, userId, sessionId);
  state.selfMute = request.selfMute;
  state.selfDeaf = request.selfDeaf;
  connectBot(hub, guild, channel, state);
}

/** A moderator moves somebody who is in voice. */
export function moveMember(hub: Hub, guild: Guild, channel: Channel, userId: string): void {
  if (userId === hub.model.application.botId) botIsMoved(hub, guild, channel);
  else personJoins(hub, guild, channel, userId);
}

/** A moderator disconnects a member from voice, or the channel is gone. */
export function disconnectMember(hub: Hub, guild: Guild, userId: string): void {
  if (userId === hub.model.application.botId) botLeaves(hub, guild);
  else personLeaves(hub, guild, userId);
}

/** The bot is dragged: its voice socket closes with 4014 and a new server is announced. */
function botIsMoved(hub: Hub, guild: Guild, channel: Channel): void {
  const userId = hub.model.application.botId;
  const current = guild.voiceStates.get(userId);
  if (!current || current.channelId === channel.id) return;
  hub.voice.drop({ guildId: guild.id, userId }, CLOSE_DISCONNECTED);
  const state = stateIn(hub, guild, channel, userId, current.sessionId);
  connectBot(hub, guild, channel, { ...state, selfMute: current.selfMute, selfDeaf: current.selfDeaf });
}

function connectBot(hub: Hub, guild: Guild, channel: Channel, state: VoiceState): void {
  guild.voiceStates.set(state.userId, state);
  const { token, endpoint } = hub.voice.expect({
    guildId: guild.id,
    channelId: channel.id,
    userId: state.userId,
    sessionId: state.sessionId,
    muted: isMuted(hub, state),
    ...(channel.kind === 'stage' ? { dave: false } : {}),
  });
  const announceServer = () =>
    hub.publish({
      name: 'VOICE_SERVER_UPDATE',
      guildId: guild.id,
      always: true,
      render: () => ({ token, guild_id: guild.id, endpoint }),
    });
  if (hub.swapVoiceEvents) announceServer();
  publishState(hub, state);
  if (!hub.swapVoiceEvents) announceServer();
}

/** The bot left, was kicked, lost its session or its channel. */
export function botLeaves(hub: Hub, guild: Guild): void {
  const userId = hub.model.application.botId;
  const state = guild.voiceStates.get(userId);
  if (!state) return;
  guild.voiceStates.delete(userId);
  hub.voice.drop({ guildId: guild.id, userId }, CLOSE_DISCONNECTED);
  publishState(hub, { ...state, channelId: null });
}

/** A speaker on a stage (`suppress` false) or audience, a raised hand; with no change, tells of a moderator's mute. */
export function changeVoiceState(
  hub: Hub,
  state: VoiceState,
  change: Partial<Pick<VoiceState, 'suppress' | 'requestToSpeakAt'>>,
): void {
  Object.assign(state, change);
  if (state.userId === hub.model.application.botId) hub.voice.setMuted(state, isMuted(hub, state));
  applyDeafness(hub, state);
  publishState(hub, state);
}

/** Somebody mutes or deafens themselves. */
export function changeSelf(
  hub: Hub,
  state: VoiceState,
  change: Partial<Pick<VoiceState, 'selfMute' | 'selfDeaf'>>,
): void {
  Object.assign(state, change);
  applyDeafness(hub, state);
  publishState(hub, state);
}
