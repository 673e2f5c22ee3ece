import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalog.ts';
import { mayEnd, notYours, queueUserOf } from '../framework/checks.ts';
import { serverCommand } from '../framework/server-call.ts';

export const pause = serverCommand({
  name: 'pause',
  description: 'pause.description',
  needs: { voice: 'together' },
  replyTo: 'everyone',
  deferred: false,

  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    const current = speaker?.queue().current;
    if (!speaker || !current) throw new UserError(text('stop.nothing'));
    if (!mayEnd(queueUserOf(interaction), current)) throw notYours(current);
    const outcome = speaker.pause();
    if (outcome === 'nothing-to-pause') throw new UserError(text('stop.nothing'));
    if (outcome === 'already-paused') throw new UserError(text('pause.already'));
    return async () => ({ lines: [text('pause.paused')] });
  },
});

export const resume = serverCommand({
  name: 'resume',
  description: 'resume.description',
  needs: { voice: 'together' },
  replyTo: 'everyone',
  deferred: false,

  begin({ interaction, services }) {
    const speaker = services.speakers.find(interaction.guildId);
    if (!speaker?.isPaused) throw new UserError(text('resume.nothing'));
    const { current } = speaker.queue();
    // Otherwise anyone could undo a moderator's pause.
    if (current && !mayEnd(queueUserOf(interaction), current)) throw notYours(current);
    speaker.resume();
    return async () => ({ lines: [text('resume.resumed')] });
  },
});
