import type { Person, SentInteraction, VisibleCommand, VisibleMessage } from '../interface/world-types.ts';
import { waitUntil } from '../state/hub.ts';
import { commandsAt, ownersOf, type Standing } from '../state/installations.ts';
import { type InteractionDraft, metadataOf } from '../state/interactions.ts';
import { messagePayload } from '../state/messages.ts';
import type { InstallationOwners, Message, RegisteredCommand } from '../state/model.ts';
import type { Actor } from './actor.ts';
import { autocompleteData, type CommandContext, commandData, commandHead } from './command-data.ts';
import { buttonData, modalData, selectData } from './component-use.ts';
import { followInteraction } from './sent-interaction.ts';
import { type ChosenCommand, CommandRefused, chooseCommand, fullName, parseCommandLine } from './typed-command.ts';

/** Commands, components and modals, as used in Discord's client. */
export function createCommandUse(actor: Actor) {
  const { hub, interactions, member, name, standingAt, seen, whereIs } = actor;
  const { userId } = member;
  const contextAt = (standing: Standing): CommandContext => ({ hub, ...standing });
  const send = (draft: InteractionDraft) => interactions.send(draft);
  const follow = (draft: InteractionDraft) => followInteraction(hub, send(draft));

  const visibleCommands = (standing: Standing): RegisteredCommand[] => {
    actor.needs(standing, 'UseApplicationCommands', `${name} may not use commands in ${standing.channel.name}`);
    return commandsAt(hub, standing);
  };
  const sendCommand = (standing: Standing, chosen: ChosenCommand, data: unknown) =>
    follow({
      kind: 'command',
      standing,
      owners: ownersOf(hub, standing, chosen.command),
      data,
      commandName: fullName(chosen),
    });
  /** A component is there by the installation that brought its message; a message of the bot's own by the server's. */
  const ownersOfMessage = (message: Message, standing: Standing): InstallationOwners =>
    message.interaction?.owners ?? { '0': standing.guild?.id ?? '0' };

  const useComponent = (
    view: VisibleMessage,
    dataOf: (message: Message, context: CommandContext) => unknown,
  ): SentInteraction => {
    const message = seen(view);
    const standing = whereIs(message);
    return follow({
      kind: 'component',
      standing,
      owners: ownersOfMessage(message, standing),
      data: dataOf(message, contextAt(standing)),
      sourceMessage: message,
      sourceMessagePayload: messagePayload(hub.model, message),
    });
  };
  return {
    async types(line, place) {
      const standing = standingAt(place);
      const { chosen, values } = parseCommandLine(visibleCommands(standing), line);
      return sendCommand(standing, chosen, commandData(contextAt(standing), chosen, values));
    },
    async command(commandName, options = {}, place) {
      const standing = standingAt(place);
      const { chosen } = chooseCommand(visibleCommands(standing), commandName.split(' '));
      return sendCommand(standing, chosen, commandData(contextAt(standing), chosen, options));
    },
    async autocompletes(commandName, focused, options = {}) {
      const standing = standingAt(options);
      const { chosen } = chooseCommand(visibleCommands(standing), commandName.split(' '));
      const data = autocompleteData(contextAt(standing), chosen, focused, options.filled ?? {});
      const owners = ownersOf(hub, standing, chosen.command);
      const interaction = send({ kind: 'autocomplete', standing, owners, data, commandName: fullName(chosen) });
      const answered = () => interaction.response.kind !== 'pending';
      await waitUntil(hub, answered, { what: `the choices of /${commandName}`, timeoutMs: 10_000 });
      if (interaction.response.kind !== 'choices') throw new Error('Loading options failed');
      return interaction.response.choices;
    },
    presses: async (message, button) => useComponent(message, (source) => buttonData(source.components, button)),
    selects: async (message, menu, values) =>
      useComponent(message, (source, context) => selectData(context, source.components, menu, values)),
    async submits(modal, fields) {
      const opened = interactions.byId(modal.interactionId);
      if (!opened || opened.userId !== userId) throw new CommandRefused(`${name} did not open this modal`);
      const source = opened.sourceMessage;
      const standing = actor.standingIn(opened.channel);
      return follow({
        kind: 'modalSubmit',
        standing,
        owners: opened.owners,
        openedBy: metadataOf(opened),
        data: modalData(contextAt(standing), modal, fields),
        ...(source ? { sourceMessage: source, sourceMessagePayload: messagePayload(hub.model, source) } : {}),
      });
    },
    async usesOnMessage(commandName, view) {
      const message = seen(view);
      const standing = whereIs(message);
      const command = visibleCommands(standing).find(({ type, name }) => type === 3 && name === commandName);
      if (!command) throw new CommandRefused(`Apps offers no command ${commandName} here`);
      const resolved = { messages: { [message.id]: messagePayload(hub.model, message) } };
      const data = { ...commandHead(command), target_id: message.id, resolved };
      const owners = ownersOf(hub, standing, command);
      return follow({ kind: 'command', standing, owners, data, commandName, commandType: 3 });
    },
    seesCommands(place) {
      const locale = hub.model.users.get(userId)?.locale ?? 'en-US';
      return visibleCommands(standingAt(place)).map((command) => commandView(command, locale));
    },
  } satisfies Partial<Person>;
}

const KINDS = { 1: 'slash', 3: 'message' } as const;

interface Localized {
  readonly name: string;
  readonly description?: string;
  readonly name_localizations?: Readonly<Record<string, string | null>> | null;
  readonly description_localizations?: Readonly<Record<string, string | null>> | null;
}

const inLanguage = (texts: Localized, locale: string) => ({
  name: texts.name_localizations?.[locale] ?? texts.name,
  description: texts.description_localizations?.[locale] ?? texts.description ?? '',
});

function commandView(command: RegisteredCommand, locale: string): VisibleCommand {
  return {
    id: command.id,
    ...inLanguage(command as Localized, locale),
    kind: KINDS[command.type as 1 | 3],
    options: (command.options ?? []).map((option) => ({
      ...inLanguage(option as Localized, locale),
      required: option.required ?? false,
      choices: ('choices' in option ? (option.choices ?? []) : []).map(
        (choice) => inLanguage(choice as Localized, locale).name,
      ),
    })),
  };
}
