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
        ({ defaultMemberPermissions: needed }) => needed === undefined || interaction.memberPermissions.has(needed),
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
}

function usages(command: Command): Usage[] {
  const { name, description, options = [] } = command;
  const subcommands = options.filter((option) => option.type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [{ name, description, options }];
  return subcommands.map((sub) => ({ ...sub, name: `${name} ${sub.name}`, options: sub.options ?? [] }));
}

const isRequired = (option: OptionDefinition) => 'required' in option && option.required === true;

function oneLine({ name, description, options }: Usage): Text {
  const typed = options.map((option) => (isRequired(option) ? option.name : `[${option.name}]`));
  return text('help.command', { name: [name, ...typed].join(' '), description: text(description) });
}

function inFull({ name, description, options }: Usage): Text[] {
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
