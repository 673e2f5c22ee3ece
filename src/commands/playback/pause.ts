import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import type { ChatCommand } from '../framework/command.ts';
import { IN_SERVERS } from '../framework/contexts.ts';
import { serverCall } from '../framework/server-call.ts';
import { mayEnd, notYours, queueUserOf } from './queue-rights.ts';

export const pause: ChatCommand<'speakers'> = {
  name: 'pause',
  description: 'pause.description',
  needs: { contexts: IN_SERVERS, voice: 'together' },
  replyTo: 'everyone',
  deferred: false,

  begin(anywhere) {
    const { interaction, services } = serverCall(anywhere);
    const speaker = services.speakers.find(interaction.guildId);
    const current = speaker?.queue().current;
    if (!speaker || !current) throw new UserError(text('stop.nothing'));
    if (!mayEnd(queueUserOf(interaction), current)) throw notYours(current);
    const outcome = speaker.pause();
    if (outcome === 'nothing-to-pause') throw new UserError(text('stop.nothing'));
    if (outcome === 'already-paused') throw new UserError(text('pause.already'));
    return async () => ({ lines: [text('pause.paused')] });
  },
};
