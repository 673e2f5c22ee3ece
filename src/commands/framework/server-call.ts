import type { CacheType } from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import type { CommandCall, CompletionCall, ControlCall, MessageCommandCall } from './command.ts';

type Narrowed<Call> =
  Call extends ControlCall<CacheType>
    ? ControlCall<'cached'>
    : Call extends CommandCall<CacheType>
      ? CommandCall<'cached'>
      : Call extends MessageCommandCall<CacheType>
        ? MessageCommandCall<'cached'>
        : CompletionCall<'cached'>;

/** The same call, known to come from a server the bot is in: refused in words anywhere else. */
export function serverCall<Call extends CommandCall | MessageCommandCall | ControlCall | CompletionCall>(
  call: Call,
): Narrowed<Call> {
  if (!call.interaction.inCachedGuild()) throw new UserError(text('refused.server-only'));
  return call as unknown as Narrowed<Call>;
}
