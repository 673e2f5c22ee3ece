import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import type { ChatCommand } from '../framework/command.ts';
import { IN_SERVERS } from '../framework/contexts.ts';
import { serverCall } from '../framework/server-call.ts';
import { mayEnd, notYours, queueUserOf } from './queue-rights.ts';

export const resume: ChatCommand<'speakers'> = {
  name: 'resume',
  description: 'resume.description',
  needs: { contexts: IN_SERVERS, voice: 'together' },
  replyTo: 'everyone',
  deferred: false,

  begin(anywhere) {
    const { interaction, services } = serverCall(anywhere);
    const speaker = services.speakers.find(interaction.guildId);
    if (!speaker?.isPaused) throw new UserError(text('resume.nothing'));
    const { current } = speaker.queue();
    // Otherwise anybody could undo a moderator's pause.
    if (current && !mayEnd(queueUserOf(interaction), current)) throw notYours(current);
    speaker.resume();
    return async () => ({ lines: [text('resume.resumed')] });
  },
};
