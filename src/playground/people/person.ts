import type { Person } from '../interface/world-types.ts';
import type { Member } from '../state/model.ts';
import type { Listener } from '../voice/types.ts';
import { createActor } from './actor.ts';
import { createCommandUse } from './command-use.ts';
import { createForging } from './forging.ts';
import { createModeration } from './moderation.ts';
import { createVoiceLife } from './voice-life.ts';
import { createWriting } from './writing.ts';

/** A member of the server, with the acts of Discord's client and that client's checks. */
export function createPerson(parts: Parameters<typeof createActor>[0], member: Member, name: string): Person {
  const { hub, guild } = parts;
  const { userId } = member;
  const serverListeners = hub.listenersIn(guild.id);
  const actor = createActor(parts, member, name);
  const self = () => {
    const user = hub.model.users.get(userId);
    if (!user) throw new Error(`There is no user ${name}`);
    return user;
  };
  // After leaving, the last listener keeps its audio.
  let lastListener = serverListeners.byUser.get(userId);
  const { joins, moves, ...voiceLife } = createVoiceLife(actor);
  const remembered = (join: (channel: string) => Listener) => (channel: string) => {
    lastListener = join(channel);
    return lastListener;
  };

  return {
    name,
    id: userId,
    get voiceChannel() {
      const state = guild.voiceStates.get(userId);
      return state && guild.channels.get(state.channelId)?.name;
    },
    get listener() {
      lastListener = serverListeners.byUser.get(userId) ?? lastListener;
      if (!lastListener) throw new Error(`${name} has not been in a voice channel yet`);
      return lastListener;
    },
    joins: remembered(joins),
    moves: remembered(moves),
    ...voiceLife,
    ...createCommandUse(actor),
    ...createForging(actor),
    ...createWriting(actor),
    ...createModeration(actor),
    get language() {
      return self().locale;
    },
    setsLanguage(locale) {
      self().locale = locale;
    },
    installsApp() {
      hub.model.userInstalls.add(userId);
    },
  };
}
