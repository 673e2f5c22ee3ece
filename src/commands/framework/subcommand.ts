import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import type { CommandCall } from './command.ts';

/** Begins the subcommand that was called. A client whose list of commands is an old one can send any name, or none. */
export function bySubcommand<Call extends Pick<CommandCall, 'interaction'>, Begun>(
  table: Readonly<Record<string, (call: Call) => Begun>>,
  call: Call,
): Begun {
  const name = call.interaction.options.getSubcommand(false);
  const begin = name !== null && Object.hasOwn(table, name) ? table[name] : undefined;
  if (!begin) throw new UserError(text('refused.unknown-command'));
  return begin(call);
}
