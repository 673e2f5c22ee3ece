import type { WorldChannel } from '../interface/world-types.ts';
import { findMember } from '../people/command-data.ts';
import { messageView } from '../people/views.ts';
import { deleteChannel, publishChannel } from '../state/guilds.ts';
import { type Hub, waitUntil } from '../state/hub.ts';
import { type Channel, type Guild, membersIn, type Overwrite } from '../state/model.ts';
import { permissionBits } from '../state/permissions.ts';

/** A channel as a test or a demo looks at it. */
export function createWorldChannel(parts: { hub: Hub; guild: Guild }, channel: Channel): WorldChannel {
  const { hub, guild } = parts;
  const serverListeners = hub.listenersIn(guild.id);
  const { botId } = hub.model.application;
  const membersInVoice = () => membersIn(guild, channel.id);
  const listeners = () => membersInVoice().flatMap((state) => serverListeners.byUser.get(state.userId) ?? []);
  const ownOverwrite = (): Overwrite => {
    const found = channel.overwrites.find(({ id }) => id === botId);
    if (found) return found;
    const added: Overwrite = { id: botId, kind: 'member', allow: 0n, deny: 0n };
    channel.overwrites.push(added);
    return added;
  };
  const { kind } = channel;
  if (kind === 'dm' || kind === 'group') throw new Error('Private channels are no channels of the server');

  return {
    id: channel.id,
    name: channel.name,
    kind,
    get members() {
      return membersInVoice().map(({ userId }) =>
        userId === botId ? 'bot' : (hub.model.users.get(userId)?.username ?? userId),
      );
    },
    get listeners() {
      return listeners();
    },
    get listener() {
      const listener = listeners()[0] ?? serverListeners.lastByChannel.get(channel.id);
      if (!listener) throw new Error(`Nobody has been in ${channel.name} yet`);
      return listener;
    },
    get messages() {
      const shown = [...hub.model.messages.values()].filter(
        ({ channelId, deleted, onlyFor }) => channelId === channel.id && !deleted && onlyFor === undefined,
      );
      return shown.map((message) => messageView(hub, message));
    },
    get userLimit() {
      return channel.userLimit;
    },
    setUserLimit(limit) {
      channel.userLimit = limit;
      publishChannel(hub, guild, channel, 'CHANNEL_UPDATE');
    },
    denyBot(...permissions) {
      const overwrite = ownOverwrite();
      overwrite.deny |= permissionBits(permissions);
      overwrite.allow &= ~overwrite.deny;
      publishChannel(hub, guild, channel, 'CHANNEL_UPDATE');
    },
    allowBot(...permissions) {
      const overwrite = ownOverwrite();
      overwrite.allow |= permissionBits(permissions);
      overwrite.deny &= ~overwrite.allow;
      publishChannel(hub, guild, channel, 'CHANNEL_UPDATE');
    },
    setOverwrite(who, { allow = [], deny = [] }) {
      const role = [...guild.roles.values()].find(({ name }) => name === who);
      const id = role?.id ?? (who === 'bot' ? botId : findMember(hub, guild, who)?.userId);
      if (id === undefined) throw new Error(`There is no role or member ${who}`);
      channel.overwrites = channel.overwrites.filter((overwrite) => overwrite.id !== id);
      if (allow.length + deny.length > 0) {
        channel.overwrites.push({
          id,
          kind: role ? 'role' : 'member',
          allow: permissionBits(allow),
          deny: permissionBits(deny),
        });
      }
      publishChannel(hub, guild, channel, 'CHANNEL_UPDATE');
    },
    hasBot(expected, deadline) {
      const isThere = () => membersInVoice().some(({ userId }) => userId === botId);
      const what = `the bot ${expected ? 'to be in' : 'to leave'} ${channel.name}`;
      return waitUntil(hub, () => isThere() === expected, { ...deadline, what });
    },
    lock() {
      channel.isLocked = true;
      publishChannel(hub, guild, channel, 'CHANNEL_UPDATE');
    },
    delete: () => deleteChannel(hub, guild, channel),
  };
}
