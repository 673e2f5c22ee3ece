import type { Action, Reply } from '../../src/commands/framework/command.ts';

/** What a command or control answers in the end; a form is an error here. */
export async function replyOf<Call>(action: Action<Call>, call: Call): Promise<Reply> {
  const begun = await action.begin(call);
  if (typeof begun !== 'function') throw new Error('A form was shown');
  return begun(() => undefined);
}
