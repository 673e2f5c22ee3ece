/* The names behind mentions, and all that a menu of people, roles or channels offers. */

const CHANNEL_TYPES = { text: 0, voice: 2, stage: 13, forum: 15, thread: 11 };

/** Of the frame that `view` has at the time; `me` is the acting member, `language` the page's. */
export function createNames(view, { me, language }) {
  const memberOf = (id) => view.frame?.members.find((member) => member.id === id);
  return {
    get language() {
      return me()?.language ?? 'en-US';
    },
    get version() {
      return `${language()} ${view.frame?.members.length}`;
    },
    get botId() {
      return view.frame?.members.find(({ name }) => name === 'bot')?.id;
    },
    memberOf,
    member: (id) => memberOf(id)?.displayName,
    role: (id) => view.frame?.roles[id],
    channel: (id) => view.frame?.channels.find((channel) => channel.id === id)?.name,
    everything(type, kinds = []) {
      const { frame } = view;
      const members = frame.members.map(({ id, displayName }) => ({ label: displayName, value: id }));
      const roles = Object.entries(frame.roles).map(([value, name]) => ({
        label: `@${name.replace(/^@/, '')}`,
        value,
      }));
      const channels = frame.channels
        .filter(({ kind }) => kinds.length === 0 || kinds.includes(CHANNEL_TYPES[kind]))
        .map(({ id, name, kind }) => ({
          label: `${kind === 'voice' || kind === 'stage' ? '🔊 ' : '#'}${name}`,
          value: id,
        }));
      return { 5: members, 6: roles, 7: [...members, ...roles], 8: channels }[type];
    },
  };
}
