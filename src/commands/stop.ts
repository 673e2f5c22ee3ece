import { InteractionContextType } from 'discord.js';
import { UserError } from '../errors.ts';
import { text } from '../texts/catalogue.ts';
import type { Command } from './command.ts';

export const stop: Command = {
  name: 'stop',
  description: 'stop.description',
  needs: { contexts: [InteractionContextType.Guild], voice: 'together' },
  replyTo: 'everyone',
  deferred: false,

  begin({ interaction, services }) {
    const { stopped, dropped } = services.speakers.find(interaction.guildId)?.stop() ?? { stopped: false, dropped: 0 };
    if (!stopped) throw new UserError(text('stop.nothing'));
    return async () => ({ lines: [text('stop.stopped', { waiting: dropped })] });
  },
};
