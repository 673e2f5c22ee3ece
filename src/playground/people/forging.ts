import type { ForgedComponent, Person } from '../interface/world-types.ts';
import type { Standing } from '../state/installations.ts';
import { INTERACTION_TYPES } from '../state/interactions.ts';
import { createMessage, messagePayload } from '../state/messages.ts';
import {
  COMPONENT,
  commandsOf,
  type InstallationOwners,
  type InteractionMetadata,
  MESSAGE_FLAGS,
  type Message,
} from '../state/model.ts';
import type { Actor } from './actor.ts';
import { commandData } from './command-data.ts';
import { followInteraction } from './sent-interaction.ts';
import { CommandRefused, chooseCommand, fullName } from './typed-command.ts';

const COMPONENT_TYPES: Readonly<Record<Exclude<ForgedComponent['kind'], 'modal' | undefined>, number>> = {
  button: COMPONENT.button,
  string: COMPONENT.stringSelect,
  user: COMPONENT.userSelect,
  role: COMPONENT.roleSelect,
  mentionable: COMPONENT.mentionableSelect,
  channel: COMPONENT.channelSelect,
};

/** Interactions that Discord's client never sends and Discord mostly stops: a bot must not rely on that. */
export function createForging(actor: Actor) {
  const { hub, interactions } = actor;
  const { botId } = hub.model.application;
  const owners = ({ guild }: Standing): InstallationOwners => ({ '0': guild?.id ?? '0' });

  /** A message of the bot for the component to stand on, visible to this person only. */
  const anyMessage = ({ channel, guild, userId }: Standing): Message =>
    createMessage(hub, {
      channelId: channel.id,
      guildId: guild?.id,
      authorId: botId,
      type: 0,
      content: 'An old message',
      flags: MESSAGE_FLAGS.Ephemeral,
      onlyFor: userId,
    });

  /** No modal comes without an interaction that opened it: here a component of the message. */
  const opener = (standing: Standing, message: Message): InteractionMetadata => ({
    id: hub.newId(),
    type: INTERACTION_TYPES.component,
    userId: standing.userId,
    owners: owners(standing),
    interactedMessageId: message.id,
  });

  return {
    async forges({ customId, kind = 'button', values, fields = {}, distort, message: shown, ...place }) {
      const known = shown && hub.model.messages.get(shown.messageId);
      if (shown && !known) throw new CommandRefused('This message never existed');
      const standing = known ? actor.whereIs(known) : actor.standingAt(place);
      const message = known ?? anyMessage(standing);
      const inputs = Object.entries(fields).map(([custom_id, value], index) => ({
        type: COMPONENT.label,
        id: index + 1,
        component: { type: COMPONENT.textInput, id: index + 100, custom_id, value },
      }));
      const data =
        kind === 'modal'
          ? { custom_id: customId, components: inputs }
          : { custom_id: customId, component_type: COMPONENT_TYPES[kind], ...(values ? { values } : {}) };
      const sent = interactions.send({
        kind: kind === 'modal' ? 'modalSubmit' : 'component',
        standing,
        owners: owners(standing),
        data: distort ? distort(data) : data,
        sourceMessage: message,
        sourceMessagePayload: messagePayload(hub.model, message),
        openedBy: kind === 'modal' ? opener(standing, message) : undefined,
      });
      return followInteraction(hub, sent);
    },
    async forcesCommand(name, options = {}, place) {
      const standing = actor.standingAt(place);
      const { chosen } = chooseCommand(commandsOf(hub.model, standing.guild?.id), name.split(' '));
      const data = commandData({ hub, ...standing }, chosen, options);
      const draft = { standing, owners: owners(standing), data, commandName: fullName(chosen) };
      return followInteraction(hub, interactions.send({ kind: 'command', ...draft }));
    },
  } satisfies Partial<Person>;
}
