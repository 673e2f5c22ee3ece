import { publishMember } from '../state/guilds.ts';
import type { VoiceState } from '../state/model.ts';
import {
  changeVoiceState,
  disconnectMember,
  isVoice,
  joinRefusal,
  moveMember,
  personJoins,
  personLeaves,
} from '../state/voice-states.ts';
import { CommandUser } from './command-user.ts';
import { CommandRefused } from './typed-command.ts';

/** A simulated member. Like Discord's client, this class rejects actions for which the member lacks a permission. */
export class Person extends CommandUser {
  get voiceChannel(): string | undefined {
    const state = this.guild.voiceStates.get(this.id);
    return state && this.guild.channels.get(state.channelId)?.name;
  }

  /** The listener records what the member hears in a call. Tests can check the recording after the member has left. */
  get listener() {
    const listener = this.hub.listenersIn(this.guild.id).byUser.get(this.id);
    if (!listener) throw new Error(`${this.name} has not been in a voice channel yet`);
    return listener;
  }

  joins(channelName: string) {
    const { hub, guild } = this;
    const channel = this.channelNamed(channelName);
    const refusal = joinRefusal(hub, guild, channel, this.id);
    if (refusal !== undefined) throw new CommandRefused(`${this.name} cannot join ${channelName}: ${refusal}`);
    return personJoins(hub, guild, channel, this.id);
  }

  leaves(): void {
    personLeaves(this.hub, this.guild, this.id);
  }

  setsLanguage(locale: string): void {
    const user = this.hub.model.users.get(this.id);
    if (user) user.locale = locale;
  }

  installsApp(): void {
    this.hub.model.userInstalls.add(this.id);
  }

  disconnects(who: string): void {
    this.moderates('MoveMembers');
    disconnectMember(this.hub, this.guild, this.#stateOf(who).userId);
  }

  drags(who: string, channelName: string): void {
    this.moderates('MoveMembers');
    const channel = this.channelNamed(channelName);
    if (!isVoice(channel)) throw new CommandRefused(`${channelName} is no voice channel`);
    moveMember(this.hub, this.guild, channel, this.#stateOf(who).userId);
  }

  invitesToSpeak(who: string): void {
    this.moderates('MuteMembers');
    changeVoiceState(this.hub, this.#onStage(who), { suppress: false, requestToSpeakAt: null });
  }

  movesToAudience(who: string): void {
    this.moderates('MuteMembers');
    changeVoiceState(this.hub, this.#onStage(who), { suppress: true, requestToSpeakAt: null });
  }

  serverMutes(who: string, muted: boolean): void {
    this.moderates('MuteMembers');
    this.#silence(who, 'mute', muted);
  }

  serverDeafens(who: string, deaf: boolean): void {
    this.moderates('DeafenMembers');
    this.#silence(who, 'deaf', deaf);
  }

  timesOut(who: string, forMs: number): void {
    this.moderates('ModerateMembers');
    const member = this.other(who);
    member.timedOutUntilMs = this.hub.clock.now() + forMs;
    publishMember(this.hub, member);
  }

  #stateOf(who: string): VoiceState {
    const state = this.guild.voiceStates.get(this.other(who).userId);
    if (!state) throw new CommandRefused(`${this.called(who)} is in no voice channel`);
    return state;
  }

  #onStage(who: string): VoiceState {
    const state = this.#stateOf(who);
    const channel = this.guild.channels.get(state.channelId);
    if (channel?.kind === 'stage') return state;
    throw new CommandRefused(`${this.called(who)} is in ${channel?.name}, which is no stage`);
  }

  /** Server mutes and deafens stay after a member leaves voice, but change only in voice: resources/guild#modify-guild-member */
  #silence(who: string, by: 'mute' | 'deaf', isSilenced: boolean): void {
    const state = this.#stateOf(who);
    const member = this.other(who);
    member[by] = isSilenced;
    publishMember(this.hub, member);
    changeVoiceState(this.hub, state, {});
  }
}
