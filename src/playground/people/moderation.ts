import type { Person } from '../interface/world-types.ts';
import { publishMember } from '../state/guilds.ts';
import type { Member, VoiceState } from '../state/model.ts';
import { changeVoiceState, disconnectMember, isVoice, moveMember } from '../state/voice-states.ts';
import type { Actor } from './actor.ts';
import { CommandRefused } from './typed-command.ts';

/** Acts of moderators and admins on other members. */
export function createModeration(actor: Actor) {
  const { hub, guild, moderates, other, called } = actor;

  const stateOf = (who: string): VoiceState => {
    const state = guild.voiceStates.get(other(who).userId);
    if (!state) throw new CommandRefused(`${called(who)} is in no voice channel`);
    return state;
  };
  const onStage = (who: string): VoiceState => {
    const state = stateOf(who);
    const channel = guild.channels.get(state.channelId);
    if (channel?.kind !== 'stage') throw new CommandRefused(`${called(who)} is in ${channel?.name}, which is no stage`);
    return state;
  };
  /** Lasts when the member leaves voice, and is lifted only while it is there: resources/guild#modify-guild-member */
  const silence = (who: string, change: Partial<Pick<Member, 'mute' | 'deaf'>>) => {
    const state = stateOf(who);
    publishMember(hub, Object.assign(other(who), change));
    changeVoiceState(hub, state, {});
  };

  return {
    disconnects(who) {
      moderates('MoveMembers');
      disconnectMember(hub, guild, stateOf(who).userId);
    },
    drags(who, channelName) {
      moderates('MoveMembers');
      const channel = actor.channelNamed(channelName);
      if (!isVoice(channel)) throw new CommandRefused(`${channelName} is no voice channel`);
      moveMember(hub, guild, channel, stateOf(who).userId);
    },
    invitesToSpeak(who) {
      moderates('MuteMembers');
      changeVoiceState(hub, onStage(who), { suppress: false, requestToSpeakAt: null });
    },
    movesToAudience(who) {
      moderates('MuteMembers');
      changeVoiceState(hub, onStage(who), { suppress: true, requestToSpeakAt: null });
    },
    serverMutes(who, muted) {
      moderates('MuteMembers');
      silence(who, { mute: muted });
    },
    serverDeafens(who, deaf) {
      moderates('DeafenMembers');
      silence(who, { deaf });
    },
    timesOut(who, forMs) {
      moderates('ModerateMembers');
      const member = other(who);
      member.timedOutUntilMs = hub.clock.now() + forMs;
      publishMember(hub, member);
    },
  } satisfies Partial<Person>;
}
