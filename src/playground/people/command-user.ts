import { commandsAt, ownersOf, type Standing } from '../state/installations.ts';
import { type Choice, INTERACTION_TYPES, type InteractionDraft, metadataOf } from '../state/interactions.ts';
import { createMessage, messagePayload } from '../state/messages.ts';
import {
  COMPONENT,
  commandsOf,
  type InstallationOwners,
  MESSAGE_FLAGS,
  type Message,
  type RegisteredCommand,
} from '../state/model.ts';
import { autocompleteData, type CommandContext, commandData, commandHead } from './command-data.ts';
import { buttonData, type FieldInput, modalData, selectData } from './component-use.ts';
import { SentInteraction } from './sent-interaction.ts';
import {
  type ChosenCommand,
  CommandRefused,
  chooseCommand,
  descriptionIn,
  fullName,
  type MenuKind,
  nameIn,
  type OptionInput,
  parseCommandLine,
  type VisibleModal,
} from './typed-command.ts';
import type { VisibleMessage } from './views.ts';
import { type Place, Writer } from './writer.ts';

export interface ForgedComponent extends Place {
  readonly customId: string;
  /** The menu or modal that the forged interaction claims to use. If undefined, a button is pressed. */
  readonly input?:
    | { readonly kind: 'button' | MenuKind; readonly values: readonly string[] }
    | { readonly kind: 'modal'; readonly fields: Readonly<Record<string, string>> };
  /** Changes what the interaction sends, as a modified client could: removes components, or changes their types. */
  readonly distort?: (data: unknown) => unknown;
  /** The message that the interaction claims to come from, visible to the user or not. Default: an unrelated one. */
  readonly message?: VisibleMessage;
}

type Inputs = Readonly<Record<string, OptionInput>>;

const componentType = (kind: 'button' | MenuKind) =>
  kind === 'button' ? COMPONENT.button : COMPONENT[`${kind}Select`];

const byServer = ({ guild }: Standing): InstallationOwners => ({ '0': guild?.id ?? '0' });

export class CommandUser extends Writer {
  /** Sends a typed command line. Rejects with `CommandRefused` if Discord's client would not send the line. */
  async types(line: string, place?: Place): Promise<SentInteraction> {
    const standing = this.standingAt(place);
    const { chosen, values } = parseCommandLine(this.#commands(standing), line);
    return this.#sendCommand(standing, chosen, commandData(standing, chosen, values));
  }

  /** `name` includes the subcommand, as in `settings voice`. */
  async command(name: string, options: Inputs = {}, place?: Place): Promise<SentInteraction> {
    const standing = this.standingAt(place);
    const chosen = chooseCommand(this.#commands(standing), name.split(' '));
    return this.#sendCommand(standing, chosen, commandData(standing, chosen, options));
  }

  /** Rejects after 3 s without the bot's suggestions, as Discord's client does. */
  async autocompletes(
    name: string,
    focused: Readonly<Record<string, string>>,
    options: Place & { readonly filled?: Inputs } = {},
  ): Promise<readonly Choice[]> {
    const standing = this.standingAt(options);
    const chosen = chooseCommand(this.#commands(standing), name.split(' '));
    const data = autocompleteData(standing, chosen, focused, options.filled ?? {});
    const owners = ownersOf(this.hub, standing, chosen.command);
    const commandName = fullName(chosen);
    return this.#follow({ kind: 'autocomplete', ...standing, owners, data, commandName }).choices();
  }

  async presses(message: VisibleMessage, button: string): Promise<SentInteraction> {
    return this.#useComponent(message, (source) => buttonData(source.components, button));
  }

  /** A menu is found by custom id or placeholder; choices by label or value; users, roles and channels by name. */
  async selects(message: VisibleMessage, menu: string, values: readonly string[]): Promise<SentInteraction> {
    return this.#useComponent(message, (source, context) => selectData(context, source.components, menu, values));
  }

  async submits(modal: VisibleModal, fields: Readonly<Record<string, FieldInput>>): Promise<SentInteraction> {
    const opened = this.interactions.byId(modal.interactionId);
    if (!opened || opened.userId !== this.id) throw new CommandRefused(`${this.name} did not open this modal`);
    const standing = this.standingIn(opened.channel);
    return this.#follow({
      kind: 'modalSubmit',
      ...standing,
      owners: opened.owners,
      openedBy: metadataOf(opened),
      data: modalData(standing, modal, fields),
      sourceMessage: opened.sourceMessage,
    });
  }

  async usesOnMessage(commandName: string, view: VisibleMessage): Promise<SentInteraction> {
    const message = this.seen(view);
    const standing = this.whereIs(message);
    const namesOf = (one: RegisteredCommand) => [one.name, nameIn(one, this.language)];
    const command = this.#commands(standing).find((one) => one.type === 3 && namesOf(one).includes(commandName));
    if (!command) throw new CommandRefused(`Apps offers no command ${commandName} here`);
    const resolved = { messages: { [message.id]: messagePayload(this.hub.model, message) } };
    const data = { ...commandHead(command), target_id: message.id, resolved };
    return this.#sendCommand(standing, { command, steps: [], options: [] }, data);
  }

  seesCommands(place?: Place) {
    return this.#commands(this.standingAt(place)).map((command) => commandView(command, this.language));
  }

  /**
   * Acts as a modified client: Discord mostly rejects what its own client never sends, but a bot must not rely on that.
   */
  async forges(component: ForgedComponent): Promise<SentInteraction> {
    const { customId, input, distort, message: shown, ...place } = component;
    const known = shown && this.hub.model.messages.get(shown.messageId);
    if (shown && !known) throw new CommandRefused('This message never existed');
    const standing = known ? this.whereIs(known) : this.standingAt(place);
    const message = known ?? this.#anyMessage(standing);
    const data =
      input?.kind === 'modal'
        ? { custom_id: customId, components: Object.entries(input.fields).map(forgedField) }
        : { custom_id: customId, component_type: componentType(input?.kind ?? 'button'), values: input?.values };
    const sent = {
      ...standing,
      owners: byServer(standing),
      data: distort ? distort(data) : data,
      sourceMessage: message,
    };
    if (input?.kind !== 'modal') return this.#follow({ kind: 'component', ...sent });
    // A submitted modal names the interaction that opened it: here an invented click on a button.
    const opener = {
      id: this.hub.newId(),
      type: INTERACTION_TYPES.component,
      userId: standing.userId,
      owners: byServer(standing),
      interactedMessageId: message.id,
      triggeredBy: undefined,
    };
    return this.#follow({ kind: 'modalSubmit', ...sent, openedBy: opener });
  }

  /** Uses any registered command, even one that Discord's client would not show to the person. */
  async forcesCommand(name: string, options: Inputs = {}, place?: Place): Promise<SentInteraction> {
    const standing = this.standingAt(place);
    const chosen = chooseCommand(commandsOf(this.hub.model, standing.guild?.id), name.split(' '));
    return this.#sendCommand(standing, chosen, commandData(standing, chosen, options), byServer(standing));
  }

  #follow(draft: InteractionDraft): SentInteraction {
    return new SentInteraction(this.hub, this.interactions.send(draft));
  }

