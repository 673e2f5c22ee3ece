import type {
  ButtonInteraction,
  ChatInputCommandInteraction,
  MessageContextMenuCommandInteraction,
  ModalSubmitInteraction,
  PermissionsBitField,
  StringSelectMenuInteraction,
} from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { Visibility } from '../../discord/replies/answer.ts';
import { button, type Modal, type ModalField, parseCustomId, type Row } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import type { Action, Command, Control, ControlAsked, Form, Needs, Services, Work } from './command.ts';

/** The interactions that ask for something. */
export type CommandInteraction =
  | ChatInputCommandInteraction
  | MessageContextMenuCommandInteraction
  | ButtonInteraction
  | StringSelectMenuInteraction
  | ModalSubmitInteraction;

/** A command or control together with the call it was given: what is left to check and to do. */
export interface ResolvedInteraction {
  /** The name for people, which its cooldown is counted by. */
  readonly name: string;
  readonly needs: Needs;
  readonly replyTo: Visibility;
  readonly deferred: boolean;
  /** Whether its caller has the rights that it takes, besides what Discord has checked. */
  readonly permitted: boolean;
  readonly onlyFor: Command['onlyFor'];
  begin(timing: Timing): Work | Form | Promise<Work | Form>;
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
  readonly signal: AbortSignal;
  readonly acknowledged: Promise<void>;
  readonly answered: Promise<void>;
}

function bind<Call extends Before, Before>(
  action: Action<Call, Before> & { readonly name: string },
  call: Before,
  withTiming: (timing: Timing & { readonly askedAtMs: number }) => Call,
  { onlyFor }: Command,
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

interface Someone {
  readonly guildId: string | null;
  readonly user: { readonly id: string };
  readonly memberPermissions: Readonly<PermissionsBitField> | null;
}

/** Discord lets the bot use a private reply for this long. */
const GRANT_MS = 15 * 60_000;
const MOST_REMEMBERED = 1_000;

/**
 * Admins can give a command to a role in Discord's own screen, and only Discord knows that: members it let use the
 * command may use the buttons and forms of its reply. Otherwise the command's permission decides, because custom ids can be forged.
 */
export function createGrants(now: () => number = () => performance.now()) {
  const granted = new LRUCache<string, true>({ max: MOST_REMEMBERED, ttl: GRANT_MS, ttlResolution: 0, perf: { now } });
  const keyOf = ({ guildId, user }: Someone, { name }: Command) => `${name} ${guildId} ${user.id}`;

  return {
    /** Discord let this person use the command. */
    give(someone: Someone, command: Command): void {
      if (command.defaultMemberPermissions === undefined) return;
      granted.set(keyOf(someone, command), true);
    },
    /** Whether this person may use the command's buttons and forms. */
    holds(someone: Someone, command: Command): boolean {
      const needed = command.defaultMemberPermissions;
      if (needed === undefined || someone.memberPermissions?.has(needed)) return true;
      return granted.has(keyOf(someone, command));
    },
  };
}

const againName = (control: string): string => `${control}-again`;
const refilledName = (control: string): string => `${control}-refilled`;

/** The button that opens a refused form again, with what was typed in it; nothing where it was no form. */
function formAgainRow({ name, form }: Control, call: ControlAsked): readonly Row[] {
  if (!form || !call.interaction.isModalSubmit()) return [];
  const { argument, fields, interaction, services } = call;
  const words = Object.values(fields).join('\n');
  const token = services.pending.put('form', { argument, fields, userId: interaction.user.id, words });
  const original = name.replace(/-refilled$/u, '');
  return [[button(againName(original), text('form.again'), token)]];
}

/** The controls by which a refused form comes back: the button below the refusal, and the form once it is filled in again. */
function formAgainControls(control: Control): readonly Control[] {
  const { form } = control;
  if (!form) return [];
  const again: Control = {
    name: againName(control.name),
    rights: control.rights,
    needs: { contexts: control.needs.contexts },
    replyTo: 'caller',
    // Discord takes a form only as the first answer.
    deferred: false,
    async begin(call) {
      const { interaction, services } = call;
      const refused = services.pending.peek('form', call.argument);
      if (refused?.userId !== interaction.user.id) throw new UserError(text('refused.over'));
      const { argument, fields } = refused;
      const modal = await form({ ...call, argument, fields });
      if (!modal) throw new UserError(text('refused.over'));
      return { modal: { ...modal, control: refilledName(control.name) } };
    },
  };
  // It stands on the refusal, which is no message to be changed into a panel.
  return [again, { ...control, name: refilledName(control.name), replyTo: 'caller', deferred: true }];
}

/** A form with what was typed in it. */
export function filledIn(modal: Modal, typed: Readonly<Record<string, string>>): Modal {
  return { ...modal, fields: modal.fields.map((field) => withTyped(field, typed[field.name])) };
}

/** A field with what was typed in it. */
function withTyped(field: ModalField, typed: string | undefined): ModalField {
  if (typed === undefined || field.kind === 'file') return field;
  if (field.kind === 'select') {
    const chosen = typed.split(',');
    return { ...field, options: field.options.map((option) => ({ ...option, chosen: chosen.includes(option.value) })) };
  }
  const { value: _, ...empty } = field;
  return typed === '' ? empty : { ...field, value: typed };
}
