import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import {
  type ChatCommand,
  type CommandCall,
  type CompletionCall,
  type Control,
  type ControlCall,
  type Form,
  IN_SERVERS,
  type Needs,
  type SpeakCall,
  type Work,
} from './command.ts';

/** The same call, known to come from a server the bot is in. Elsewhere it throws a refusal. */
export function serverCall(call: CommandCall): CommandCall<'cached'>;
export function serverCall(call: ControlCall): ControlCall<'cached'>;
export function serverCall(call: CompletionCall): CompletionCall<'cached'>;
export function serverCall(call: SpeakCall): SpeakCall<'cached'>;
export function serverCall(call: SpeakCall | CompletionCall): SpeakCall<'cached'> | CompletionCall<'cached'> {
  if (!call.interaction.inCachedGuild()) throw new UserError(text('refused.server-only'));
  return call as SpeakCall<'cached'> | CompletionCall<'cached'>;
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

/** A control that changes its own message, after work that takes time. */
export const messageControl = (name: string, begin: (call: ControlCall<'cached'>) => Work): Control =>
  serverControl({ name, replyTo: 'message', deferred: true, begin });
