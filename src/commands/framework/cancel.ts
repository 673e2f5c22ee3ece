import { type Button, button } from '../../discord/replies/layout.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { type Control, EVERYWHERE } from './command.ts';

const nameFor = (asking: string): string => `${asking}-cancel`;

/** Below a question, beside the button that goes ahead; `asking` names the question. */
export const cancelButton = (asking: string): Button => button(nameFor(asking), text('question.cancel'));

/** The answer to that button, in place of the question. */
export const cancelControl = (asking: string, answer: Text = text('question.cancelled')): Control => ({
  name: nameFor(asking),
  needs: { contexts: EVERYWHERE },
  replyTo: 'message',
  deferred: false,
  begin: () => async () => ({ lines: [answer] }),
});
