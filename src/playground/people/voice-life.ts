import type { Person } from '../interface/world-types.ts';
import type { VoiceState } from '../state/model.ts';
import { channelPermissions, PERMISSIONS } from '../state/permissions.ts';
import { changeVoiceState, joinRefusal, personJoins, personLeaves } from '../state/voice-states.ts';
import type { Actor } from './actor.ts';
import { CommandRefused } from './typed-command.ts';

/** A person's acts in voice channels and on stages. */
export function createVoiceLife(actor: Actor) {
  const { hub, guild, member, name } = actor;

  const join = (channelName: string) => {
    const channel = actor.channelNamed(channelName);
    const refusal = joinRefusal(hub, guild, channel, member.userId);
    if (refusal !== undefined) throw new CommandRefused(`${name} cannot join ${channelName}: ${refusal}`);
    return personJoins(hub, guild, channel, member.userId);
  };
  const ownState = (): VoiceState => {
    const state = guild.voiceStates.get(member.userId);
    if (!state) throw new CommandRefused(`${name} is in no voice channel`);
    return state;
  };

  return {
    joins: join,
    moves(channel) {
      ownState();
      return join(channel);
    },
    leaves: () => personLeaves(hub, guild, member.userId),
    raisesHand(raised = true) {
      const state = ownState();
      const channel = guild.channels.get(state.channelId);
      if (channel?.kind !== 'stage') throw new CommandRefused('Hands are raised on stages only');
      if (!(channelPermissions(guild, member, channel, hub.clock.now()) & PERMISSIONS.RequestToSpeak))
        throw new CommandRefused(`${name} may not request to speak here`);
      changeVoiceState(hub, state, { requestToSpeakAt: raised ? new Date(hub.clock.now()).toISOString() : null });
    },
  } satisfies Partial<Person>;
}
