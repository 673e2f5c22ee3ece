import type {
  ButtonInteraction,
  ChatInputCommandInteraction,
  MessageContextMenuCommandInteraction,
  ModalSubmitInteraction,
  StringSelectMenuInteraction,
} from 'discord.js';
import type { Row } from '../../discord/replies/layout.ts';
import { parseCustomId } from '../../discord/replies/layout.ts';
import { createGrants } from './checks/grants.ts';
import type { Action, Command, Form, Needs, Services, Work } from './command.ts';
import { formAgainControls, formAgainRow } from './form-again.ts';

/** What somebody asks something by. */
export type CommandInteraction =
  | ChatInputCommandInteraction
  | MessageContextMenuCommandInteraction
  | ButtonInteraction
  | StringSelectMenuInteraction
  | ModalSubmitInteraction;

export type Visibility = 'everyone' | 'caller' | 'message';

/** A command or control together with the call it was given: what is left to check and to do. */
export interface ResolvedInteraction {
  /** As a person would name it, and as its cooldown is counted. */
  readonly name: string;
  readonly needs: Needs;
  readonly replyTo: Visibility;
  readonly deferred: boolean;
  /** Whether its caller has the rights that it takes, besides what Discord has checked. */
  readonly permitted: boolean;
  readonly onlyFor: Command['onlyFor'];
  begin(timing: Omit<Timing, 'askedAtMs'>): Work | Form | Promise<Work | Form>;
  offerBack(): readonly Row[];
}

interface ResolverOptions {
  readonly commands: readonly Command[];
  readonly services: Services;
  readonly now?: (() => number) | undefined;
}

/** Knows which command or control an interaction is for. */
export function createInteractionResolver({ commands, services, now }: ResolverOptions) {
  const byName = new Map(commands.map((command) => [command.name, command]));
  const controls = new Map(
    commands.flatMap((command) =>
      (command.controls ?? [])
        .flatMap((control) => [control, ...formAgainControls(control)])
        .map((control) => [control.name, { control, command }]),
    ),
  );
  const grants = createGrants(now);

  function resolveCommand(
    interaction: ChatInputCommandInteraction | MessageContextMenuCommandInteraction,
  ): ResolvedInteraction | undefined {
    const command = byName.get(interaction.commandName);
    if (!command) return undefined;
    // Discord has checked who may use it, by the rules that the server's admins gave it.
    grants.give(interaction, command);
    if (command.kind === 'message') {
      if (!interaction.isMessageContextMenuCommand()) return undefined;
      const call = { interaction, services };
      return bind(command, call, (timing) => ({ ...call, ...timing }), command);
    }
    if (!interaction.isChatInputCommand()) return undefined;
    const call = { interaction, services };
    return bind(command, call, (timing) => ({ ...call, ...timing }), command);
  }

  return {
    /** The command or control that is called; undefined when there is none of that name (any more). */
    resolve(interaction: CommandInteraction): ResolvedInteraction | undefined {
      if (interaction.isChatInputCommand() || interaction.isMessageContextMenuCommand())
        return resolveCommand(interaction);
      const { control: name, argument } = parseCustomId(interaction.customId);
      const found = controls.get(name);
      if (!found) return undefined;
      const { control, command } = found;
      const permitted = control.rights === 'anyone' || grants.holds(interaction, command);
      const [values, fields] = [valuesOf(interaction), submittedFields(interaction)];
      const call = { interaction, services, argument, values, fields };
      const bound = bind(control, call, (timing) => ({ ...call, ...timing }), command, permitted);
      // Only what failed is asked for this: what was typed is kept then.
      const offerBack = () => {
        const rows = bound.offerBack();
        return rows.length > 0 ? rows : formAgainRow(control, call);
      };
      return { ...bound, offerBack };
    },
    /** The command that is called, or whose control is used. */
    commandOf(interaction: CommandInteraction): Command | undefined {
      if (interaction.isCommand()) return byName.get(interaction.commandName);
      return controls.get(parseCustomId(interaction.customId).control)?.command;
    },
    commandNamed: (name: string): Command | undefined => byName.get(name),
  };
}

/** The time of a call, from being asked for to the end of its answer. */
interface Timing {
  readonly askedAtMs: number;
  readonly signal: AbortSignal;
  readonly acknowledged: Promise<void>;
  readonly answered: Promise<void>;
}

function bind<Call>(
  action: Action<Call> & { readonly name: string },
  call: Omit<Call, 'signal'>,
  withTiming: (timing: Timing) => Call,
  { onlyFor }: Pick<Command, 'onlyFor'>,
  permitted = true,
): ResolvedInteraction {
  const { name, needs, deferred, replyTo } = action;
  const askedAtMs = performance.now();
  return {
    name,
    needs,
    deferred,
    permitted,
    onlyFor,
    replyTo: typeof replyTo === 'function' ? replyTo(call) : replyTo,
    begin: (timing) => action.begin(withTiming({ askedAtMs, ...timing })),
    offerBack: () => action.offerBack?.(call) ?? [],
  };
}

type ControlInteraction = ButtonInteraction | StringSelectMenuInteraction | ModalSubmitInteraction;

/** The choices of a select: ids where it offers roles, members or channels. */
function valuesOf(interaction: ControlInteraction): readonly string[] {
  return 'values' in interaction ? interaction.values : [];
}

/** The values of a form by field name. */
function submittedFields(interaction: ControlInteraction): Readonly<Record<string, string>> {
  if (!interaction.isModalSubmit()) return {};
  return Object.fromEntries(
    interaction.fields.fields.map((field) => [
      field.customId,
      'value' in field ? String(field.value ?? '') : 'values' in field ? field.values.join(',') : '',
    ]),
  );
}
