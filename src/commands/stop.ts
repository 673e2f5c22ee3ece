import { InteractionContextType } from 'discord.js';
import { UserError } from '../errors.ts';
import { text } from '../texts/catalogue.ts';
import type { ChatCommand } from './command.ts';
import { serverCall } from './server-call.ts';

export const stop: ChatCommand = {
  name: 'stop',
  description: 'stop.description',
  needs: { contexts: [InteractionContextType.Guild], voice: 'together' },
  replyTo: 'everyone',
  deferred: false,

  begin(call) {
    const { interaction, services } = serverCall(call);
    const { stopped, dropped } = services.speakers.find(interaction.guildId)?.stop() ?? { stopped: false, dropped: 0 };
    if (!stopped) throw new UserError(text('stop.nothing'));
    return async () => ({ lines: [text('stop.stopped', { waiting: dropped })] });
  },
};
