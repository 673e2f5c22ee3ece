import { UserError } from '../errors.ts';
import { text } from '../texts/catalogue.ts';
import type { ChatCommand } from './command.ts';
import { IN_SERVERS } from './contexts.ts';
import { serverCall } from './server-call.ts';

export const resume: ChatCommand = {
  name: 'resume',
  description: 'resume.description',
  needs: { contexts: IN_SERVERS, voice: 'together' },
  replyTo: 'everyone',
  deferred: false,

  begin(anywhere) {
    const { interaction, services } = serverCall(anywhere);
    if (services.speakers.find(interaction.guildId)?.resume() !== 'resumed')
      throw new UserError(text('resume.nothing'));
    return async () => ({ lines: [text('resume.resumed')] });
  },
};
