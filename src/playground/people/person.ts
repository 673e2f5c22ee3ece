import { type Hub, waitUntil } from '../hub.ts';
import type { InteractionDraft, Interactions } from '../interactions.ts';
import { createMessage } from '../messages.ts';
import { type Channel, commandsOf, type Guild, type Member, type Message } from '../model.ts';
import { messagePayload } from '../payloads.ts';
import { channelPermissions, guildPermissions, PERMISSIONS, type PermissionName } from '../permissions.ts';
import {
  changeVoiceState,
  disconnectMember,
  isVoice,
  joinRefusal,
  moveMember,
  personJoins,
  personLeaves,
} from '../voice-states.ts';
import type { Person, Place, SentInteraction, VisibleMessage } from '../world-types.ts';
import {
  autocompleteData,
  commandData,
  emptyResolved,
  findMember,
  presentResolved,
  resolveUser,
} from './command-data.ts';
import { type ChosenCommand, CommandRefused, chooseCommand, parseCommandLine } from './command-line.ts';
import { buttonData, modalData, selectData } from './component-use.ts';
import { followInteraction } from './sent-interaction.ts';
import { messageView } from './views.ts';

export interface PersonParts {
  readonly hub: Hub;
  readonly interactions: Interactions;
  readonly guild: Guild;
}

