import { version } from '../../process/package.ts';
import { text } from '../../texts/catalog.ts';
import { type ChatCommand, EVERYWHERE } from '../framework/command.ts';

export const about: ChatCommand = {
  name: 'about',
  description: 'about.description',
  needs: { contexts: EVERYWHERE },

  begin({ interaction, services }) {
    const { ping } = interaction.client.ws;
    return async () => ({
      lines: [
        text('about.crier', { version }),
        text(services.bot.localVoice ? 'about.voice-free' : 'about.voice-service'),
        // The ping is negative until Discord has answered the first heartbeat.
        ...(ping >= 0 ? [text('about.ping', { ping: Math.round(ping) })] : []),
        text('about.hint'),
      ],
    });
  },
};
