import type { BaseInteraction } from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import {
  type ChatCommand,
  type CommandCall,
  type Control,
  type ControlCall,
  type Form,
  IN_SERVERS,
  type Needs,
  type Work,
} from './command.ts';

/** discord.js narrows each kind of interaction to its own kind from a server the bot is in. */
interface Narrowing<Cached> {
  inCachedGuild(): this is Cached;
}

type CachedOf<Interaction> = Interaction extends Narrowing<infer Cached> ? Cached : never;

/** A call from a server the bot is in. */
type InServer<Call extends { readonly interaction: BaseInteraction }> = Omit<Call, 'interaction'> & {
  readonly interaction: CachedOf<Call['interaction']>;
};

/** The same call, known to come from a server the bot is in: refused in words anywhere else. */
export function serverCall<Call extends { readonly interaction: BaseInteraction }>(call: Call): InServer<Call> {
  if (!call.interaction.inCachedGuild()) throw new UserError(text('refused.server-only'));
  return call as unknown as InServer<Call>;
}

type ServerAction<Action, Call> = Omit<Action, 'needs' | 'begin'> & {
  readonly needs?: Omit<Needs, 'contexts'>;
  begin(call: Call): Work | Form | Promise<Work | Form>;
};

/** A command for servers the bot is in, and for nowhere else. */
export const serverCommand = (command: ServerAction<ChatCommand, CommandCall<'cached'>>): ChatCommand => ({
  ...command,
  needs: { ...command.needs, contexts: IN_SERVERS },
  begin: (call: CommandCall) => command.begin(serverCall(call)),
});

/** A control for servers the bot is in, and for nowhere else. */
export const serverControl = (control: ServerAction<Control, ControlCall<'cached'>>): Control => ({
  ...control,
  needs: { ...control.needs, contexts: IN_SERVERS },
  begin: (call: ControlCall) => control.begin(serverCall(call)),
});

/** One that changes the message it stands on, after work that takes time. */
export const messageControl = (name: string, begin: (call: ControlCall<'cached'>) => Work): Control =>
  serverControl({ name, replyTo: 'message', deferred: true, begin });
