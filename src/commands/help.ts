import { ApplicationCommandOptionType, InteractionContextType } from 'discord.js';
import { UserError } from '../errors.ts';
import { type PlainTextKey, type Text, text } from '../texts/catalogue.ts';
import type { Command, OptionDefinition } from './command.ts';

/** Told from the same definitions as the commands themselves; `all` is a function because help is one of them. */
export function createHelp(all: () => readonly Command[]): Command {
  return {
    name: 'help',
    description: 'help.description',
    get options(): readonly OptionDefinition[] {
      return [
        {
          type: ApplicationCommandOptionType.String,
          name: 'command',
          description: 'help.command-option',
          choices: all().map(({ name }) => ({ value: name })),
        },
      ];
    },
    needs: { contexts: [InteractionContextType.Guild] },
    replyTo: 'caller',
    deferred: false,

    begin({ interaction }) {
      const usable = all().filter(
        ({ defaultMemberPermissions: needed }) =>
          needed === undefined || (interaction.memberPermissions?.has(needed) ?? false),
      );
      const asked = interaction.options.getString('command');
      if (asked === null) {
        const overview = usable.flatMap(usages).map(oneLine);
        return async () => ({ lines: [text('help.title'), ...overview, text('help.more')] });
      }
      const named = usable.find(({ name }) => name === asked);
      if (!named) throw new UserError(text('help.not-yours', { command: asked }));
      return async () => ({ lines: usages(named).flatMap(inFull) });
    },
  };
}

/** A command, or one of its subcommands, as it is typed. */
interface Usage {
  readonly name: string;
  readonly description: PlainTextKey;
  readonly options: readonly OptionDefinition[];
  /** Chosen from the Apps menu of a message instead of being typed. */
  readonly onMessage: boolean;
}

function usages(command: Command): Usage[] {
  if (command.kind === 'message')
    return [{ name: command.name, description: command.description, options: [], onMessage: true }];
  const { name, description, options = [] } = command;
  const subcommands = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [{ name, description, options, onMessage: false }];
  return subcommands.map((sub) => ({
    ...sub,
    name: `${name} ${sub.name}`,
    options: sub.options ?? [],
    onMessage: false,
  }));
}

const isRequired = (option: OptionDefinition) => 'required' in option && option.required === true;

function oneLine({ name, description, options, onMessage }: Usage): Text {
  if (onMessage) return text('help.message-command', { name, description: text(description) });
  const typed = options.map((option) => (isRequired(option) ? option.name : `[${option.name}]`));
  return text('help.command', { name: [name, ...typed].join(' '), description: text(description) });
}

function inFull({ name, description, options, onMessage }: Usage): Text[] {
  if (onMessage) return [text('help.message-command', { name, description: text(description) })];
  return [
    text('help.command', { name, description: text(description) }),
    ...options.map((option) =>
      text('help.option', {
        name: option.name,
        required: isRequired(option) ? 'yes' : 'no',
        description: text(option.description),
      }),
    ),
  ];
}
