import { ApplicationCommandOptionType, InteractionContextType } from 'discord.js';
import { type Text, text } from '../texts/catalogue.ts';
import type { Command, OptionDefinition } from './command.ts';

/** Told from the same definitions as the commands themselves; `all` is a function because help is one of them. */
export function createHelp(all: () => readonly Command[]): Command {
  return {
    name: 'help',
    description: 'help.description',
    needs: { contexts: [InteractionContextType.Guild] },
    replyTo: 'caller',
    deferred: false,

    begin({ interaction }) {
      const usable = all().filter(
        ({ defaultMemberPermissions: needed }) => needed === undefined || interaction.memberPermissions.has(needed),
      );
      return async () => ({ lines: [text('help.title'), ...usable.flatMap(describe)] });
    },
  };
}

function describe(command: Command): Text[] {
  const subcommands = (command.options ?? []).filter(
    (option) => option.type === ApplicationCommandOptionType.Subcommand,
  );
  if (subcommands.length === 0) return entry(command.name, command.description, command.options ?? []);
  return subcommands.flatMap(({ name, description, options }) =>
    entry(`${command.name} ${name}`, description, options ?? []),
  );
}

function entry(name: string, description: Command['description'], options: readonly OptionDefinition[]): Text[] {
  return [
    text('help.command', { name, description: text(description) }),
    ...options.map((option) =>
      text('help.option', {
        name: option.name,
        required: 'required' in option && option.required ? 'yes' : 'no',
        description: text(option.description),
      }),
    ),
  ];
}