/** A member of the server, doing what people do in Discord's client, with that client's checks. */
export function createPerson(parts: PersonParts, member: Member, name: string): Person {
  const { hub, interactions, guild } = parts;
  const ears = hub.earsIn(guild.id);
  const context = { hub, guild, member };

  const channelNamed = (wanted: string): Channel => {
    const channel = [...guild.channels.values()].find((candidate) => candidate.name === wanted);
    if (!channel) throw new CommandRefused(`There is no channel ${wanted}`);
    return channel;
  };
  const placeOf = (place: Place | undefined): Channel => {
    const channel = channelNamed(place?.in ?? 'general');
    needs(channel, 'ViewChannel', `${name} cannot see ${channel.name}`);
    return channel;
  };
  const needs = (channel: Channel, permission: PermissionName, otherwise: string) => {
    const bits = channelPermissions(guild, member, channel, hub.clock.now());
    if (!(bits & PERMISSIONS[permission])) throw new CommandRefused(otherwise);
  };

  /** The commands this member sees here: https://discord.com/developers/docs/interactions/application-commands#permissions */
  const visibleCommands = (channel: Channel) => {
    needs(channel, 'UseApplicationCommands', `${name} may not use commands in ${channel.name}`);
    const own = guildPermissions(guild, member);
    return commandsOf(hub.model, guild.id).filter((command) => {
      if (command.contexts && !command.contexts.includes(0)) return false;
      const needed = command.default_member_permissions;
      if (needed === null || needed === undefined) return true;
      if (own & PERMISSIONS.Administrator) return true;
      // "0" means administrators only.
      return BigInt(needed) !== 0n && (own & BigInt(needed)) === BigInt(needed);
    });
  };

  const send = (draft: Omit<InteractionDraft, 'guild' | 'member'>) => interactions.send({ ...draft, guild, member });
  const follow = (draft: Omit<InteractionDraft, 'guild' | 'member'>) => followInteraction(hub, send(draft));
  const fullName = ({ command, steps }: ChosenCommand) => [command.name, ...steps.map((step) => step.name)].join(' ');

  const seen = (view: VisibleMessage): Message => {
    const message = hub.model.messages.get(view.messageId);
    if (!message || message.deleted) throw new CommandRefused('This message no longer exists');
    if (message.onlyFor !== undefined && message.onlyFor !== member.userId)
      throw new CommandRefused(`${name} cannot see this message`);
    return message;
  };
  const channelOf = (message: Message): Channel => {
    const channel = guild.channels.get(message.channelId);
    if (!channel) throw new CommandRefused('The channel no longer exists');
    return channel;
  };
  const useComponent = (view: VisibleMessage, dataOf: (message: Message) => unknown): SentInteraction => {
    const message = seen(view);
    const payload = messagePayload(hub.model, message);
    return follow({
      kind: 'component',
      channel: channelOf(message),
      data: dataOf(message),
      sourceMessage: message,
      sourceMessagePayload: payload,
    });
  };
  const useContextMenu = (
    commandName: string,
    type: 2 | 3,
    channel: Channel,
    target: { id: string; resolved: object },
  ) => {
    const command = visibleCommands(channel).find(
      (candidate) => candidate.type === type && candidate.name === commandName,
    );
    if (!command) throw new CommandRefused(`Apps offers no command ${commandName} here`);
    const guildScope = command.guild_id === undefined ? {} : { guild_id: command.guild_id };
    const data = { id: command.id, name: command.name, type, target_id: target.id, ...guildScope, ...target.resolved };
    return follow({ kind: 'command', channel, data, commandName, commandType: type });
  };

  const join = (channelName: string) => {
    const channel = channelNamed(channelName);
    const refusal = joinRefusal(hub, guild, channel, member.userId);
    if (refusal !== undefined) throw new CommandRefused(`${name} cannot join ${channelName}: ${refusal}`);
    return personJoins(hub, guild, channel, member.userId);
  };
  const other = (who: string): Member => {
    const found = who === 'bot' ? guild.members.get(hub.model.application.botId) : findMember(hub, guild, who);
    if (!found) throw new CommandRefused(`There is no member ${who}`);
    return found;
  };
  const moderates = (permission: PermissionName) => {
    if (!(guildPermissions(guild, member) & PERMISSIONS[permission]))
      throw new CommandRefused(`${name} may not do that`);
  };
  let lastListener = ears.byUser.get(member.userId);

  return {
    name,
    id: member.userId,
    get voiceChannel() {
      const state = guild.voiceStates.get(member.userId);
      return state && guild.channels.get(state.channelId)?.name;
    },
    get listener() {
      lastListener = ears.byUser.get(member.userId) ?? lastListener;
      if (!lastListener) throw new Error(`${name} has not been in a voice channel yet`);
      return lastListener;
    },
    joins: (channel) => {
      lastListener = join(channel);
      return lastListener;
    },
    moves: (channel) => {
      if (!guild.voiceStates.has(member.userId)) throw new CommandRefused(`${name} is in no voice channel`);
      lastListener = join(channel);
      return lastListener;
    },
    leaves: () => personLeaves(hub, guild, member.userId),
    async types(line, place) {
      const channel = placeOf(place);
      const { chosen, values } = parseCommandLine(visibleCommands(channel), line);
      return follow({
        kind: 'command',
        channel,
        data: commandData(context, chosen, values),
        commandName: fullName(chosen),
      });
    },
    async command(commandName, options = {}, place) {
      const channel = placeOf(place);
      const { chosen } = chooseCommand(visibleCommands(channel), commandName.split(' '));
      return follow({
        kind: 'command',
        channel,
        data: commandData(context, chosen, options),
        commandName: fullName(chosen),
      });
    },
    async autocompletes(commandName, focused, options = {}) {
      const channel = placeOf(options);
      const { chosen } = chooseCommand(visibleCommands(channel), commandName.split(' '));
      const data = autocompleteData(context, chosen, focused, options.filled ?? {});
      const interaction = send({ kind: 'autocomplete', channel, data, commandName: fullName(chosen) });
      const answered = () => interaction.response.kind !== 'pending';
      await waitUntil(hub, answered, { what: `the choices of /${commandName}`, timeoutMs: 10_000 });
      if (interaction.response.kind !== 'choices') throw new Error('Loading options failed');
      return interaction.response.choices;
    },
    presses: async (message, button) => useComponent(message, (source) => buttonData(source.components, button)),
    selects: async (message, menu, values) =>
      useComponent(message, (source) => selectData(context, source.components, menu, values)),
    async submits(modal, fields) {
      const opened = interactions.byId(modal.interactionId);
      if (!opened || opened.userId !== member.userId) throw new CommandRefused(`${name} did not open this modal`);
      const source = opened.sourceMessage;
      return follow({
        kind: 'modalSubmit',
        channel: opened.channel,
        data: modalData(context, modal, fields),
        ...(source ? { sourceMessage: source, sourceMessagePayload: messagePayload(hub.model, source) } : {}),
      });
    },
    async usesOnMessage(command, view) {
      const message = seen(view);
      const resolved = { resolved: { messages: { [message.id]: messagePayload(hub.model, message) } } };
      return useContextMenu(command, 3, channelOf(message), { id: message.id, resolved });
    },
    async usesOnMember(command, who) {
      const resolved = emptyResolved();
      const id = resolveUser(context, other(who).userId, resolved) ?? '';
      return useContextMenu(command, 2, placeOf(undefined), { id, resolved: presentResolved(resolved) });
    },
    says(text, place) {
      const channel = placeOf(place);
      needs(channel, 'SendMessages', `${name} may not write in ${channel.name}`);
      const message = createMessage(hub, {
        channelId: channel.id,
        guildId: guild.id,
        authorId: member.userId,
        type: 0,
        content: text,
      });
      return messageView(hub, message);
    },
    sees(channelName) {
      const channel = placeOf({ in: channelName });
      const shown = [...hub.model.messages.values()].filter(
        ({ channelId, deleted, onlyFor }) =>
          channelId === channel.id && !deleted && (onlyFor === undefined || onlyFor === member.userId),
      );
      return shown.map((message) => messageView(hub, message));
    },
    disconnects(who) {
      moderates('MoveMembers');
      disconnectMember(hub, guild, other(who).userId);
    },
    drags(who, channelName) {
      moderates('MoveMembers');
      const channel = channelNamed(channelName);
      if (!isVoice(channel)) throw new CommandRefused(`${channelName} is no voice channel`);
      if (!guild.voiceStates.has(other(who).userId)) throw new CommandRefused(`${who} is in no voice channel`);
      moveMember(hub, guild, channel, other(who).userId);
    },
    invitesToSpeak(who) {
      moderates('MuteMembers');
      const invited = other(who);
      const state = guild.voiceStates.get(invited.userId);
      if (!state) throw new CommandRefused(`${who} is in no voice channel`);
      changeVoiceState(hub, state, { suppress: false, requestToSpeakAt: null });
    },
  };
}