  get language(): string {
    return this.hub.model.users.get(this.id)?.locale ?? 'en-US';
  }

  #commands(standing: Standing): RegisteredCommand[] {
    const refusal = `${this.name} may not use commands in ${standing.channel.name}`;
    this.needs(standing, 'UseApplicationCommands', refusal);
    return commandsAt(this.hub, standing);
  }

  #sendCommand(
    standing: Standing,
    chosen: ChosenCommand,
    data: unknown,
    owners = ownersOf(this.hub, standing, chosen.command),
  ): SentInteraction {
    const [commandName, commandType] = [fullName(chosen), chosen.command.type];
    return this.#follow({ kind: 'command', ...standing, owners, data, commandName, commandType });
  }

  /**
   * Uses a component of a message. The new interaction has the same installation owners (server or user) as the
   * interaction that the message answers. If the message answers no interaction, the server is the owner.
   */
  #useComponent(view: VisibleMessage, dataOf: (message: Message, context: CommandContext) => unknown): SentInteraction {
    const message = this.seen(view);
    const standing = this.whereIs(message);
    const owners = message.interaction?.owners ?? byServer(standing);
    const data = dataOf(message, standing);
    return this.#follow({ kind: 'component', ...standing, owners, data, sourceMessage: message });
  }

  #anyMessage({ channel, userId }: Standing): Message {
    const authorId = this.hub.model.application.botId;
    const flags = MESSAGE_FLAGS.Ephemeral;
    return createMessage(this.hub, channel, { authorId, content: 'An old message', flags, onlyFor: userId });
  }
}

const forgedField = ([custom_id, value]: [string, string], index: number) => ({
  type: COMPONENT.label,
  id: index + 1,
  component: { type: COMPONENT.textInput, id: index + 100, custom_id, value },
});

const KINDS = { 1: 'slash', 3: 'message' } as const;

function commandView(command: RegisteredCommand, locale: string) {
  return {
    id: command.id,
    name: nameIn(command, locale),
    description: descriptionIn(command, locale),
    kind: KINDS[command.type as 1 | 3],
    options: (command.options ?? []).map((option) => ({
      name: nameIn(option, locale),
      description: descriptionIn(option, locale),
      required: option.required ?? false,
      choices: ('choices' in option ? (option.choices ?? []) : []).map((choice) => nameIn(choice, locale)),
    })),
  };
}
